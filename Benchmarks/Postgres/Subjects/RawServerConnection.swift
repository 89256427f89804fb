#if Postgres
import CLineagePostgres

/// A connection of libpq in its pipeline mode, which prepares each statement at its first use.
final class RawServerConnection {
  private let handle: OpaquePointer
  private var names: [String: String] = [:]
  /// The number of commands in the pipeline that is not sent yet.
  private var commands = 0
  /// The pipelines whose results were not read yet.
  private var sent: [(commands: Int, isIgnored: Bool)] = []
  /// The number of pipelines that were sent and are not ignored.
  private(set) var trips = 0

  init(_ address: String) throws {
    guard let handle = PQconnectdb(address) else { throw RawServerError("there is no memory") }
    self.handle = handle
    guard PQstatus(handle) == CONNECTION_OK else { throw failure("connect") }
    PQsetNoticeReceiver(handle, { _, _ in }, nil)
    guard PQenterPipelineMode(handle) == 1 else { throw failure("enter the pipeline mode") }
  }

  deinit { PQfinish(handle) }

  /// The number of the server's process for this connection.
  var processID: Int32 { PQbackendPID(handle) }

  /// The place of the server.
  var target: SocketTarget {
    SocketTarget(host: text(PQhost(handle)), port: Int(text(PQport(handle))) ?? 5432)
  }

  /// Returns the address of the same database through a proxy on this machine. The proxy passes bytes on
  /// as they are, and is not encrypted, because it may lead to a socket.
  func address(through port: Int) -> String {
    func quoted(_ value: String) -> String {
      "'" + value.replacing("\\", with: "\\\\").replacing("'", with: "\\'") + "'"
    }
    return "host=127.0.0.1 port=\(port) sslmode=disable user=\(quoted(text(PQuser(handle))))"
      + " dbname=\(quoted(text(PQdb(handle)))) password=\(quoted(text(PQpass(handle))))"
  }

  private func text(_ value: UnsafePointer<CChar>?) -> String {
    value.map { String(cString: $0) } ?? ""
  }

  private func failure(_ attempted: String) -> RawServerError {
    RawServerError("could not \(attempted): \(String(cString: PQerrorMessage(handle)))")
  }

  // MARK: Sending

  /// Adds a statement to the pipeline. Its result comes in the binary format.
  func send(_ sql: String, _ parameters: RawParameters? = nil) throws {
    let count = Int32(parameters?.types.count ?? 0)
    let name: String
    if let known = names[sql] {
      name = known
    } else {
      name = "s\(names.count)"
      names[sql] = name
      guard PQsendPrepare(handle, name, sql, count, parameters?.types) == 1 else {
        throw failure(sql)
      }
      commands += 1
    }
    guard let parameters else {
      guard PQsendQueryPrepared(handle, name, 0, nil, nil, nil, 1) == 1 else { throw failure(sql) }
      return commands += 1
    }
    let isSent = parameters.withValues { values, lengths, formats in
      PQsendQueryPrepared(handle, name, count, values, lengths, formats, 1)
    }
    guard isSent == 1 else { throw failure(sql) }
    commands += 1
  }

  /// Ends the pipeline, so that the server runs it. If the result is ignored, nobody waits for it.
  func sync(isIgnored: Bool = false) throws {
    guard PQpipelineSync(handle) == 1 else { throw failure("send a pipeline") }
    sent.append((commands, isIgnored))
    commands = 0
    if !isIgnored { trips += 1 }
  }

  // MARK: Receiving

  /// Reads the first pipeline that is not ignored, and returns the result of its last statement.
  @discardableResult
  func receive() throws -> RawServerResult {
    while true {
      let pipeline = sent.removeFirst()
      var last: RawServerResult?
      for _ in 0..<pipeline.commands { last = try next() }
      guard let sync = PQgetResult(handle), let last else { throw failure("read a result") }
      PQclear(sync)
      if !pipeline.isIgnored { return last }
    }
  }

  private func next() throws -> RawServerResult {
    guard let answer = PQgetResult(handle) else { throw failure("read a result") }
    let result = RawServerResult(answer)
    let status = PQresultStatus(answer)
    guard status == PGRES_TUPLES_OK || status == PGRES_COMMAND_OK else {
      throw RawServerError(String(cString: PQresultErrorMessage(answer)))
    }
    // A null follows the result of each command.
    guard PQgetResult(handle) == nil else { throw failure("read a result") }
    return result
  }

  /// Runs one statement, and returns its result.
  func run(_ sql: String, _ parameters: RawParameters? = nil) throws -> RawServerResult {
    try send(sql, parameters)
    try sync()
    return try receive()
  }
}

struct RawServerError: Error, CustomStringConvertible {
  let description: String

  init(_ reason: String) { description = "The server answers: \(reason)" }
}
#endif
