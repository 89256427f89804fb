extension Query {
  /// Returns the entities to which relations in the condition or the order lead. The query's result
  /// also depends on rows of these entities.
  ///
  /// The query's own entity is included only if a relation leads back to it.
  package func reachedEntities(model: Model) throws(GraphError) -> Set<Int> {
    var reached: Set<Int> = []
    try forEachPlace(model: model) { step in
      switch step {
      case .place(let place): for hop in place.hops { reached.insert(hop.entity) }
      case .count(let many), .enter(let many):
        for hop in many.hops { reached.insert(hop.entity) }
        reached.insert(many.entity)
      case .exit: break
      }
    }
    return reached
  }

  /// Returns the columns of each entity that the condition and the order read. The query's own
  /// entity is included even if none of its columns is read.
  func columnsRead(model: Model) throws(GraphError) -> ColumnsRead {
    let read = ColumnsRead()
    read.add(entity, ColumnMask())
    // The entities at which the current places begin. The last one counts.
    var starts = [entity]
    func follow(_ hops: [ResolvedPath.Hop]) -> Int {
      hops.reduce(starts.last ?? entity) { start, hop in
        read.add(start, column: hop.column)
        read.add(hop.entity, ColumnMask())
        return hop.entity
      }
    }
    func follow(_ many: ManyPlace) {
      _ = follow(many.hops)
      read.add(many.entity, column: many.column)
    }
    try forEachPlace(model: model) { step in
      switch step {
      case .place(let place):
        let end = follow(place.hops)
        if let column = place.column { read.add(end, column: column) }
      case .count(let many): follow(many)
      case .enter(let many):
        follow(many)
        starts.append(many.entity)
      case .exit: starts.removeLast()
      }
    }
    return read
  }

  /// Calls the closure with each property that the condition or the order reads, from left to right.
  fileprivate func forEachPlace(
    model: Model, _ body: (PlaceStep) -> Void
  ) throws(GraphError) {
    try condition?.forEachPlace(from: entity, model, body)
    for term in order { body(.place(try model.place(term.property, from: entity))) }
  }
}

/// A step of a walk through the properties that a condition reads.
private enum PlaceStep {
  case place(ResolvedPath)
  case count(ManyPlace)
  /// The next places, up to the matching `exit`, begin at the objects of the to-many property.
  case enter(ManyPlace)
  case exit
}

extension Condition {
  fileprivate func forEachPlace(
    from entity: Int, _ model: Model, _ body: (PlaceStep) -> Void
  ) throws(GraphError) {
    var entities = [entity]
    var failure: GraphError?
    walk { visit in
      guard failure == nil, let entity = entities.last else { return }
      do throws(GraphError) {
        switch visit {
        case .leaf(let leaf): try leaf.forEachPlace(from: entity, model, body)
        case .enter(.any(let path), _), .enter(.all(let path), _):
          let many = try model.place(path, from: entity)
          body(.enter(many))
          entities.append(many.entity)
        case .exit(.any, _), .exit(.all, _):
          body(.exit)
          entities.removeLast()
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
  fileprivate func forEachPlace(
    from entity: Int, _ model: Model, _ body: (PlaceStep) -> Void
  ) throws(GraphError) {
    switch self {
    case .constant: break
    case .compare(let path, _, _), .isIn(let path, _), .text(let path, _, _, _):
      body(.place(try model.place(path, from: entity)))
    case .compareProperties(let one, _, let other):
      body(.place(try model.place(one, from: entity)))
      body(.place(try model.place(other, from: entity)))
    case .count(let path, _, _): body(.count(try model.place(path, from: entity)))
    case .excess(let limit): throw .excess(limit, fetching: model.layouts[entity].name)
    }
  }
}

/// The columns of each entity that a computation has read.
package final class ColumnsRead {
  private var columns: [Int: ColumnMask] = [:]
  /// Whether the computation could not read because of unsaved changes. It then has another result
  /// after the next save.
  var awaitsSave = false

  func add(_ entity: Int, _ mask: ColumnMask) {
    columns[entity, default: ColumnMask()].formUnion(mask)
  }

  func add(_ entity: Int, column: Int) {
    columns[entity, default: ColumnMask()].insert(column)
  }

  func add(_ other: ColumnsRead) {
    for (entity, mask) in other.columns { add(entity, mask) }
    awaitsSave = awaitsSave || other.awaitsSave
  }

  func contains(_ entity: Int) -> Bool { columns[entity] != nil }

  /// Returns whether the computation may have another result after a change of an object. `changed`
  /// contains the changed columns; nil if all of the object may have changed.
  func isTouched(by changed: ColumnMask?, of entity: Int) -> Bool {
    guard let read = columns[entity] else { return false }
    return changed.map { !$0.intersection(read).isEmpty } ?? true
  }
}

/// The columns that a condition and an order read of a row, and the relations that they follow from
/// it. A store that tests rows itself fetches related rows beforehand, level by level.
package final class Reach {
  /// A relation from a row: the column of a to-one property with its target, or the column by which
  /// the rows of an entity refer to the row.
  package typealias Relation = ResolvedPath.Hop

  package private(set) var columns: Set<Int> = []
  package private(set) var toOne: [Relation: Reach] = [:]
  package private(set) var toMany: [Relation: Reach] = [:]

  private init() {}

  /// Finds out what a query's condition and order read, and what a figure over its rows reads.
  package convenience init(
    _ query: Query, _ figure: ResolvedPath? = nil, model: Model
  ) throws(GraphError) {
    self.init()
    var open = [self]
    try query.forEachPlace(model: model) { step in
      guard let last = open.last else { return }
      switch step {
      case .place(let place): last.add(place)
      case .count(let many): _ = last.reach(behind: many)
      case .enter(let many): open.append(last.reach(behind: many))
      case .exit: open.removeLast()
      }
    }
    if let figure { add(figure) }
  }

  private func add(_ place: ResolvedPath) {
    let end = reach(behind: place.hops)
    if let column = place.column { end.columns.insert(column) }
  }

  private func reach(behind many: ManyPlace) -> Reach {
    let owner = reach(behind: many.hops)
    let relation = Relation(column: many.column, entity: many.entity)
    let found = owner.toMany[relation] ?? Reach()
    owner.toMany[relation] = found
    return found
  }

  private func reach(behind hops: [ResolvedPath.Hop]) -> Reach {
    hops.reduce(self) { last, hop in
      last.columns.insert(hop.column)
      let found = last.toOne[hop] ?? Reach()
      last.toOne[hop] = found
      return found
    }
  }
}
