#if Postgres
import Dispatch
import ObjectGraph
import Synchronization

/// A cursor of the server in a moment.
struct ServerCursor: Equatable {
  /// The number of the moment to which the cursor belongs.
  fileprivate var moment = 0
  fileprivate let number: Int
  let name: String

  /// Returns the statement that fetches rows.
  fileprivate func fetch(_ count: Int) -> ServerStatement {
    // Pages of large rows have various sizes, so their statements would crowd out others.
    ServerStatement("FETCH \(count) FROM \(name)", isKept: count == ServerTable.mostPageRows)
  }
}

/// The moment (read transaction) of one reader, on a connection from the store's pool. It begins with
/// the first read, in the same trip.
///
/// The store may end the moment while no cursor is open and no closure of `read` runs. The next read
/// then begins another one.
final class ServerMoment: Sendable {
  private struct MomentState {
    var connection: ServerConnection?
    var cursors = 0
    /// Whether the moment ends when its last cursor closes.
    var isEnding = false
    /// The number of calls of `hold()` without their `letGo()`.
    var holds = 0
    /// The number of moments that have begun so far.
    var count = 0
    /// The statements that run with the next trip, because nobody waits for them.
    var pending: [ServerStatement] = []
    /// The numbers of the server's cursors. A number is used again, so that the server keeps the prepared
    /// statement that opens a cursor for a query (benchmark `filter`).
    var open: [Int] = []
    /// The cursor whose next page was asked for ahead; nil if there is none.
    var ahead: ServerCursor?

    /// Returns whether a cursor belongs to the present moment. Another read may have failed, and the
    /// moment with it.
    func has(_ cursor: ServerCursor) -> Bool { connection != nil && cursor.moment == count }
  }

  let pool: ServerPool
  private let news: ServerNews
  private let state = Mutex(MomentState())
  private let current = Atomic(0)
  private let time = Atomic<UInt64>(0)
  private let began = Atomic<UInt64>(0)

  init(_ pool: ServerPool, _ news: ServerNews) {
    self.pool = pool
    self.news = news
  }

  deinit { end() }

  var number: Int { current.load(ordering: .relaxed) }

  /// The time of the last read; it only orders the reads.
  var lastRead: UInt64 { time.load(ordering: .relaxed) }

  /// Returns whether nobody has read for some seconds, or whether the moment is so old that a program
  /// which waits for its end could wait for too long.
  func isIdle(for seconds: Double) -> Bool {
    let now = DispatchTime.now().uptimeNanoseconds
    func isPast(_ time: UInt64, _ seconds: Double) -> Bool {
      now > time && Double(now - time) >= seconds * 1e9
    }
    return isPast(lastRead, seconds) || isPast(began.load(ordering: .relaxed), 5)
  }

  // MARK: Reading

  /// Runs statements in the moment, which begins in the same trip if none is under way.
  func run(
    _ statements: [ServerStatement], _ cancellation: ReadCancellation? = nil
  ) throws -> [ServerResult] {
    try state.withLock { try run(statements, cancellation, &$0) }
  }

  /// Begins a moment, if none is under way.
  func begin() throws {
    try state.withLock { state in
      if state.connection == nil || pool.isClosed { _ = try run([], nil, &state) }
    }
  }

  /// Opens a cursor for a statement, and returns its first page. The moment then cannot end before
  /// ``close(_:)`` is called.
  func open(
    _ statement: ServerStatement, _ cancellation: ReadCancellation, page count: Int
  ) throws -> (cursor: ServerCursor, ServerResult) {
    try state.withLock { state in
      let number = (1...).first { !state.open.contains($0) } ?? 0
      // The name is that of the statement, too, because older servers keep with a prepared FETCH which
      // columns its first cursor had.
      var cursor = ServerCursor(number: number, name: "c\(number)\(statement.key.name)")
      let declaration = "DECLARE \(cursor.name) NO SCROLL CURSOR FOR \(statement.sql)"
      let statements = [
        ServerStatement(declaration, statement.parameters), cursor.fetch(count),
      ]
      let results = try run(statements, cancellation, &state)
      cursor.moment = state.count
      state.open.append(cursor.number)
      state.cursors += 1
      return (cursor, results[results.count - 1])
    }
  }

