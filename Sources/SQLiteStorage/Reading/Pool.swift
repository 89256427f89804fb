import ObjectGraph
import Synchronization

/// The connections for reading, each lent to one reader at a time.
///
/// An idle context keeps the moment of its last read, and so a connection with two descriptors. The
/// pool therefore shares at most eight connections, idle ones and lent ones together. A ninth
/// reader takes the connection of the moment that has been idle longest, which ends that moment. If
/// all eight are in use, the pool opens another one, and closes it when it comes back. A connection
/// for each context that has read was rejected, because some 500 idle sessions would use up a
/// process's descriptors.
final class Pool: Sendable {
  private struct PoolState {
    var idle: [Connection] = []
    var lent: [Lease] = []
    /// The number of connections that are idle or lent.
    var shared = 1
    /// The number of all connections: the shared ones, and those of long work.
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
    /// The identity of the moment, which is still known during the moment's deinit.
    let identity: ObjectIdentifier

    init(_ moment: ReadTransaction) {
      self.moment = moment
      identity = ObjectIdentifier(moment)
    }
  }

  private enum Choice {
    case idle(Connection)
    /// Another connection may be opened.
    case further
    case taken([ReadTransaction])
  }

  private let path: String
  private let mode: Connection.Mode
  /// The time that each connection waits for others, in seconds.
  let timeout: Double
  private let state = Mutex(PoolState())
  private let closed = Atomic(false)
  /// The clock of reads. It advances when a read belongs to another moment than the read before. A
  /// moment that was never read has the time zero.
  private let clock = Atomic<UInt64>(1)
  private let tableCount: Int
  /// The number of connections that may be idle or lent, unless all of them are in use at once.
  static let limit = 8

  init(path: String, mode: Connection.Mode, timeout: Double, tableCount: Int, first: Connection) {
    self.path = path
    self.mode = mode
    self.timeout = timeout
    self.tableCount = tableCount
    first.rows = Array(repeating: nil, count: tableCount)
    state.withLock { $0.idle.append(first) }
  }

  /// Whether the store was closed. Each step of a cursor reads it.
  @inline(__always)
  var isClosed: Bool { closed.load(ordering: .relaxed) }

  /// Returns the time for a new read of a moment. The argument is the time of the moment's last
  /// read; it is returned again if no other moment was read since. The pool compares these times to
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

  /// Returns a connection for a moment, or for a short piece of work without a moment.
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
      case .further: return try further()
      case .taken(let moments):
        if let connection = takeOver(from: moments) { return connection }
        state.withLock { state in
          state.shared += 1
          state.count += 1
        }
        return try further()
      }
    } catch {
      state.withLock { $0.returned(by: moment.map { ObjectIdentifier($0) }) }
      throw error
    }
  }

  /// Opens a connection that is counted already.
  private func further() throws -> Connection {
    do {
      return try open()
    } catch {
      state.withLock { $0.shared -= 1 }
      end(nil)
      // Perhaps no descriptor is left. Then the connection of an idle context, which has two, is
      // used.
      if let connection = takeOver(from: moments) { return connection }
      throw error
    }
  }

  /// Returns the connection of the moment that has been idle longest; nil if all are in use.
  private func takeOver(from moments: [ReadTransaction]) -> Connection? {
    let byTime = moments.map { (time: $0.lastRead, moment: $0) }.sorted { $0.time < $1.time }
    // Each moment is asked outside the lock. A moment that is in use or held refuses.
    for (_, moment) in byTime {
      guard let connection = moment.surrender() else { continue }
      state.withLock { $0.returned(by: ObjectIdentifier(moment)) }
      return connection
    }
    return nil
  }

  /// Takes a connection back, and closes it if there are too many.
  func give(back connection: Connection, of moment: ObjectIdentifier?) {
    // A connection that could only be opened for reading is not kept, because the next one may be
    // better.
    let isGood = mode.isForReadingOnly || !connection.isReadOnly
    let isKept = state.withLock { state in
      state.returned(by: moment)
      guard isGood, !isClosed, state.shared <= Self.limit else {
        state.shared -= 1
        return false
      }
      state.idle.append(connection)
      return true
    }
    if !isKept { end(connection) }
  }

  /// Calls a closure with a connection from the pool.
  func with<R>(_ body: (Connection) throws -> R) throws -> R {
    let connection = try take(for: nil)
    defer { give(back: connection, of: nil) }
    return try body(connection)
  }

  /// Opens a connection beside the shared ones, for long work. The caller ends it with `end(_:)`.
  func make() throws -> Connection {
    try state.withLock { state in
      guard !isClosed else { throw GraphError("read", .closed) }
      state.count += 1
    }
    do {
      return try open()
    } catch {
      end(nil)
      throw error
    }
  }

  private func open() throws -> Connection {
    let connection = try Connection(path: path, mode: mode, waiting: timeout)
    connection.readsViews(false)
    connection.rows = Array(repeating: nil, count: tableCount)
    return connection
  }

  /// The counts of the idle connections.
  var counted: Counts {
    state.withLock { $0.idle.reduce(Counts()) { $0 + $1.counted } }
  }

  // MARK: The end

  /// Closes all connections. Lent ones are closed when they come back. Calls the closure after the
  /// last one.
  func close(_ onEnd: @escaping @Sendable () -> Void) {
    closed.store(true, ordering: .relaxed)
    let idle = state.withLock { state in
      // One connection too many is counted until the end of this function, so that the closure is
      // not called before.
      state.count += 1
      state.onEnd = onEnd
      defer { state.idle = [] }
      return state.idle
    }
    for connection in idle { end(connection) }
    end(nil)
  }

  /// Closes a connection instead of giving it back. Nil stands for one that could not be opened.
  /// After the last one, calls the closure of `close(_:)`.
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
