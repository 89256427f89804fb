extension Query {
  /// The entities whose rows decide about this query's rows: those behind its relations.
  ///
  /// The query's own entity is among them only if a relation leads back to it.
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
    switch self {
    case .constant: break
    case .compare(let path, _, _), .isIn(let path, _), .text(let path, _, _, _):
      try model.place(path, from: entity).collectReach(&reached)
    case .compareProperties(let one, _, let other):
      try model.place(one, from: entity).collectReach(&reached)
      try model.place(other, from: entity).collectReach(&reached)
    case .any(let path, let inner), .all(let path, let inner):
      let many = try model.place(path, from: entity)
      many.collectReach(&reached)
      try inner.collectReach(from: many.entity, model, &reached)
    case .count(let path, _, _): try model.place(path, from: entity).collectReach(&reached)
    case .and(let terms), .or(let terms):
      for term in terms { try term.collectReach(from: entity, model, &reached) }
    case .not(let inner): try inner.collectReach(from: entity, model, &reached)
    }
  }
}

extension Place {
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
