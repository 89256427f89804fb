import Synchronization

/// The read transaction, or moment, of one reader, on a connection from the store's pool. It begins
/// at the first read that needs it.
///
/// The store may end the moment while no cursor is open and no closure of `read` runs. It does so
/// because the moment keeps the log from being shortened, or because another reader needs the
/// connection. The next read then begins another moment. The store has a weak reference to this
/// object, not to the reader, because a weak reference gives its object a side table for reference
/// counts.
final class ReadTransaction: Sendable {
  private struct TransactionState {
    // The connection is used only under the lock or by cursors. Cursors are counted, and a moment
    // with an open cursor is not ended.
    var connection: Connection?
    var cursors = 0
    /// Whether the moment ends when its last cursor closes.
    var isEnding = false
    /// The number of calls of `hold()` without their `letGo()`. While it is not zero, several reads
    /// must see the same moment. Then only the context may end the moment.
    var holds = 0
    /// Whether the moments need little memory, because each page is read once.
    var isOnce = false
    /// The number of moments that have begun so far.
    var count = 0
  }

  let pool: Pool
  private let state = Mutex(TransactionState())
  /// The time of the last read by the pool's clock; zero before the first. It is atomic because the
  /// pool reads it without the lock.
  private let time = Atomic<UInt64>(0)
  /// The number of the moment under way; zero if there is none.
  private let current = Atomic(0)

  init(_ pool: Pool) { self.pool = pool }

  deinit { end() }

  var number: Int { current.load(ordering: .relaxed) }

  /// The time of the moment's last read by the pool's clock; zero if there was none.
  var lastRead: UInt64 { time.load(ordering: .relaxed) }

  /// Begins a moment, if none is under way.
  func begin() throws { try with { _ in } }

  /// Calls a closure with the moment's connection. Begins a moment if none is under way. The moment
  /// cannot end during the call.
  @inline(__always)
  func with<Result>(_ body: (Connection) throws -> Result) throws -> Result {
    try state.withLock { state in
      setLastRead()
      if let connection = state.connection, !pool.isClosed { return try body(connection) }
      return try body(begin(&state))
    }
  }

  /// Calls a closure that opens a cursor on the moment's connection. The moment then cannot end
  /// before the cursor's statement is given back.
  func open(_ body: (Connection) throws -> Cursor) throws -> Cursor {
    try state.withLock { state in
      setLastRead()
      let connection = try state.connection.flatMap { pool.isClosed ? nil : $0 } ?? begin(&state)
      let cursor = try body(connection)
      state.cursors += 1
      return cursor
    }
  }

  /// Takes back the statement of a closed cursor.
  func giveBack(_ statement: Statement, to connection: Connection) {
    state.withLock { state in
      setLastRead()
      connection.give(back: statement)
      closeCursor(&state)
    }
  }

  /// Counts an open cursor that runs several statements, until ``closeCursor()`` is called.
  func openCursor() { state.withLock { $0.cursors += 1 } }

  func closeCursor() { state.withLock { closeCursor(&$0) } }

  private func closeCursor(_ state: inout TransactionState) {
    state.cursors -= 1
    if state.cursors == 0, state.isEnding || pool.isClosed { finish(&state) }
  }

  /// Ends the moment. If a cursor is open, the moment ends when the last cursor closes.
  func end() {
    state.withLock { state in
      if state.cursors > 0 { state.isEnding = true } else { finish(&state) }
    }
  }

  /// Lets the moments that begin from now on keep little of what they read.
  func readOnce() { state.withLock { $0.isOnce = true } }

  /// Adds a hold. Until ``letGo()`` removes it, only the context may end the moment.
  func hold() { state.withLock { $0.holds += 1 } }

  /// Removes a hold that ``hold()`` added.
  func letGo() { state.withLock { $0.holds -= 1 } }

  /// Ends the moment and returns its connection. Returns nil if there is no connection, or if a
  /// cursor, a hold or a read needs it. The pool calls this function on any thread, for another
  /// reader or when the log has grown too long.
  func endAndTakeConnection() -> Connection? {
    // The caller holds the lock of another moment. So this function must not wait for a lock,
    // because two moments could then wait for each other.
    let connection = state.withLockIfAvailable { state -> Connection? in
      guard state.cursors == 0, state.holds == 0, let connection = state.connection else {
        return nil
      }
      return end(&state, connection)
    }
    return connection ?? nil
  }

  @inline(__always)
  private func setLastRead() {
    let last = lastRead
    let now = pool.time(after: last)
    if now != last { time.store(now, ordering: .relaxed) }
  }

  private func begin(_ state: inout TransactionState) throws -> Connection {
    let connection = try pool.take(for: self)
    do {
      if state.isOnce { try connection.limitCache(kilobytes: 200) }
      try connection.begin()
      // The first read fixes what the transaction sees. No other read takes less time.
      _ = try connection.cookie()
    } catch {
      connection.rollBack()
      pool.give(back: connection, of: ObjectIdentifier(self))
      throw error
    }
    state.connection = connection
    state.count += 1
    current.store(state.count, ordering: .relaxed)
    return connection
  }

  private func finish(_ state: inout TransactionState) {
    state.isEnding = false
    guard let connection = state.connection else { return }
    pool.give(back: end(&state, connection), of: ObjectIdentifier(self))
  }

  /// Ends the moment, and returns its connection.
  private func end(_ state: inout TransactionState, _ connection: Connection) -> Connection {
    state.connection = nil
    current.store(0, ordering: .relaxed)
    connection.endReading()
    if state.isOnce { try? connection.limitCache(kilobytes: Connection.cache) }
    return connection
  }
}
