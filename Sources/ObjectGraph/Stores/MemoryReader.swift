/// A reader of a memory store. Its first read begins a moment (read transaction), which shows the
/// rows that the store has at that time.
final class MemoryReader: StoreReader {
  private let store: MemoryStore
  private var snapshot: MemoryTables?
  private(set) var moment = 0
  private var lastMoment = 0
  /// The number of the last moment whose news was posted.
  private var heard = 0
  private let arena = CellArena()
  private var terms = ReadTerms()

  init(of store: MemoryStore) { self.store = store }

  private var tables: MemoryTables {
    if let snapshot { return snapshot }
    let tables = store.snapshot
    snapshot = tables
    lastMoment += 1
    moment = lastMoment
    return tables
  }

  /// Begins a moment. A commit posts its news before it ends, so the store waits for one that is
  /// under way and is in the tables already.
  func begin() throws {
    if snapshot != nil, moment == heard { return }
    _ = tables
    try store.postForeignCommits()
    heard = moment
  }

  func end() {
    snapshot = nil
    moment = 0
  }

  func setTerms(_ terms: ReadTerms) { self.terms = terms }

  func cursor(_ query: Query) throws -> any RowCursor {
    let rows = try tables.matches(query, ReadCancellation(terms)).dropFirst(max(query.offset, 0))
    return MemoryCursor(Array(rows.prefix(max(query.limit ?? .max, 0))))
  }

  func row(_ id: Int64, of entity: Int, into cells: CellRow) -> Bool {
    guard let values = tables[entity, id] else { return false }
    cells.load(values, arena)
    return true
  }

  func aggregate(_ aggregate: Aggregate, of query: Query) throws -> StoredValue {
    var query = query
    query.order = []
    return try aggregate.figure(
      over: try tables.matches(query, ReadCancellation(terms)), query.entity, tables.model)
  }

  func counts(of query: Query, by column: Int) throws -> [StoredValue: Int] {
    var query = query
    query.order = []
    return try tables.matches(query, ReadCancellation(terms)).reduce(into: [:]) { counts, row in
      counts[row.values[column], default: 0] += 1
    }
  }

  func readRows(of _: [StatementPiece]) throws -> any StatementRows {
    let advice = "a store in memory runs no SQL; use SQLiteStore.temporary(_:) instead"
    throw GraphError("run a statement", .statement(advice))
  }
}

/// A cursor over the rows that a query found.
final class MemoryCursor: RowCursor {
  private var rest: ArraySlice<MemoryRow>
  private var current: MemoryRow?
  private let arena = CellArena()

  init(_ rows: [MemoryRow]) { rest = rows[...] }

  func next() -> Int64? {
    current = rest.popFirst()
    return current?.id
  }

  func load(into cells: CellRow) {
    if let current { cells.load(current.values, arena) }
  }

  func close() {
    rest = []
    current = nil
  }
}
