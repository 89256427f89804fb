import LineageTestSupport
import ObjectGraph
import Synchronization

/// A store that counts the rows read by their ids of which it was told before, and the others.
final class ExpectingStore: ForwardingStore {
  struct Counts: Equatable {
    /// The batches that were announced.
    var batches = 0
    /// The greatest of them.
    var largest = 0
    /// The reads of rows that were announced in the same moment.
    var expected = 0
    /// The reads of other rows.
    var unexpected = 0
  }

  let base: any ObjectStore
  private let counts = Mutex(Counts())

  init(_ base: any ObjectStore) { self.base = base }

  /// What was announced and read since the last time.
  func take() -> Counts {
    counts.withLock { counts in
      defer { counts = Counts() }
      return counts
    }
  }

  fileprivate func count(_ body: (inout Counts) -> Void) { counts.withLock { body(&$0) } }

  func makeReader() throws -> any StoreReader { ExpectingReader(try base.makeReader(), self) }
}

private final class ExpectingReader: ForwardingReader {
  let base: any StoreReader
  private let store: ExpectingStore
  private var expected: [Int: Set<Int64>] = [:]

  init(_ base: any StoreReader, _ store: ExpectingStore) {
    self.base = base
    self.store = store
  }

  func expect(_ ids: [Int64], of entity: Int) {
    expected[entity, default: []].formUnion(ids)
    store.count { counts in
      counts.batches += 1
      counts.largest = max(counts.largest, ids.count)
    }
  }

  func row(_ id: Int64, of entity: Int, into cells: CellRow) throws -> Bool {
    let isExpected = expected[entity]?.contains(id) ?? false
    store.count { if isExpected { $0.expected += 1 } else { $0.unexpected += 1 } }
    return try base.row(id, of: entity, into: cells)
  }

  func end() {
    expected = [:]
    base.end()
  }
}
