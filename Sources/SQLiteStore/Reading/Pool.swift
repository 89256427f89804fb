import ObjectGraph
import Synchronization

/// The connections that read, lent to one reader at a time.
final class Pool: Sendable {
  private struct State {
    var idle: [Connection] = []
    /// Those that exist, idle or lent.
    var count = 1
    var onEnd: (@Sendable () -> Void)?
  }

  private let path: String
  private let mode: Connection.Mode
  /// Seconds that each connection waits for others.
  let timeout: Double
  private let state = Mutex(State())
  private let closed = Atomic(false)
  private let tableCount: Int
  /// More than these are closed when they come back.
  private let keeps = 8

  init(path: String, mode: Connection.Mode, timeout: Double, tableCount: Int, first: Connection) {
    self.path = path
    self.mode = mode
    self.timeout = timeout
    self.tableCount = tableCount
    first.rows = Array(repeating: nil, count: tableCount)
    state.withLock { $0.idle.append(first) }
  }

  /// Read by each step of a cursor.
  @inline(__always)
  var isClosed: Bool { closed.load(ordering: .relaxed) }

  func take() throws -> Connection {
    guard !isClosed else { throw GraphError("read", .closed) }
    return try state.withLock { $0.idle.popLast() } ?? make()
  }

  /// A new connection, to be given back or ended.
  func make() throws -> Connection {
    guard !isClosed else { throw GraphError("read", .closed) }
    let connection = try Connection(path: path, mode: mode, waiting: timeout)
    connection.rows = Array(repeating: nil, count: tableCount)
    state.withLock { $0.count += 1 }
    return connection
  }

  func give(back connection: Connection) {
    let isKept = state.withLock { state in
      guard !isClosed, state.idle.count < keeps else { return false }
      state.idle.append(connection)
      return true
    }
    if !isKept { end(connection) }
  }

  /// What the connections that nobody uses at the moment have done.
  var counted: Counts {
    state.withLock { $0.idle.reduce(Counts()) { $0 + $1.counted } }
  }

  /// Lends a connection for as long as a closure runs.
  func with<R>(_ body: (Connection) throws -> R) throws -> R {
    let connection = try take()
    defer { give(back: connection) }
    return try body(connection)
  }

  /// Those that are lent are closed when they come back; after the last, the closure is called.
  func close(_ onEnd: @escaping @Sendable () -> Void) {
    closed.store(true, ordering: .relaxed)
    let idle = state.withLock { state in
      // One more than there are, so that the end comes after this function's own work.
      state.count += 1
      state.onEnd = onEnd
      defer { state.idle = [] }
      return state.idle
    }
    for connection in idle { end(connection) }
    end(nil)
  }

  /// Closes a connection instead of giving it back.
  func end(_ connection: Connection?) {
    connection?.close()
    let onEnd = state.withLock { state -> (@Sendable () -> Void)? in
      state.count -= 1
      guard isClosed, state.count == 0 else { return nil }
      defer { state.onEnd = nil }
      return state.onEnd
    }
    onEnd?()
  }
}
