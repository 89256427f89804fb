#if Postgres
import CLineagePostgres
import Foundation
import ObjectGraph

/// A connection to the server, which runs statements in pipelines: any number of them in one trip.
///
/// Each wait for the server has a deadline of its own, because a network that stalls answers nothing,
/// not even that it is broken. The connection is confined to its user. It is unchecked because a pool
/// passes it from one user to the next.
@safe
final class ServerConnection: @unchecked Sendable {
  private let handle: OpaquePointer
  /// The names of the statements that the server keeps for this connection.
  private var kept: [KeptStatement: String] = [:]
  /// The greatest number of kept statements.
  private static let keptLimit = 200

  private let options: PostgresOptions
  private let trips: TripCount?
  private let present: ServerGeneration
  /// The generation in which the connection was opened.
  let generation: Int
  /// Whether a pooler stands between the program and the server. A pooler may pass each transaction to
  /// another process of the server, so nothing may be kept there for the next one.
  private(set) var isPooled = false

  /// Takes over a connection of libpq that is open, and was opened in a generation.
  init(
    _ handle: OpaquePointer, _ options: PostgresOptions, _ trips: TripCount?,
    _ present: ServerGeneration, _ generation: Int
  ) {
    unsafe self.handle = handle
    (self.options, self.trips) = (options, trips)
    (self.present, self.generation) = (present, generation)
    unsafe PQsetnonblocking(handle, 1)
    unsafe PQenterPipelineMode(handle)
    unsafe PQsetErrorVerbosity(handle, PQERRORS_DEFAULT)
    // The server's remarks are for people at a terminal.
    unsafe PQsetNoticeReceiver(handle, { _, _ in }, nil)
  }

  deinit { unsafe PQfinish(handle) }

  /// Whether the connection cannot be used any more.
  private(set) var isLost = false
  /// Whether the server's run has not changed since the connection was opened.
  var isCurrent: Bool { generation == present.number }
  var socket: Int32 { unsafe PQsocket(handle) }
  /// Whether a transaction is under way.
  var isInTransaction: Bool {
    let status = unsafe PQtransactionStatus(handle)
    return !isLost && end == .none && (status == PQTRANS_INTRANS || status == PQTRANS_INERROR)
  }
  /// The number of the server's process for this connection.
  var processID: Int32 { unsafe PQbackendPID(handle) }
  /// The version of the server, such as 150004.
  var serverVersion: Int32 { unsafe PQserverVersion(handle) }

  /// Finds out whether there is a pooler, by a trip: the process that answers is not the one that was
  /// named when the connection was made.
  func findPooler(until deadline: Deadline) throws {
    isPooled = try run("SELECT pg_backend_pid()", until: deadline).cell(0, 0).integer != processID
  }

  // MARK: Statements

  /// Runs statements in one pipeline, and returns their results. If one fails, those after it are not
  /// run, and its fault is thrown when the server has answered everything.
  func run(
    _ statements: [ServerStatement], until deadline: Deadline,
    _ cancellation: ReadCancellation? = nil
  ) throws -> [ServerResult] {
    guard !isLost else { throw ServerFault.lost("the connection was lost") }
    let start = DispatchTime.now()
    defer { tell(Self.purpose(of: statements), since: start) }
    if !kept.isEmpty, kept.count + statements.count > Self.keptLimit,
      statements.contains(where: \.isKept)
    {
      // The command has a trip of its own, because no other statement may precede a BEGIN with an isolation.
      try run("DEALLOCATE ALL", until: deadline)
      kept = [:]
    }
    trips?.add()
    return try noticingLoss {
      try send(statements)
      // Answers that nobody waited for come first. If they were read before sending, a moment that
      // takes over a connection would wait for two trips.
      var earlier: ServerFault?
      while sent.count > 1 { earlier = try receiveEarlier(deadline, cancellation) ?? earlier }
      end = .none
      do {
        return try results(of: sent.removeFirst(), deadline, cancellation)
      } catch let fault as ServerFault where !fault.isLost {
        // If the transaction had failed before, the first fault tells more.
        throw earlier ?? fault
      }
    }
  }

