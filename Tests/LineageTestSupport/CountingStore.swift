package import ObjectGraph

import Synchronization

/// A store that counts all calls to another, and fails when told.
package final class CountingStore: ForwardingStore {
  /// The calls to a store since they were taken last.
  package struct Counts: Equatable, Sendable {
    /// The reads and the commits.
    package var calls = Calls()
    /// The rows that the reader was told of before they were read, and those it was not.
    package var announcements = Announcements()
    /// The moments that were begun.
    package var moments = 0
  }

  /// The reads of a store and the commits to it, also those that failed.
  package struct Calls: Equatable, Sendable {
    /// The rows that were given to queries.
    package var rows: Int
    /// The rows that were asked for by their ids.
    package var lookups: Int
    /// The queries whose rows were asked for.
    package var queries: Int
    /// The figures that were asked for.
    package var figures: Int
    /// The commits that were tried.
    package var commits: Int

    package init(
      rows: Int = 0, lookups: Int = 0, queries: Int = 0, figures: Int = 0, commits: Int = 0
    ) {
      (self.rows, self.lookups, self.queries) = (rows, lookups, queries)
      (self.figures, self.commits) = (figures, commits)
    }

    /// The rows that were read, by queries and by ids.
    package var readRows: Int { rows + lookups }
  }

  /// The rows that a store was told of, compared with those that were then read by their ids.
  package struct Announcements: Equatable, Sendable {
    /// The batches of ids that were announced.
    package var batches: Int
    /// The size of the greatest batch.
    package var largest: Int
    /// The reads of rows that were announced in the same moment.
    package var expected: Int
    /// The reads of other rows.
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

  /// Returns the counts since the last call.
  package func take() -> Counts {
    counts.withLock { counts in
      defer { counts = Counts() }
      return counts
    }
  }

  /// Lets all reads fail with the error from now on, or none if it is nil.
  ///
  /// With `onlyQueries`, rows can still be read by their ids.
  package func fail(with error: GraphError?, onlyQueries: Bool = false) {
    failure.withLock { $0 = error.map { Failure(error: $0, isOfQueriesOnly: onlyQueries) } }
  }

  package func makeReader() throws -> any StoreReader {
    CountingReader(try base.makeReader(), self)
  }

  package func commit(
    _ writes: [Write], from inbox: Inbox?, settling: ((CommitConflict) throws -> [Write])?
  ) throws {
    count { $0.calls.commits += 1 }
    try base.commit(writes, from: inbox, settling: settling)
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

  func expect(_ ids: [Int64], of entity: Int) {
    announced[entity, default: []].formUnion(ids)
    store.count { counts in
      counts.announcements.batches += 1
      counts.announcements.largest = max(counts.announcements.largest, ids.count)
    }
    base.expect(ids, of: entity)
  }

  func aggregate(_ aggregate: Aggregate, of query: Query) throws -> StoredValue {
    store.count { $0.calls.figures += 1 }
    try store.check(isQuery: true)
    return try base.aggregate(aggregate, of: query)
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
