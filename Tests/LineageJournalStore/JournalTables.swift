import ObjectGraph

/// All rows as they are after the first `place` entries of a journal. This is a value type, so a
/// copy of it is a snapshot.
struct JournalTables {
  let model: Model
  /// The values of all rows, by the index of their entity in the model and then by id.
  private var rows: [[Int64: [StoredValue]]]
  /// The number of entries that were applied.
  private(set) var place = 0

  init(_ model: Model) {
    self.model = model
    rows = Array(repeating: [:], count: model.layouts.count)
  }

  /// The values of the row with an id; nil if there is no such row.
  subscript(entity: Int, id: Int64) -> [StoredValue]? { rows[entity][id] }

  /// Returns all rows of an entity, in no particular order.
  func all(of entity: Int) -> [JournalRow] {
    rows[entity].map { JournalRow(tables: self, id: $0.key, values: $0.value) }
  }

  mutating func apply(_ entry: Journal.Entry) {
    for change in entry { rows[change.entity][change.id] = change.values }
    place += 1
  }

  /// Returns the rows that match a query, in the query's order. Limit and offset are not applied.
  func matches(_ query: Query, _ cancellation: ReadCancellation) throws -> [JournalRow] {
    let matcher = try Matcher(query.condition, entity: query.entity, model: model)
    let sorter = try Sorter(query.order, entity: query.entity, model: model)
    let findings = Matcher.Findings()
    return try sorter.sorted(
      try all(of: query.entity).filter { row in
        if cancellation.isCancelled {
          throw GraphError("fetch \(model.layouts[query.entity].name)", .cancelled)
        }
        return try matcher.matches(row, findings)
      })
  }
}

/// A row, with the tables that contain its related rows.
struct JournalRow: RowSource {
  let tables: JournalTables
  let id: Int64
  let values: [StoredValue]

  func stored(column: Int) -> StoredValue { values[column] }

  func row(of entity: Int, id: Int64) -> JournalRow? {
    tables[entity, id].map { JournalRow(tables: tables, id: id, values: $0) }
  }

  func rows(of entity: Int, whereColumn column: Int, refersTo id: Int64) -> [JournalRow] {
    tables.all(of: entity).filter { $0.values[column] == .integer(id) }
  }
}
