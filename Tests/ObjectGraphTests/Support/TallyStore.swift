import LineageTestSupport
import ObjectGraph
import Synchronization

/// A store that counts what is read of another.
final class TallyStore: ForwardingStore {
  struct Counts: Equatable {
    var rows = 0
    var lookups = 0
    var queries = 0
    var figures = 0
    var commits = 0
  }

  let base: any ObjectStore
  private let counts = Mutex(Counts())

  init(_ base: any ObjectStore) { self.base = base }

  /// What was read since the last time.
  func take() -> Counts {
    counts.withLock { counts in
      defer { counts = Counts() }
      return counts
    }
  }

  fileprivate func add(_ path: WritableKeyPath<Counts, Int>) {
    counts.withLock { $0[keyPath: path] += 1 }
  }

  func makeReader() throws -> any StoreReader { TallyReader(try base.makeReader(), self) }
  func commit(
    _ writes: [Write], from inbox: Inbox?, settling: ((CommitConflict) throws -> [Write])?
  ) throws {
    add(\.commits)
    try base.commit(writes, from: inbox, settling: settling)
  }
}

private final class TallyReader: ForwardingReader {
  let base: any StoreReader
  let store: TallyStore

  init(_ base: any StoreReader, _ store: TallyStore) {
    self.base = base
    self.store = store
  }

  func cursor(_ query: Query) throws -> any RowCursor {
    store.add(\.queries)
    return TallyCursor(try base.cursor(query), store)
  }

  func row(_ id: Int64, of entity: Int, into cells: CellRow) throws -> Bool {
    store.add(\.lookups)
    return try base.row(id, of: entity, into: cells)
  }

  func aggregate(_ aggregate: Aggregate, of query: Query) throws -> StoredValue {
    store.add(\.figures)
    return try base.aggregate(aggregate, of: query)
  }
}

private final class TallyCursor: ForwardingCursor {
  let base: any RowCursor
  let store: TallyStore

  init(_ base: any RowCursor, _ store: TallyStore) {
    self.base = base
    self.store = store
  }

  func next() throws -> Int64? {
    let id = try base.next()
    if id != nil { store.add(\.rows) }
    return id
  }
}
