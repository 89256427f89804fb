/// The answer to a query: from the store alone, from the store's rows and the objects that replace
/// some of them, or from a search of all rows in memory.
struct QueryAnswer {
  private let query: Query
  private let context: ObjectContext
  private let overlay: Overlay
  /// Whether the query's condition or order uses related rows of an entity with unsaved or unmerged
  /// changes.
  private let reachesUnsaved: Bool

  init(_ query: Query, in context: ObjectContext) throws {
    self.query = query
    self.context = context
    overlay = Overlay(query.entity, of: context)
    reachesUnsaved = try query.reachedEntities(model: context.model).contains {
      !Overlay($0, of: context).isEmpty
    }
  }

  /// Whether the store alone can answer the query, because no unsaved or unmerged changes affect the
  /// answer.
  var isPlain: Bool { overlay.isEmpty && !reachesUnsaved }

  /// Returns the objects of the query. An object of the context or a context above replaces the
  /// store's row if the object is unsaved, or if others have changed the row.
  func objects() throws -> [GraphObject] {
    if isPlain { return try context.stored(query) { _ in true } }
    // If the query uses related rows with unsaved changes, all rows of its entity are evaluated in
    // memory. Rejected: translating unsaved changes into SQL.
    var wider = Query(entity: query.entity)
    if !reachesUnsaved {
      wider = query
      wider.offset = 0
      wider.limit = query.end.map { $0.addingOrMax(overlay.objects.count) }
      // The rows are sorted below, which makes the key text of each row. Only a limit needs the key
      // texts of the store as well.
      if wider.limit == nil, wider.hasTextOrder { wider.order = [] }
    }
    let stored = try context.stored(wider) { !overlay.covers($0) }
    let replacing = context.own(overlay)
    if reachesUnsaved { return try ordered(matching(stored + replacing)) }
    return try ordered(stored + matching(replacing))
  }

  /// The greatest number of replaced rows that a count leaves out by their ids. With more, it fetches
  /// the objects.
  private static let leftOutAtMost = 500

  /// The query for the rows that no object replaces; nil if the store cannot answer it alone.
  private var rest: Query? {
    guard !reachesUnsaved, overlay.objects.count <= Self.leftOutAtMost else { return nil }
    var rest = query
    if !overlay.isEmpty {
      let ids = Condition.isIn(
        PropertyPath(name: "id"), overlay.objects.keys.sorted().map { .integer($0) })
      rest.condition = .and([query.condition, .not(ids)].compactMap(\.self))
    }
    return rest
  }

  /// Returns the number of the query's objects.
  func count() throws -> Int {
    guard let rest, let reader = try context.currentReader() else { return try objects().count }
    let replacing = try overlay.isEmpty ? 0 : matching(context.own(overlay)).count
    guard case .integer(let stored) = try reader.aggregate(.count, of: rest) else {
      return replacing
    }
    return Int(stored) + replacing
  }

  /// Returns how many of the query's objects have each value of a column.
  func counts(by column: Int) throws -> [StoredValue: Int] {
    var counts: [StoredValue: Int] = [:]
    var rows: [GraphObject]
    if let rest, let reader = try context.currentReader() {
      counts = try reader.counts(of: rest, by: column)
      rows = try overlay.isEmpty ? [] : matching(context.own(overlay))
    } else {
      rows = try objects()
    }
    for object in rows {
      counts[try ContextRow(object, in: context).stored(column: column), default: 0] += 1
    }
    return counts
  }

  private func matching(_ objects: [GraphObject]) throws -> [GraphObject] {
    guard query.condition != nil else { return objects }
    let matcher = try Matcher(query.condition, entity: query.entity, model: context.model)
    return try matcher.matching(objects.map { ContextRow($0, in: context) }).map(\.object)
  }

  private func ordered(_ objects: [GraphObject]) throws -> [GraphObject] {
    let sorter = try Sorter(query.order, entity: query.entity, model: context.model)
    let rows = try sorter.sorted(objects.map { ContextRow($0, in: context) })
    let end = min(rows.count, query.end ?? rows.count)
    guard query.offset < end else { return [] }
    return rows[query.offset..<end].map(\.object)
  }
}

/// The objects that replace rows of the store in results, for one entity and one context. An object
/// replaces its row if it may have unsaved changes, or if others have changed the row since the
/// last merge.
struct Overlay {
  let entity: Int
  /// The objects by id. If several contexts have an object with the id, the dictionary has the
  /// object of the nearest context.
  private(set) var objects: [Int64: GraphObject] = [:]

  init(_ entity: Int, of context: ObjectContext) {
    self.entity = entity
    var level: ObjectContext? = context
    while let next = level {
      for object in next.changes.lists[entity] where object.covers && objects[object.key] == nil {
        objects[object.key] = object
      }
      level = next.parent
    }
    for key in context.merger.unmerged.heldKeys[entity] where objects[key] == nil {
      objects[key] = context.nearest(key, entity)
    }
  }

  var isEmpty: Bool { objects.isEmpty }

  func covers(_ key: Int64) -> Bool { objects[key] != nil }
}

/// A row with the values that a context shows. Filters and orders that are evaluated in memory read
/// it.
final class ContextRow: RowSource {
  let object: GraphObject
  private let context: ObjectContext

  init(_ object: GraphObject, in context: ObjectContext) {
    self.object = object
    self.context = context
  }

  var id: Int64 { object.key }

  func stored(column: Int) throws -> StoredValue {
    do {
      return try object.withValue { try object.layout.columns[column].stored(of: $0) }
    } catch is ColumnFault {
      // A store cannot hold the value, so a save will refuse it. Until then it counts as null.
      return .null
    }
  }

  func row(of entity: Int, id: Int64) throws -> ContextRow? {
    try context.graphObject(id, entity).map { ContextRow($0, in: context) }
  }

  func rows(of entity: Int, whereColumn column: Int, refersTo id: Int64) throws -> [ContextRow] {
    try context.members(entity, column, of: id).map { ContextRow($0, in: context) }
  }
}

extension ObjectContext {
  /// Returns this context's objects for those of an overlay, without the deleted ones.
  func own(_ overlay: Overlay) -> [GraphObject] {
    let table = table(overlay.entity)
    return overlay.objects.values.filter { !$0.isDeleted }.map { own($0, in: table) }
      .filter { !$0.isDeleted }
  }
}

extension Query {
  /// The end of the range of rows to return: the offset plus the limit; nil without a limit.
  fileprivate var end: Int? { limit.map { $0.addingOrMax(offset) } }

  fileprivate var hasTextOrder: Bool { order.contains { $0.textOrder != nil } }
}

extension Int {
  /// Returns the sum, or `Int.max` if the sum overflows.
  fileprivate func addingOrMax(_ other: Int) -> Int {
    let (sum, isTooMuch) = addingReportingOverflow(other)
    return isTooMuch ? .max : sum
  }
}