  private func noticingLoss<Result>(_ body: () throws -> Result) throws -> Result {
    do {
      return try body()
    } catch let fault as ServerFault {
      if fault.isLost {
        isLost = true
        options.onEvent?(.lost(fault.message))
      }
      throw fault
    }
  }

  /// Returns the statement for whose result a pipeline is sent: the last one or, if that only fetches
  /// rows, the one before, which says of what.
  private static func purpose(of statements: [ServerStatement]) -> String {
    (statements.last { !$0.sql.hasPrefix("FETCH ") } ?? statements.last)?.sql ?? ""
  }

  /// Tells of a trip that took long.
  private func tell(_ statement: @autoclosure () -> String, since start: DispatchTime) {
    guard let onEvent = options.onEvent else { return }
    let seconds = Double(DispatchTime.now().uptimeNanoseconds - start.uptimeNanoseconds) / 1e9
    if seconds >= options.slowTrip { onEvent(.slow(statement: statement(), seconds: seconds)) }
    if seconds > 0.05, MainQueue.isCurrent {
      onEvent(.heldMainThread(statement: statement(), seconds: seconds))
    }
  }

  @discardableResult
  func run(_ sql: String, until deadline: Deadline) throws -> ServerResult {
    try run([ServerStatement(sql, isKept: false)], until: deadline)[0]
  }

  /// Undoes the transaction, if one is under way.
  func rollBack(until deadline: Deadline) {
    if isInTransaction { _ = try? run("ROLLBACK", until: deadline) }
  }

  /// Whether the last pipeline is a statement whose result somebody will take.
  private var isAhead = false
  /// The result of the statement that was sent ahead, if another statement ran before it was taken.
  private var keptAhead: ServerResult?

  /// Sends a statement without waiting for its result, which ``takeAhead(until:_:)`` returns.
  func runAhead(_ statement: ServerStatement) {
    guard !isLost, sent.isEmpty else { return }
    isAhead = true
    trips?.add()
    post([statement])
  }

  /// Returns the result of the statement that was sent ahead.
  func takeAhead(
    until deadline: Deadline, _ cancellation: ReadCancellation
  ) throws -> ServerResult {
    if let result = keptAhead.take() { return result }
    guard !isLost, isAhead else { throw ServerFault.lost("the connection was lost") }
    isAhead = false
    return try noticingLoss { try results(of: sent.removeFirst(), deadline, cancellation)[0] }
  }

  /// Makes the result of the statement that was sent ahead one that nobody takes.
  func forgetAhead() { (isAhead, keptAhead) = (false, nil) }

  /// The end of a transaction that nobody waits for.
  private enum End {
    case none, owed, sent
  }
  private var end = End.none

  /// Whether the next pipeline begins with the end of the transaction.
  var owesEnd: Bool { end == .owed }

  /// Ends the transaction, with the next pipeline or by ``sendEnd()``. A pooler's connection to the
  /// server is free for others only after the end, which is sent at once.
  func endTransaction() {
    forgetAhead()
    guard !isLost, end == .none, unsafe PQtransactionStatus(handle) != PQTRANS_IDLE else { return }
    end = .owed
    if isPooled { sendEnd() }
  }

  /// Sends the end of the transaction, if it is owed, without waiting for the answer.
  func sendEnd() {
    guard !isLost, owesEnd else { return }
    end = .sent
    post([ServerStatement("ROLLBACK")])
  }

  /// Sends statements without waiting for their results, which the next run reads.
  func post(_ statements: [ServerStatement]) {
    do {
      try send(statements)
      if unsafe PQflush(handle) < 0 { isLost = true }
    } catch {
      isLost = true
    }
  }

