import ObjectGraph
import Synchronization

/// A memory store that counts what is read of it, and can refuse to read.
final class CountingStore: ObjectStore {
  private let base: MemoryStore
  private let counts = Mutex((cursors: 0, rows: 0))
  private let failure = Mutex<GraphError?>(nil)

  init(_ entities: [any Entity.Type]) throws { base = try MemoryStore(entities) }

  /// Queries since the last call, and single rows.
  func takeCounts() -> (cursors: Int, rows: Int) {
    counts.withLock { counts in
      defer { counts = (0, 0) }
      return counts
    }
  }

  /// From now on all reading throws.
  func fail(with error: GraphError?) { failure.withLock { $0 = error } }

  func makeContext() -> ObjectContext { ObjectContext(store: self) }

  var id: String { base.id }
  var model: Model { base.model }
  func makeReader() throws -> any StoreReader { Reader(base: try base.makeReader(), store: self) }
  func commit(
    _ writes: [Write], from inbox: Inbox?, settling: ((CommitConflict) throws -> [Write])?
  ) throws {
    try base.commit(writes, from: inbox, settling: settling)
  }
  func subscribe(_ inbox: Inbox) { base.subscribe(inbox) }
  func lookForOthers() throws {}

  private func check() throws {
    if let failure = failure.withLock({ $0 }) { throw failure }
  }

  private final class Reader: StoreReader {
    let base: any StoreReader
    let store: CountingStore

    init(base: any StoreReader, store: CountingStore) { (self.base, self.store) = (base, store) }

    func cursor(_ query: Query) throws -> any RowCursor {
      store.counts.withLock { $0.cursors += 1 }
      try store.check()
      return try base.cursor(query)
    }

    func row(_ id: Int64, of entity: Int, into cells: CellRow) throws -> Bool {
      store.counts.withLock { $0.rows += 1 }
      try store.check()
      return try base.row(id, of: entity, into: cells)
    }

    func aggregate(_ aggregate: Aggregate, of query: Query) throws -> Stored {
      try base.aggregate(aggregate, of: query)
    }

    var moment: Int { base.moment }
    func begin() throws { try base.begin() }
    func end() { base.end() }
  }
}
