/// All rows of a memory store at one moment: a value, so that a copy is a snapshot.
struct MemoryTables {
  let model: Model
  /// For each entity, its rows by id.
  var rows: [[Int64: [Stored]]]

  init(_ model: Model) {
    self.model = model
    rows = Array(repeating: [:], count: model.layouts.count)
  }

  /// The rows of a query, before limit and offset.
  func matches(_ query: Query) throws -> [MemoryRow] {
    let matcher = try Matcher(query.condition, entity: query.entity, model: model)
    let sorter = try Sorter(query.order, entity: query.entity, model: model)
    return try sorter.sorted(try all(of: query.entity).filter { try matcher.matches($0) })
  }

  private func all(of entity: Int) -> [MemoryRow] {
    rows[entity].map { MemoryRow(tables: self, id: $0.key, values: $0.value) }
  }
}

/// One row, and the tables in which its relations are followed.
struct MemoryRow: RowSource {
  let tables: MemoryTables
  let id: Int64
  let values: [Stored]

  func stored(column: Int) -> Stored { values[column] }

  func row(of entity: Int, id: Int64) -> MemoryRow? {
    tables.rows[entity][id].map { MemoryRow(tables: tables, id: id, values: $0) }
  }

  func rows(of entity: Int, whereColumn column: Int, refersTo id: Int64) -> [MemoryRow] {
    tables.rows[entity].filter { $0.value[column] == .integer(id) }
      .map { MemoryRow(tables: tables, id: $0.key, values: $0.value) }
  }
}
