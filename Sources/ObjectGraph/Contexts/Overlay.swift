/// The objects that replace rows of the store in results, for one entity and one context. An object
/// replaces its row if it may have unsaved changes, or if others have changed the row since the
/// last merge.
struct Overlay {
  /// The objects by id. If several contexts have an object with the id, the dictionary has the
  /// object of the nearest context.
  private(set) var objects: [Int64: GraphObject] = [:]

  init(_ entity: Int, of context: ObjectContext) {
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
