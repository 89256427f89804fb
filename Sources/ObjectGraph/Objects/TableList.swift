/// The tables of a context, one for each entity that has had objects in it.
///
/// The context holds the list in a constant, and the list checks no exclusivity, so that a lookup
/// by id is fast (benchmark `identity hit`). This is safe because no other code runs while the list
/// is read or written. A table is never replaced, so a write releases nothing.
@safe
final class TableList {
  @exclusivity(unchecked) @safe private var tables: [AnyTable?]

  /// Creates a list from an array that has one element for each entity: its table, or nil.
  init(_ tables: [AnyTable?]) { self.tables = tables }

  /// The table of an entity; nil if the context has had no object of the entity.
  @inline(__always)
  subscript(entity: Int) -> AnyTable? { tables[entity] }

  /// Adds the table of an entity that has none.
  func add(_ table: AnyTable) {
    precondition(tables[table.entity] == nil, "an entity has one table")
    tables[table.entity] = table
  }

  /// Calls the closure with each table, ordered by the index of its entity.
  func forEach(_ body: (AnyTable) -> Void) {
    for entity in tables.indices {
      if let table = tables[entity] { body(table) }
    }
  }

  /// The tables, ordered by the index of their entity.
  var all: [AnyTable] { tables.compactMap(\.self) }
}
