import ObjectGraph
import Synchronization

/// The connections for reading. Each is used by at most one reader at a time.
///
/// An idle context keeps the moment of its last read, and with it a connection that has two file
/// descriptors. So the pool shares at most eight connections among all readers. A ninth reader gets
/// the connection of the moment that has been idle longest, and that moment ends. If all eight are
/// in use, the pool opens another connection, and closes it after its use. One connection for each
/// context was rejected, because some 500 idle contexts would use up a process's descriptors.
final class Pool: Sendable {
  private struct PoolState {
    var idle: [Connection] = []
    var lent: [Lease] = []
    /// The number of connections that are idle in the pool or lent to a reader.
    var shared = 1
    /// The number of all open connections, including the connections for long work.
    var count = 1
    var onEnd: (@Sendable () -> Void)?

    mutating func returned(by moment: ObjectIdentifier?) {
      if let moment, let place = lent.firstIndex(where: { $0.identity == moment }) {
        lent.swapAt(place, lent.count - 1)
        lent.removeLast()
      }
    }
  }

  /// A moment to which a connection is lent.
  private struct Lease {
    weak var moment: ReadTransaction?
    /// The identity of the moment. During the moment's deinit, the weak reference is already nil.
    let identity: ObjectIdentifier

    init(_ moment: ReadTransaction) {
      self.moment = moment
      identity = ObjectIdentifier(moment)
    }
  }

  private enum Choice {
    case idle(Connection)
    /// A connection that is not open yet: the pool has no idle connection and may open another one.
    case further
    case taken([ReadTransaction])
  }

  private let path: String
  private let mode: Connection.Mode
  /// The longest time that a connection waits for a lock of another connection, in seconds.
  let timeout: Double
  private let state = Mutex(PoolState())
  private let closed = Atomic(false)
  /// A clock that orders the reads of all moments. It advances when a read belongs to another
  /// moment than the previous read. A moment without any read has the time zero.
  private let clock = Atomic<UInt64>(1)
  private let tableCount: Int
  /// The maximum number of shared connections. The pool exceeds it only while all of them are in
  /// use.
  static let limit = 8

  init(path: String, mode: Connection.Mode, timeout: Double, tableCount: Int, first: Connection) {
    self.path = path
    self.mode = mode
    self.timeout = timeout
    self.tableCount = tableCount
    first.rows = Array(repeating: nil, count: tableCount)
    state.withLock { $0.idle.append(first) }
  }

  /// Whether the store was closed. Each step of a cursor checks this.
  @inline(__always)
  var isClosed: Bool { closed.load(ordering: .relaxed) }

  /// Returns the time for a new read of a moment. `last` is the time of the moment's previous read.
  /// It is returned unchanged if no other moment was read since. The pool compares these times to
  /// find the moment that has been idle longest.
  @inline(__always)
  func time(after last: UInt64) -> UInt64 {
    // Repeated reads of one moment only load the clock, so few threads write to it.
    if clock.load(ordering: .relaxed) == last { return last }
    return clock.add(1, ordering: .relaxed).newValue
  }

  /// The number of connections that are idle or lent, for tests.
  var sharedCount: Int { state.withLock { $0.shared } }

  /// The moments that have a connection.
  var moments: [ReadTransaction] { state.withLock { $0.lent.compactMap(\.moment) } }

  // MARK: Lending

  /// Returns a connection for a moment, or for a short piece of work if `moment` is nil. The caller
  /// must give it back with ``give(back:of:)``.
  func take(for moment: ReadTransaction?) throws -> Connection {
    let choice = try state.withLock { state -> Choice in
      guard !isClosed else { throw GraphError("read", .closed) }
      // The lease is added at once, so that a store that closes meanwhile finds the moment.
      let others = state.lent.count
      if let moment { state.lent.append(Lease(moment)) }
      if let connection = state.idle.popLast() { return .idle(connection) }
      if state.shared >= Self.limit {
        return .taken(state.lent.prefix(others).compactMap(\.moment))
      }
      state.shared += 1
      state.count += 1
      return .further
    }
    do {
      switch choice {
      case .idle(let connection): return connection
      case .further: return try openCounted()
      case .taken(let moments):
        if let connection = takeOver(from: moments) { return connection }
        state.withLock { state in
          state.shared += 1
          state.count += 1
        }
        return try openCounted()
      }
    } catch {
      state.withLock { $0.returned(by: moment.map { ObjectIdentifier($0) }) }
      throw error
    }
  }

