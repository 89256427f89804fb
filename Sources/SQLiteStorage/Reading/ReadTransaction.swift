import Synchronization

/// A read transaction on a connection from the store's pool, begun when first needed.
///
/// While no cursor is open, and no `read` under way, the store may end it: because it holds back the
/// log, or because another reader needs its connection. The next call then begins another. The store
/// refers to it weakly, not to its reader, whose references would count more slowly for it.
final class ReadTransaction: Sendable {
  private struct TransactionState {
    // The connection is only used under the lock, or by cursors, which are counted: nobody ends a
    // moment that has any.
    var connection: Connection?
    var cursors = 0
    /// The moment ends with its last cursor.
    var isEnding = false
    /// The number of holds: several reads are to see the same, so that only the context may end it.
    var holds = 0
    /// The number of moments so far.
    var count = 0
  }

  let pool: Pool
  private let state = Mutex(TransactionState())
  /// Written under the lock, read by readers that look for a connection.
  private let time = Atomic<UInt64>(0)
  /// The number of the moment under way; zero if none is.
  private let current = Atomic(0)

  init(_ pool: Pool) { self.pool = pool }

  deinit { end() }

  var number: Int { current.load(ordering: .relaxed) }

  /// When it was read from, by the pool's clock.
  var lastRead: UInt64 { time.load(ordering: .relaxed) }

  /// Begins, if none is under way.
  func begin() throws { try with { _ in } }

  /// Uses the connection while nobody can end the moment.
  @inline(__always)
  func with<Result>(_ body: (Connection) throws -> Result) throws -> Result {
    try state.withLock { state in
      note()
      if let connection = state.connection, !pool.isClosed { return try body(connection) }
      return try body(begin(&state))
    }
  }

  /// Uses the connection for a statement that a cursor goes on using, until it is given back.
  func open(_ body: (Connection) throws -> Void) throws {
    try state.withLock { state in
      note()
      try body(state.connection.flatMap { pool.isClosed ? nil : $0 } ?? begin(&state))
      state.cursors += 1
    }
  }

  /// Takes back the statement of a cursor that is done with it.
  func giveBack(_ statement: Statement, to connection: Connection) {
    state.withLock { state in
      note()
      connection.give(back: statement)
      state.cursors -= 1
      if state.cursors == 0, state.isEnding || pool.isClosed { finish(&state) }
    }
  }

  func end() {
    state.withLock { state in
      if state.cursors > 0 { state.isEnding = true } else { finish(&state) }
    }
  }

  /// Lets only its context end it from now on, until it is let go as often.
  func hold() { state.withLock { $0.holds += 1 } }

  func letGo() { state.withLock { $0.holds -= 1 } }

  /// Ends the moment unless it is needed; called by the store, on any thread, because the log has
  /// grown too long.
  func endIfIdle() {
    state.withLock { state in
      if state.cursors == 0, state.holds == 0 { finish(&state) }
    }
  }

  /// Ends the moment, as soon as no cursor is open: the store closes.
  func endForGood() {
    state.withLock { state in
      if state.cursors == 0 { finish(&state) }
    }
  }

  /// Ends the moment, unless it is needed, and hands its connection over; called by other readers.
  func surrender() -> Connection? {
    // Never waits: that reader has its own lock, and this one may want its connection.
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
  /// Ends a transaction that has only read.
  fileprivate func endReading() {
    do {
      try commit()
    } catch {
      rollBack()
    }
  }
}
