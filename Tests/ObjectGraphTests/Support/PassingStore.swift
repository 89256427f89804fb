import LineageTestSupport
import ObjectGraph
import Synchronization

/// A store that runs a closure once during a read. The closure commits to the base store at the
/// worst possible time.
final class PassingStore: ForwardingStore {
  /// The time at which the closure runs.
  enum Time {
    /// The time when a moment has begun, but the context has not asked for others' commits yet.
    case afterBeginning
    /// The time when a row is read by its id. The reader ends the moment before the closure runs.
    case beforeRow
  }

  let base: any ObjectStore
  private let waiting = Mutex<(time: Time, body: @Sendable () throws -> Void)?>(nil)

  init(_ base: any ObjectStore) { self.base = base }

  /// Sets the closure that runs once, the next time that `time` comes.
  func pass(_ time: Time, _ body: @escaping @Sendable () throws -> Void) {
    waiting.withLock { $0 = (time, body) }
  }

  func makeReader() throws -> any StoreReader { PassingReader(try base.makeReader(), self) }

  /// Removes the closure and returns it if its time has come. Otherwise returns nil.
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