  /// Reads the results of a pipeline that was sent without waiting for them. Returns its fault if there is
  /// one, unless the transaction ends anyway.
  private func receiveEarlier(
    _ deadline: Deadline, _ cancellation: ReadCancellation?
  ) throws -> ServerFault? {
    let wasAhead = isAhead
    isAhead = false
    do {
      let found = try results(of: sent.removeFirst(), deadline, cancellation)
      if wasAhead { keptAhead = found[0] }
      return nil
    } catch let fault as ServerFault where !fault.isLost {
      return end == .none ? fault : nil
    }
  }

  /// The statements that were sent together. Each has the key under which it is prepared first; nil if it
  /// is not.
  private typealias Pipeline = [KeptStatement?]

  /// The pipelines of which the results were not read yet.
  private var sent: [Pipeline] = []

  private func send(_ statements: [ServerStatement]) throws {
    var statements = statements
    // One statement can end a moment and begin the next one. If a statement of the moment has failed, the
    // server has forgotten its options.
    if owesEnd, unsafe PQtransactionStatus(handle) == PQTRANS_INTRANS,
      statements.first?.sql == Beginning.ofMoment
    {
      (end, statements[0]) = (.sent, ServerStatement("ROLLBACK AND CHAIN"))
    }
    sendEnd()
    if isLost { throw ServerFault.lost(message) }
    let pipeline = try statements.map { try send($0) }
    try check(unsafe PQpipelineSync(handle))
    sent.append(pipeline)
  }

  /// Sends a statement, and returns the key under which it is prepared first; nil if it is not.
  private func send(_ statement: ServerStatement) throws -> KeptStatement? {
    let parameters = statement.parameters
    let count = Int32(parameters.count)
    let (types, formats) = (parameters.types, parameters.formats)
    guard statement.isKept, !isPooled, statement.sql.utf8.count < 100_000 else {
      try unsafe parameters.lend { values, lengths in
        try check(
          unsafe PQsendQueryParams(
            handle, statement.sql, count, types, values, lengths, formats, 1))
      }
      return nil
    }
    let key = statement.key
    let known = kept[key]
    let name = known ?? key.name
    if known == nil {
      try check(unsafe PQsendPrepare(handle, name, statement.sql, count, types))
      kept[key] = name
    }
    try unsafe parameters.lend { values, lengths in
      try check(unsafe PQsendQueryPrepared(handle, name, count, values, lengths, formats, 1))
    }
    return known == nil ? key : nil
  }

  private func check(_ isDone: Int32) throws {
    if isDone == 0 { throw ServerFault.lost(message) }
  }

  private var message: String {
    let text = unsafe PQerrorMessage(handle).map { unsafe String(cString: $0) } ?? ""
    return text.split(whereSeparator: \.isNewline).first.map(String.init) ?? "it gives no reason"
  }

  // MARK: Results

  private func results(
    of pipeline: Pipeline, _ deadline: Deadline, _ cancellation: ReadCancellation?
  ) throws -> [ServerResult] {
    var results: [ServerResult] = []
    var fault: ServerFault?
    var wait = ServerWait(deadline, cancellation)
    defer { awaitCancellation() }
    /// Reads the result of one command.
    func take() throws -> ServerResult? {
      var result: ServerResult?
      while let answer = try unsafe answer(&wait) {
        switch unsafe PQresultStatus(answer) {
        case PGRES_TUPLES_OK, PGRES_COMMAND_OK, PGRES_EMPTY_QUERY:
          result = unsafe ServerResult(answer)
        case PGRES_PIPELINE_ABORTED: unsafe PQclear(answer)
        default:
          let found = unsafe self.fault(answer)
          unsafe PQclear(answer)
          fault = fault ?? found
          if found.isLost { throw found }
        }
      }
      return result
    }
    for key in pipeline {
      if let key, try take() == nil { kept[key] = nil }
      if let result = try take() { results.append(result) }
    }
    while let answer = try unsafe answer(&wait) {
      let isEnd = unsafe PQresultStatus(answer) == PGRES_PIPELINE_SYNC
      unsafe PQclear(answer)
      if isEnd { break }
    }
    if var fault {
      fault.wasCancelled = wait.isCancelled
      throw fault
    }
    guard results.count == pipeline.count else {
      throw ServerFault.lost("answers are missing")
    }
    return results
  }

