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
    var idle: [Connection]
    var lent: [Lease] = []
    /// The number of connections that are idle in the pool or lent to a reader.
    var shared = 1
    /// The presence that each new connection retains; nil once the store is closed.
    var presence: Presence?

    mutating func lost(by moment: ObjectIdentifier?) {
      shared -= 1
      returned(by: moment)
    }

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

  let path: String
  private let mode: Connection.Mode
  /// The longest time that a connection waits for a lock of another connection, in seconds.
  let timeout: Double
  private let state: Mutex<PoolState>
  private let closed = Atomic(false)
  /// A clock that orders the reads of all moments. It advances when a read belongs to another
  /// moment than the previous read. A moment without any read has the time zero.
  private let clock = Atomic<UInt64>(1)
  /// The maximum number of shared connections. The pool exceeds it only while all of them are in
  /// use.
  static let limit = 8

  /// Creates a pool with its first connection, which has a presence.
  init(path: String, timeout: Double, first: Connection) {
    self.path = path
    mode = first.mode
    self.timeout = timeout
    state = Mutex(PoolState(idle: [first], presence: first.presence))
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
    let (idle, others) = try state.withLock { state in
      guard !isClosed else { throw GraphError("read", .closed) }
      let idle = state.idle.popLast()
      let isFree = idle != nil || state.shared < Self.limit
      let others = isFree ? [] : state.lent.compactMap(\.moment)
      // A connection is counted before it is opened, so that no other reader opens one in its place.
      if idle == nil { state.shared += 1 }
      // The lease is added at once, so that a store that closes meanwhile finds the moment.
      if let moment { state.lent.append(Lease(moment)) }
      return (idle, others)
    }
    if let connection = idle ?? takeOver(from: others) { return connection }
    do {
      return try open()
    } catch {
      // Perhaps no descriptor is left. Then the connection of an idle context is used instead.
      if let connection = takeOver(from: moments) { return connection }
      state.withLock { $0.lost(by: moment.map { ObjectIdentifier($0) }) }
      throw error
    }
  }

  /// Opens a connection in addition to the shared ones. The caller must close it.
  func open(for mode: Connection.Mode? = nil) throws -> Connection {
    guard let presence = state.withLock({ $0.presence }) else { throw GraphError("read", .closed) }
    return try Connection(path: path, mode: mode ?? self.mode, waiting: timeout, presence: presence)
  }

  /// Ends the moment that has been idle longest, and returns its connection, which replaces one that
  /// was counted already. Returns nil if all moments are in use.
  private func takeOver(from moments: [ReadTransaction]) -> Connection? {
    let byTime = moments.map { (time: $0.lastRead, moment: $0) }.sorted { $0.time < $1.time }
    // Each moment is asked for its connection outside the pool's lock. A moment that is in use or
    // has a hold refuses.
    for (_, moment) in byTime {
      guard let connection = moment.endAndTakeConnection() else { continue }
      state.withLock { $0.lost(by: ObjectIdentifier(moment)) }
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
    if !isKept { connection.close() }
  }

  /// Calls a closure with a connection from the pool.
  func with<R>(_ body: (Connection) throws -> R) throws -> R {
    let connection = try take(for: nil)
    defer { give(back: connection, of: nil) }
    return try body(connection)
  }

  /// The counts of the operations of all idle connections.
  var counted: Counts {
    state.withLock { $0.idle.reduce(Counts()) { $0 + $1.counted } }
  }

  // MARK: The end

  /// Ends the moments of idle contexts.
  func endIdleMoments() {
    for moment in moments {
      guard let connection = moment.endAndTakeConnection() else { continue }
      give(back: connection, of: ObjectIdentifier(moment))
    }
  }

  /// Closes each idle connection now, and each lent connection when it is given back.
  func close() {
    closed.store(true, ordering: .relaxed)
    let idle = state.withLock { state in
      defer { (state.idle, state.presence) = ([], nil) }
      return state.idle
    }
    for connection in idle { connection.close() }
    for moment in moments { moment.end() }
  }
}