  /// Opens a connection that the pool has counted already.
  private func openCounted() throws -> Connection {
    do {
      return try open()
    } catch {
      state.withLock { $0.shared -= 1 }
      discard(nil)
      // Perhaps no descriptor is left. Then the connection of an idle context is used instead.
      if let connection = takeOver(from: moments) { return connection }
      throw error
    }
  }

  /// Ends the moment that has been idle longest, and returns its connection. Returns nil if all
  /// moments are in use.
  private func takeOver(from moments: [ReadTransaction]) -> Connection? {
    let byTime = moments.map { (time: $0.lastRead, moment: $0) }.sorted { $0.time < $1.time }
    // Each moment is asked for its connection outside the pool's lock. A moment that is in use or
    // has a hold refuses.
    for (_, moment) in byTime {
      guard let connection = moment.endAndTakeConnection() else { continue }
      state.withLock { $0.returned(by: ObjectIdentifier(moment)) }
      return connection
    }
    return nil
  }

  /// Takes back a connection from ``take(for:)``. Closes the connection if there are more than
  /// ``limit`` shared connections.
  func give(back connection: Connection, of moment: ObjectIdentifier?) {
    // A connection is not kept if SQLite has opened it for reading only, although the mode allows
    // writing. The next connection may not have this limitation.
    let isGood = mode.isForReadingOnly || !connection.handle.isReadOnly
    let isKept = state.withLock { state in
      state.returned(by: moment)
      guard isGood, !isClosed, state.shared <= Self.limit else {
        state.shared -= 1
        return false
      }
      state.idle.append(connection)
      return true
    }
    if !isKept { discard(connection) }
  }

  /// Calls a closure with a connection from the pool.
  func with<R>(_ body: (Connection) throws -> R) throws -> R {
    let connection = try take(for: nil)
    defer { give(back: connection, of: nil) }
    return try body(connection)
  }

  /// Opens a connection for long work, in addition to the shared ones. The caller must close it
  /// with ``end(_:)``.
  func openUncounted() throws -> Connection {
    try state.withLock { state in
      guard !isClosed else { throw GraphError("read", .closed) }
      state.count += 1
    }
    do {
      return try open()
    } catch {
      discard(nil)
      throw error
    }
  }

  private func open() throws -> Connection {
    let connection = try Connection(path: path, mode: mode, waiting: timeout)
    connection.handle.setReadsViews(false)
    connection.rows = Array(repeating: nil, count: tableCount)
    return connection
  }

  /// The counts of the operations of all idle connections.
  var counted: Counts {
    state.withLock { $0.idle.reduce(Counts()) { $0 + $1.counted } }
  }

  // MARK: The end

  /// Closes each idle connection now, and each lent connection when it is given back. Calls the
  /// closure after the last connection was closed.
  func close(_ onEnd: @escaping @Sendable () -> Void) {
    closed.store(true, ordering: .relaxed)
    let idle = state.withLock { state in
      // One connection too many is counted until the end of this function, so that the closure is
      // not called earlier.
      state.count += 1
      state.onEnd = onEnd
      defer { state.idle = [] }
      return state.idle
    }
    for connection in idle { discard(connection) }
    discard(nil)
  }

  /// Closes a connection instead of giving it back, and no longer counts it. Nil means a counted
  /// connection that could not be opened. If the pool is closed and has no connection left, calls
  /// the closure of ``close(_:)``.
  func discard(_ connection: Connection?) {
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
