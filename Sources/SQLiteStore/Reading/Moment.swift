import Synchronization

/// A read transaction on a connection from the store's pool, begun when first needed.
///
/// While no cursor is open the store may end it, because it holds back the log; the next call then
/// begins another. The store refers to it weakly, not to its reader, whose references would count
/// more slowly for it.
final class Moment: Sendable {
  private struct State {
    // The connection is only used under the lock, or by cursors, which are counted: nobody ends a
    // moment that has any.
    var connection: Connection?
    var cursors = 0
    /// The moment ends with its last cursor.
    var isEnding = false
  }

  let pool: Pool
  private let state = Mutex(State())

  init(_ pool: Pool) { self.pool = pool }

  deinit { end() }

  /// Uses the connection while nobody can end the moment.
  @inline(__always)
  func with<Result>(_ body: (Connection) throws -> Result) throws -> Result {
    try state.withLock { state in
      if let connection = state.connection, !pool.isClosed { return try body(connection) }
      return try body(begin(&state))
    }
  }

  /// The same for a statement that a cursor goes on using, until it is given back.
  func open(_ body: (Connection) throws -> Void) throws {
    try state.withLock { state in
      try body(state.connection.flatMap { pool.isClosed ? nil : $0 } ?? begin(&state))
      state.cursors += 1
    }
  }

  /// A cursor is done with its statement.
  func giveBack(_ statement: Statement, to connection: Connection) {
    state.withLock { state in
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

  /// Called by the store on any thread: the log has grown too long, or the store closes.
  func endIfIdle() {
    state.withLock { state in
      if state.cursors == 0 { finish(&state) }
    }
  }

  private func begin(_ state: inout State) throws -> Connection {
    let connection = try pool.take()
    do {
      try connection.begin()
    } catch {
      pool.give(back: connection)
      throw error
    }
    state.connection = connection
    return connection
  }

  private func finish(_ state: inout State) {
    state.isEnding = false
    guard let connection = state.connection else { return }
    state.connection = nil
    do {
      try connection.commit()
    } catch {
      connection.rollBack()
    }
    pool.give(back: connection)
  }
}
