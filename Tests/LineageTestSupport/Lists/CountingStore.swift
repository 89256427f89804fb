package import ObjectGraph

import Synchronization

/// Another store that counts what is read from it, and fails when told.
package final class CountingStore: ForwardingStore {
  package let base: any ObjectStore
  private let rows = Atomic<Int>(0)
  private let moments = Atomic<Int>(0)
  private let failure = Mutex<Failure?>(nil)

  private struct Failure {
    let error: GraphError
    let isOfQueriesOnly: Bool
  }

  package init(_ base: any ObjectStore) { self.base = base }

  /// The rows read since the last time this was asked.
  package func takeCount() -> Int { rows.exchange(0, ordering: .relaxed) }

  /// The moments begun since the last time this was asked.
  package func takeMomentCount() -> Int { moments.exchange(0, ordering: .relaxed) }

  /// From now on all reading fails with this error, or only that of queries, while rows can still be
  /// read by their ids; with none, no more.
  package func fail(with error: GraphError?, onlyQueries: Bool = false) {
    failure.withLock { $0 = error.map { Failure(error: $0, isOfQueriesOnly: onlyQueries) } }
  }

  package func makeReader() throws -> any StoreReader {
    CountingReader(try base.makeReader(), self)
  }

  fileprivate func countMoment() { moments.add(1, ordering: .relaxed) }

  fileprivate func countRow() throws {
    try check(isQuery: false)
    rows.add(1, ordering: .relaxed)
  }

  fileprivate func check(isQuery: Bool) throws {
    guard let failure = failure.withLock({ $0 }) else { return }
    if isQuery || !failure.isOfQueriesOnly { throw failure.error }
  }
}

private final class CountingReader: ForwardingReader {
  let base: any StoreReader
  private let store: CountingStore

  init(_ base: any StoreReader, _ store: CountingStore) { (self.base, self.store) = (base, store) }

  func cursor(_ query: Query) throws -> any RowCursor {
    try store.check(isQuery: true)
    return CountingCursor(try base.cursor(query), store)
  }

  func row(_ id: Int64, of entity: Int, into cells: CellRow) throws -> Bool {
    try store.countRow()
    return try base.row(id, of: entity, into: cells)
  }

  func aggregate(_ aggregate: Aggregate, of query: Query) throws -> StoredValue {
    try store.check(isQuery: true)
    return try base.aggregate(aggregate, of: query)
  }

  func begin() throws {
    store.countMoment()
    try base.begin()
  }
}

private final class CountingCursor: ForwardingCursor {
  let base: any RowCursor
  private let store: CountingStore

  init(_ base: any RowCursor, _ store: CountingStore) { (self.base, self.store) = (base, store) }

  func next() throws -> Int64? {
    guard let key = try base.next() else { return nil }
    try store.countRow()
    return key
  }
}