  /// Returns the next answer; nil at the end of a command's answers.
  private func answer(_ wait: inout ServerWait) throws -> OpaquePointer? {
    while unsafe PQisBusy(handle) != 0 {
      let rest = unsafe PQflush(handle)
      guard rest >= 0 else { throw ServerFault.lost(message) }
      guard try wait.once(unsafe PQsocket(handle), writing: rest > 0, onCancel: { cancel() })
      else { continue }
      // With TLS, the rest of a record may have left the socket already, which would not tell of it.
      for _ in 0...(unsafe PQsslInUse(handle)) {
        if unsafe PQconsumeInput(handle) == 0 { throw ServerFault.lost(message) }
      }
    }
    return unsafe PQgetResult(handle)
  }

  private func fault(_ answer: OpaquePointer) -> ServerFault {
    func field(_ code: Character) -> String {
      unsafe PQresultErrorField(answer, Int32(code.asciiValue ?? 0))
        .map { unsafe String(cString: $0) } ?? ""
    }
    let state = field("C")
    let isFatal = ["FATAL", "PANIC"].contains(field("V"))
    let hasEnded = unsafe PQstatus(handle) == CONNECTION_BAD
    return ServerFault(
      state: state, message: field("M").isEmpty ? message : field("M"), constraint: field("n"),
      table: field("s") + "." + field("t"), isLost: isFatal || state.isEmpty || hasEnded)
  }

  /// Returns whether the server has closed the connection while nobody used it. This costs no trip.
  func hasEnded() -> Bool {
    if isLost { return true }
    var descriptor = unsafe pollfd(fd: PQsocket(handle), events: Int16(POLLIN), revents: 0)
    // The server may have sent a remark. At the end of the connection, nothing can be read.
    while !isLost, unsafe poll(&descriptor, 1, 0) > 0 {
      isLost = unsafe PQconsumeInput(handle) == 0
    }
    return isLost
  }

  /// Returns whether others have given notice since the last call. This costs no trip.
  func takeNotices() -> Bool {
    if hasEnded() { return false }
    var isNoticed = false
    while let notice = unsafe PQnotifies(handle) {
      // A connection hears its own notices, too.
      if unsafe notice.pointee.be_pid != processID { isNoticed = true }
      unsafe PQfreemem(notice)
    }
    return isNoticed
  }

  /// Asks the server to end the statement that is running, on a thread of its own, because the request
  /// opens another connection and may have to wait.
  private func cancel() {
    // Unchecked, because only the thread below has the pointer: this function does not use it after the
    // thread has begun, and the request is a copy that does not need the connection any more.
    @safe struct Request: @unchecked Sendable { let handle: OpaquePointer }
    guard let request = unsafe PQgetCancel(handle) else { return }
    let sent = unsafe Request(handle: request)
    let isDone = DispatchSemaphore(value: 0)
    cancelling = isDone
    Thread {
      var message = [CChar](repeating: 0, count: 256)
      unsafe PQcancel(sent.handle, &message, 256)
      unsafe PQfreeCancel(sent.handle)
      isDone.signal()
    }.start()
  }

  /// The signal that the request to end a statement has reached the server; nil if there is none.
  private var cancelling: DispatchSemaphore?

  /// Waits for the request to end a statement, which could end a later one, perhaps another context's.
  private func awaitCancellation() {
    guard let isDone = cancelling.take() else { return }
    if isDone.wait(timeout: .now() + options.connectTimeout) == .timedOut { isLost = true }
  }
}
#endif
