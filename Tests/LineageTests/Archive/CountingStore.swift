import LineageTestSupport
import ObjectGraph
import Synchronization

/// A memory store that counts what is read of it, and can refuse to read.
final class CountingStore: ForwardingStore {
  let base: any ObjectStore
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

  func makeReader() throws -> any StoreReader { Reader(base: try base.makeReader(), store: self) }

  private func check() throws {
    if let failure = failure.withLock({ $0 }) { throw failure }
  }

  private final class Reader: ForwardingReader {
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
  }
}
