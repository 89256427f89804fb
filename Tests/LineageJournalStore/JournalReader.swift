import ObjectGraph

/// A reader of a journal's rows. Its first read begins a moment, which shows the rows of that time.
///
/// The rows of one call of `announce(_:of:)` are fetched by one request to the journal. Each other
/// row needs a request of its own.
final class JournalReader: StoreReader {
  private let store: JournalStore
  private var snapshot: JournalTables?
  private(set) var moment = 0
  private var lastMoment = 0
  private var terms = ReadTerms()
  /// The ids of the rows that were announced in this moment, stored under the indices of their
  /// entities.
  private var fetched: [Int: Set<Int64>] = [:]
  private let arena = CellArena()

  init(of store: JournalStore) { self.store = store }

  private var tables: JournalTables {
    if let snapshot { return snapshot }
    let tables = store.currentTables()
    snapshot = tables
    lastMoment += 1
    moment = lastMoment
    return tables
  }

  func begin() {
    _ = tables
    store.wake()
  }

  func end() {
    snapshot = nil
    moment = 0
    fetched = [:]
  }

  func setTerms(_ terms: ReadTerms) { self.terms = terms }

  func announce(_ ids: [Int64], of entity: Int) {
    store.journal.countTrip()
    fetched[entity, default: []].formUnion(ids)
  }

  func row(_ id: Int64, of entity: Int, into cells: CellRow) -> Bool {
    if fetched[entity]?.contains(id) != true { store.journal.countTrip() }
    guard let values = tables[entity, id] else { return false }
    cells.load(values, arena)
    return true
  }

  func cursor(_ query: Query) throws -> any RowCursor {
    store.journal.countTrip()
    let rows = try tables.matches(query, ReadCancellation(terms)).dropFirst(max(query.offset, 0))
    return JournalCursor(Array(rows.prefix(max(query.limit ?? .max, 0))))
  }

  func aggregate(_ aggregate: Aggregate, of query: Query) throws -> StoredValue {
    store.journal.countTrip()
    let tables = tables
    var query = query
    query.order = []
    return try aggregate.figure(
      over: try tables.matches(query, ReadCancellation(terms)), query.entity, tables.model)
  }

  func counts(of query: Query, by column: Int) throws -> [StoredValue: Int] {
    store.journal.countTrip()
    var query = query
    query.order = []
    return try tables.matches(query, ReadCancellation(terms)).reduce(into: [:]) { counts, row in
      counts[row.values[column], default: 0] += 1
    }
  }
}

/// A cursor over the rows that a query found.
final class JournalCursor: RowCursor {
  private var rest: ArraySlice<JournalRow>
  private var current: JournalRow?
  private let arena = CellArena()

  init(_ rows: [JournalRow]) { rest = rows[...] }

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