  /// Returns the next rows of a cursor. If there are as many as asked for, and `goesAhead`, the server is
  /// asked for those after them, and sends them while these are used.
  func page(
    of cursor: ServerCursor, _ count: Int, goesAhead: Bool, _ cancellation: ReadCancellation
  ) throws -> ServerResult {
    try state.withLock { state in
      guard state.has(cursor) else {
        throw ServerFault(state: "34000", message: "the cursor ended when another read failed")
      }
      let page: ServerResult
      if state.ahead == cursor, let connection = state.connection {
        state.ahead = nil
        time.store(DispatchTime.now().uptimeNanoseconds, ordering: .relaxed)
        do {
          page = try connection.takeAhead(until: pool.deadline, cancellation)
        } catch {
          finish(&state)
          throw error
        }
      } else {
        page = try run([cursor.fetch(count)], cancellation, &state)[0]
      }
      if goesAhead, page.rowCount == count, state.ahead == nil, let connection = state.connection {
        connection.runAhead(cursor.fetch(count))
        state.ahead = cursor
      }
      return page
    }
  }

  /// Closes a cursor, with the next trip.
  func close(_ cursor: ServerCursor) {
    state.withLock { state in
      if state.has(cursor) {
        state.open.removeAll { $0 == cursor.number }
        state.pending.append(ServerStatement("CLOSE \(cursor.name)", isKept: false))
        if state.ahead == cursor {
          state.ahead = nil
          state.connection?.forgetAhead()
        }
      }
      letGoOfCursor(&state)
    }
  }

  /// Counts an open cursor that runs several statements, until ``closeCursor()`` is called.
  func openCursor() { state.withLock { $0.cursors += 1 } }

  func closeCursor() { state.withLock { letGoOfCursor(&$0) } }

  private func letGoOfCursor(_ state: inout MomentState) {
    state.cursors -= 1
    if state.cursors == 0, state.isEnding || pool.isClosed { finish(&state) }
  }

  private func run(
    _ statements: [ServerStatement], _ cancellation: ReadCancellation?, _ state: inout MomentState
  ) throws -> [ServerResult] {
    if pool.isClosed { throw GraphError("read", .closed) }
    time.store(DispatchTime.now().uptimeNanoseconds, ordering: .relaxed)
    if let connection = state.connection {
      let all = state.pending + statements
      defer { state.pending = [] }
      do {
        return try connection.run(all, until: pool.deadline, cancellation).suffix(
          statements.count)
      } catch {
        // The server ends a transaction at its first fault.
        finish(&state)
        throw error
      }
    }
    // A connection that was idle may be dead, which only its use shows. Nothing was read yet, so
    // another connection begins the moment instead.
    for attempt in 0... {
      let connection = try pool.take(for: self)
      do {
        return try begin(with: statements, cancellation, on: connection, &state)
      } catch let fault as ServerFault where fault.isLost && attempt < 2 {
        pool.give(back: connection, of: ObjectIdentifier(self))
      } catch {
        connection.endTransaction()
        pool.give(back: connection, of: ObjectIdentifier(self))
        throw error
      }
    }
    throw ServerFault.lost("it could not be reached")
  }

  private func begin(
    with statements: [ServerStatement], _ cancellation: ReadCancellation?,
    on connection: ServerConnection, _ state: inout MomentState
  ) throws -> [ServerResult] {
    let beginning = news.beginning(on: connection)
    let results = try connection.run(beginning + statements, until: pool.deadline, cancellation)
    let poll = results[beginning.count - 1]
    try news.refuseTooOld(poll)
    try news.hear(poll, from: connection)
    state.connection = connection
    state.count += 1
    state.pending = []
    began.store(lastRead, ordering: .relaxed)
    current.store(state.count, ordering: .relaxed)
    return Array(results.dropFirst(beginning.count))
  }

  // MARK: The end

  /// Ends the moment. If a cursor is open, the moment ends when the last cursor closes.
  func end() {
    state.withLock { state in
      if state.cursors > 0 { state.isEnding = true } else { finish(&state) }
    }
  }

  func hold() { state.withLock { $0.holds += 1 } }

  func letGo() { state.withLock { $0.holds -= 1 } }

  /// Ends the moment and returns its connection. Returns nil if there is none, or if it is in use.
  func endAndTakeConnection() -> ServerConnection? {
    let connection = state.withLockIfAvailable { state -> ServerConnection? in
      guard state.cursors == 0, state.holds == 0 else { return nil }
      return release(&state)
    }
    return connection ?? nil
  }

  private func finish(_ state: inout MomentState) {
    state.isEnding = false
    guard let connection = release(&state) else { return }
    pool.give(back: connection, of: ObjectIdentifier(self))
  }

  /// Ends the transaction, and returns the connection.
  private func release(_ state: inout MomentState) -> ServerConnection? {
    guard let connection = state.connection else { return nil }
    (state.connection, state.pending, state.open, state.ahead) = (nil, [], [], nil)
    current.store(0, ordering: .relaxed)
    connection.endTransaction()
    return connection
  }
}
#endif
