import ObjectGraph
import Synchronization

/// The connections that read, each lent to one reader at a time.
///
/// A context keeps the moment of its last read, and so a connection with two descriptors, for as long
/// as it is idle. Of those that lie here or are lent there are at most eight. The ninth reader takes
/// the connection of the moment that was read from longest ago, which then ends. Only if each of the
/// eight is in use does it open a further one, which is closed when it comes back.
final class Pool: Sendable {
  private struct PoolState {
    var idle: [Connection] = []
    var lent: [Lease] = []
    /// The connections that are idle or lent.
    var shared = 1
    /// All that exist: those, and those of long work.
    var count = 1
    var onEnd: (@Sendable () -> Void)?

    mutating func returned(by moment: ObjectIdentifier?) {
      if let moment, let place = lent.firstIndex(where: { $0.identity == moment }) {
        lent.swapAt(place, lent.count - 1)
        lent.removeLast()
      }
    }
  }

  /// A connection that a moment has.
  private struct Lease {
    weak var moment: ReadTransaction?
    /// Known also when the moment is in its deinit.
    let identity: ObjectIdentifier

    init(_ moment: ReadTransaction) {
      self.moment = moment
      identity = ObjectIdentifier(moment)
    }
  }

  private enum Choice {
    case idle(Connection)
    /// There may be one more.
    case further
    case taken([ReadTransaction])
  }

  private let path: String
  private let mode: Connection.Mode
  /// Seconds that each connection waits for others.
  let timeout: Double
  private let state = Mutex(PoolState())
  private let closed = Atomic(false)
  /// Goes on when another moment is read from than before; a moment that never was has zero.
  private let clock = Atomic<UInt64>(1)
  private let tableCount: Int
  /// The connections that idle contexts may keep, together with those that nobody uses.
  static let limit = 8

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

  /// Returns the time of a read, by which the moment that was idle longest is found; unlike any before,
  /// unless the last read was of the same moment.
  @inline(__always)
  func time(after last: UInt64) -> UInt64 {
    // Few write here: who reads again and again only looks.
    if clock.load(ordering: .relaxed) == last { return last }
    return clock.add(1, ordering: .relaxed).newValue
  }

  /// The connections that are lent, or wait for a reader; for tests.
  var sharedCount: Int { state.withLock { $0.shared } }

  /// The moments that have a connection.
  var moments: [ReadTransaction] { state.withLock { $0.lent.compactMap(\.moment) } }

  // MARK: Lending

  /// Returns a connection for a moment, or for a short piece of work without one.
  func take(for moment: ReadTransaction?) throws -> Connection {
    let choice = try state.withLock { state -> Choice in
      guard !isClosed else { throw GraphError("read", .closed) }
      // At once, so that a store that closes meanwhile finds the moment.
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

  /// Opens one that has been counted.
  private func further() throws -> Connection {
    do {
      return try open()
    } catch {
      state.withLock { $0.shared -= 1 }
      end(nil)
      // Where no descriptor is left, an idle context has two.
      if let connection = takeOver(from: moments) { return connection }
      throw error
    }
  }

  /// Returns the connection of the moment that was idle longest; nil if each is in use.
  private func takeOver(from moments: [ReadTransaction]) -> Connection? {
    let byTime = moments.map { (time: $0.lastRead, moment: $0) }.sorted { $0.time < $1.time }
    // Each is asked outside the lock; one that is busy, or needs its moment, says no.
    for (_, moment) in byTime {
      guard let connection = moment.surrender() else { continue }
      state.withLock { $0.returned(by: ObjectIdentifier(moment)) }
      return connection
    }
    return nil
  }

  func give(back connection: Connection, of moment: ObjectIdentifier?) {
    // One that could only be opened for reading may have met a fault that is over.
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

  /// Lends a connection for as long as a closure runs.
  func with<R>(_ body: (Connection) throws -> R) throws -> R {
    let connection = try take(for: nil)
    defer { give(back: connection, of: nil) }
    return try body(connection)
  }

  /// Opens a connection beside the lent ones, to be ended.
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

  /// The work that the connections in the pool have done.
  var counted: Counts {
    state.withLock { $0.idle.reduce(Counts()) { $0 + $1.counted } }
  }

  // MARK: The end

  /// Closes all connections, the lent ones when they come back; after the last, the closure is called.
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
