import ObjectGraph

/// All rows at one place of a journal, made from its entries: a value, so that a copy is a snapshot.
struct JournalTables {
  let model: Model
  /// For each entity, its rows by id.
  private var rows: [[Int64: [StoredValue]]]
  /// The number of entries of which it is made.
  private(set) var place = 0

  init(_ model: Model) {
    self.model = model
    rows = Array(repeating: [:], count: model.layouts.count)
  }

  /// A row; nil if there is none.
  subscript(entity: Int, id: Int64) -> [StoredValue]? { rows[entity][id] }

  /// Returns all rows of an entity, in no order.
  func all(of entity: Int) -> [JournalRow] {
    rows[entity].map { JournalRow(tables: self, id: $0.key, values: $0.value) }
  }

  mutating func apply(_ entry: Journal.Entry) {
    for change in entry { rows[change.entity][change.id] = change.values }
    place += 1
  }

  /// Returns the rows of a query, before limit and offset.
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

/// One row, and the tables in which its relations are followed.
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
