extension Query {
  /// Returns the entities to which relations in the condition or the order lead. The query's result
  /// also depends on rows of these entities.
  ///
  /// The query's own entity is included only if a relation leads back to it.
  package func reachedEntities(model: Model) throws(GraphError) -> Set<Int> {
    var reached: Set<Int> = []
    try condition?.collectReach(from: entity, model, &reached)
    for term in order { try model.place(term.property, from: entity).collectReach(&reached) }
    return reached
  }
}

extension Condition {
  fileprivate func collectReach(
    from entity: Int, _ model: Model, _ reached: inout Set<Int>
  ) throws(GraphError) {
    var entities = [entity]
    var failure: GraphError?
    walk { visit in
      guard failure == nil, let entity = entities.last else { return }
      do throws(GraphError) {
        switch visit {
        case .leaf(let leaf): try leaf.collectReach(from: entity, model, &reached)
        case .enter(.any(let path), _), .enter(.all(let path), _):
          let many = try model.place(path, from: entity)
          many.collectReach(&reached)
          entities.append(many.entity)
        case .exit(.any, _), .exit(.all, _): entities.removeLast()
        case .enter, .between, .exit: break
        }
      } catch {
        failure = error
      }
    }
    if let failure { throw failure }
  }
}

extension Condition.Leaf {
  fileprivate func collectReach(
    from entity: Int, _ model: Model, _ reached: inout Set<Int>
  ) throws(GraphError) {
    switch self {
    case .constant: break
    case .compare(let path, _, _), .isIn(let path, _), .text(let path, _, _, _):
      try model.place(path, from: entity).collectReach(&reached)
    case .compareProperties(let one, _, let other):
      try model.place(one, from: entity).collectReach(&reached)
      try model.place(other, from: entity).collectReach(&reached)
    case .count(let path, _, _): try model.place(path, from: entity).collectReach(&reached)
    case .excess(let limit): throw .excess(limit, fetching: model.layouts[entity].name)
    }
  }
}

extension ResolvedPath {
  fileprivate func collectReach(_ reached: inout Set<Int>) {
    for hop in hops { reached.insert(hop.entity) }
  }
}

extension ManyPlace {
  fileprivate func collectReach(_ reached: inout Set<Int>) {
    for hop in hops { reached.insert(hop.entity) }
    reached.insert(entity)
  }
}
