import LineageTestSupport
import ObjectGraph
import Synchronization

/// A store of which somebody else makes use at the worst moment, when told: a closure runs, once.
final class PassingStore: ForwardingStore {
  /// When the closure runs.
  enum Time {
    /// When a moment has begun, before the context asks for others' commits.
    case afterBeginning
    /// When a row is read by its id; the moment ends before it.
    case beforeRow
  }

  let base: any ObjectStore
  private let waiting = Mutex<(time: Time, body: @Sendable () throws -> Void)?>(nil)

  init(_ base: any ObjectStore) { self.base = base }

  /// Has the closure run the next time.
  func pass(_ time: Time, _ body: @escaping @Sendable () throws -> Void) {
    waiting.withLock { $0 = (time, body) }
  }

  func makeReader() throws -> any StoreReader { PassingReader(try base.makeReader(), self) }

  /// Takes out the closure and returns it, if this is its time.
  fileprivate func take(_ time: Time) -> (@Sendable () throws -> Void)? {
    waiting.withLock { waiting in
      guard let (due, body) = waiting, due == time else { return nil }
      waiting = nil
      return body
    }
  }
}

private final class PassingReader: ForwardingReader {
  let base: any StoreReader
  private let store: PassingStore

  init(_ base: any StoreReader, _ store: PassingStore) { (self.base, self.store) = (base, store) }

  func begin() throws {
    try base.begin()
    try store.take(.afterBeginning)?()
  }

  func row(_ id: Int64, of entity: Int, into cells: CellRow) throws -> Bool {
    if let body = store.take(.beforeRow) {
      base.end()
      try body()
    }
    return try base.row(id, of: entity, into: cells)
  }
}
