package import ObjectGraph

import Synchronization

/// A store that forwards all calls to its base store and counts them. A test can make its reads
/// fail.
package final class CountingStore: ForwardingStore {
  /// The counts of calls to a store since the last `take()`.
  package struct Counts: Equatable, Sendable {
    /// The counts of reads and commits.
    package var calls = Calls()
    /// The counts of announced rows, and of reads with and without an announcement.
    package var announcements = Announcements()
    /// The number of moments that the readers began.
    package var moments = 0
  }

  /// The counts of reads and commits of a store, including failed ones.
  package struct Calls: Equatable, Sendable {
    /// The number of rows that queries returned.
    package var rows: Int
    /// The number of reads of a row by its id.
    package var lookups: Int
    /// The number of queries for rows.
    package var queries: Int
    /// The number of aggregates that were requested.
    package var figures: Int
    /// The number of commits that were attempted.
    package var commits: Int

    package init(
      rows: Int = 0, lookups: Int = 0, queries: Int = 0, figures: Int = 0, commits: Int = 0
    ) {
      (self.rows, self.lookups, self.queries) = (rows, lookups, queries)
      (self.figures, self.commits) = (figures, commits)
    }

    /// The number of rows that were read, by queries and by ids.
    package var readRows: Int { rows + lookups }
  }

  /// The counts of rows that were announced with `announce(_:of:)`, and of the reads of rows by id.
  package struct Announcements: Equatable, Sendable {
    /// The number of announcements. Each of them is a batch of ids.
    package var batches: Int
    /// The number of ids in the largest announcement.
    package var largest: Int
    /// The number of reads by id of a row that was announced in the same moment.
    package var expected: Int
    /// The number of reads by id of a row that was not announced in the same moment.
    package var unexpected: Int

    package init(batches: Int = 0, largest: Int = 0, expected: Int = 0, unexpected: Int = 0) {
      (self.batches, self.largest) = (batches, largest)
      (self.expected, self.unexpected) = (expected, unexpected)
    }
  }

  package let base: any ObjectStore
  private let counts = Mutex(Counts())
  private let failure = Mutex<Failure?>(nil)

  private struct Failure {
    let error: GraphError
    let isOfQueriesOnly: Bool
  }

  package init(_ base: any ObjectStore) { self.base = base }

  /// Returns the counts since the last call of this function.
  package func take() -> Counts {
    counts.withLock { counts in
      defer { counts = Counts() }
      return counts
    }
  }

  /// Makes all later reads throw the error. If the error is nil, reads succeed again.
  ///
  /// If `onlyQueries` is true, reads of a row by its id still succeed.
  package func fail(with error: GraphError?, onlyQueries: Bool = false) {
    failure.withLock { $0 = error.map { Failure(error: $0, isOfQueriesOnly: onlyQueries) } }
  }

  package func makeReader() throws -> any StoreReader {
    CountingReader(try base.makeReader(), self)
  }

  package func commit(
    _ writes: [Write], _ receipts: [Receipt], from inbox: Inbox?, resolving: ConflictResolver?
  ) throws {
    count { $0.calls.commits += 1 }
    try base.commit(writes, receipts, from: inbox, resolving: resolving)
  }

  fileprivate func count(_ body: (inout Counts) -> Void) { counts.withLock { body(&$0) } }

  fileprivate func check(isQuery: Bool) throws {
    guard let failure = failure.withLock({ $0 }) else { return }
    if isQuery || !failure.isOfQueriesOnly { throw failure.error }
  }
}

private final class CountingReader: ForwardingReader {
  let base: any StoreReader
  private let store: CountingStore
  private var announced: [Int: Set<Int64>] = [:]

  init(_ base: any StoreReader, _ store: CountingStore) { (self.base, self.store) = (base, store) }

  func cursor(_ query: Query) throws -> any RowCursor {
    store.count { $0.calls.queries += 1 }
    try store.check(isQuery: true)
    return CountingCursor(try base.cursor(query), store)
  }

  func row(_ id: Int64, of entity: Int, into cells: CellRow) throws -> Bool {
    let isExpected = announced[entity]?.contains(id) ?? false
    store.count { counts in
      counts.calls.lookups += 1
      counts.announcements.expected += isExpected ? 1 : 0
      counts.announcements.unexpected += isExpected ? 0 : 1
    }
    try store.check(isQuery: false)
    return try base.row(id, of: entity, into: cells)
  }

  func announce(_ ids: [Int64], of entity: Int) {
    announced[entity, default: []].formUnion(ids)
    store.count { counts in
      counts.announcements.batches += 1
      counts.announcements.largest = max(counts.announcements.largest, ids.count)
    }
    base.announce(ids, of: entity)
  }

  func aggregate(_ aggregate: Aggregate, of query: Query) throws -> StoredValue {
    store.count { $0.calls.figures += 1 }
    try store.check(isQuery: true)
    return try base.aggregate(aggregate, of: query)
  }

  func counts(of query: Query, by column: Int) throws -> [StoredValue: Int] {
    store.count { $0.calls.figures += 1 }
    try store.check(isQuery: true)
    return try base.counts(of: query, by: column)
  }

  func begin() throws {
    store.count { $0.moments += 1 }
    try base.begin()
  }

  func end() {
    announced = [:]
    base.end()
  }
}

private final class CountingCursor: ForwardingCursor {
  let base: any RowCursor
  private let store: CountingStore

  init(_ base: any RowCursor, _ store: CountingStore) { (self.base, self.store) = (base, store) }

  func next() throws -> Int64? {
    guard let key = try base.next() else { return nil }
    store.count { $0.calls.rows += 1 }
    try store.check(isQuery: false)
    return key
  }
}
