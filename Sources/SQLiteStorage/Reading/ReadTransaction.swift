import Synchronization

/// A read transaction, or moment, on a connection from the store's pool. It begins when it is first
/// needed.
///
/// While no cursor is open and no `read` is under way, the store may end the moment, because the
/// log cannot be shortened before, or because another reader needs the connection. The next read
/// then begins another moment. The store holds a weak reference to the transaction instead of the
/// reader, because a weak reference makes the other references of its object slower to count.
final class ReadTransaction: Sendable {
  private struct TransactionState {
    // The connection is used only under the lock or by cursors. Cursors are counted, and a moment
    // that has any is not ended.
    var connection: Connection?
    var cursors = 0
    /// Whether the moment ends with its last cursor.
    var isEnding = false
    /// The number of holds. While there is a hold, several reads must see the same moment, and only
    /// the context may end it.
    var holds = 0
    /// The number of moments so far.
    var count = 0
  }

  let pool: Pool
  private let state = Mutex(TransactionState())
  /// The time of the last read. It is written under the lock, and read by other readers that look
  /// for a connection.
  private let time = Atomic<UInt64>(0)
  /// The number of the moment under way; zero if there is none.
  private let current = Atomic(0)

  init(_ pool: Pool) { self.pool = pool }

  deinit { end() }

  var number: Int { current.load(ordering: .relaxed) }

  /// The time of the last read by the pool's clock.
  var lastRead: UInt64 { time.load(ordering: .relaxed) }

  /// Begins a moment, if none is under way.
  func begin() throws { try with { _ in } }

  /// Calls a closure with the connection. The moment cannot end meanwhile.
  @inline(__always)
  func with<Result>(_ body: (Connection) throws -> Result) throws -> Result {
    try state.withLock { state in
      note()
      if let connection = state.connection, !pool.isClosed { return try body(connection) }
      return try body(begin(&state))
    }
  }

  /// Calls a closure with the connection, to open a cursor. The moment then stays until the
  /// cursor's statement is given back.
  func open(_ body: (Connection) throws -> Void) throws {
    try state.withLock { state in
      note()
      try body(state.connection.flatMap { pool.isClosed ? nil : $0 } ?? begin(&state))
      state.cursors += 1
    }
  }

  /// Takes back the statement of a closed cursor.
  func giveBack(_ statement: Statement, to connection: Connection) {
    state.withLock { state in
      note()
      connection.give(back: statement)
      state.cursors -= 1
      if state.cursors == 0, state.isEnding || pool.isClosed { finish(&state) }
    }
  }

  /// Ends the moment, or lets it end with its last cursor.
  func end() {
    state.withLock { state in
      if state.cursors > 0 { state.isEnding = true } else { finish(&state) }
    }
  }

  /// Adds a hold, so that only the context may end the moment.
  func hold() { state.withLock { $0.holds += 1 } }

  /// Removes a hold that ``hold()`` added.
  func letGo() { state.withLock { $0.holds -= 1 } }

  /// Ends the moment, unless a cursor or a hold needs it. The store calls it on any thread when the
  /// log has grown too long.
  func endIfIdle() {
    state.withLock { state in
      if state.cursors == 0, state.holds == 0 { finish(&state) }
    }
  }

  /// Ends the moment because the store closes. If a cursor is open, the moment ends when the last
  /// cursor closes.
  func endForGood() {
    state.withLock { state in
      if state.cursors == 0 { finish(&state) }
    }
  }

  /// Ends the moment and returns its connection; nil if a cursor, a hold or a read needs it. Other
  /// readers call it.
  func surrender() -> Connection? {
    // It never waits, because the calling reader holds its own lock, and this moment's reader may
    // want the caller's connection.
    let connection = state.withLockIfAvailable { state -> Connection? in
      guard state.cursors == 0, state.holds == 0, let connection = state.connection else {
        return nil
      }
      state.connection = nil
      current.store(0, ordering: .relaxed)
      connection.endReading()
      return connection
    }
    return connection ?? nil
  }

  @inline(__always)
  private func note() {
    let last = lastRead
    let now = pool.time(after: last)
    if now != last { time.store(now, ordering: .relaxed) }
  }

  private func begin(_ state: inout TransactionState) throws -> Connection {
    let connection = try pool.take(for: self)
    do {
      try connection.begin()
      try connection.takeSnapshot()
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
    state.connection = nil
    current.store(0, ordering: .relaxed)
    connection.endReading()
    pool.give(back: connection, of: ObjectIdentifier(self))
  }
}

extension Connection {
  /// Ends a transaction that has written nothing.
  fileprivate func endReading() {
    do {
      try commit()
    } catch {
      rollBack()
    }
  }
}
