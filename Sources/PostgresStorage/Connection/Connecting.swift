#if Postgres
import CLineagePostgres
import Dispatch
import Foundation
import ObjectGraph
import Synchronization

/// The making of connections to the servers of an address.
struct Connecting: Sendable {
  private let options: PostgresOptions
  private let address: ServerAddress

  init(_ options: PostgresOptions) throws {
    self.options = options
    address = try ServerAddress(options.address)
  }

  /// Opens a connection, or throws the fault when the time is over.
  ///
  /// It is opened on a thread of its own, which may wait longer: looking up a name has no deadline.
  func connect() throws -> ServerConnection {
    let deadline = Deadline(in: options.connectTimeout)
    let keywords = address.keywords(password: try options.password?())
    let outcome = Outcome()
    Thread {
      outcome.set(Result { [options] in try Self.connect(keywords, deadline, options) })
    }.start()
    do {
      guard let result = outcome.take(waiting: deadline) else {
        throw ServerFault.lost("it could not be reached in \(options.connectTimeout) s")
      }
      let connection = try result.get()
      options.onEvent?(.connected(process: Int(connection.processID)))
      return connection
    } catch let fault as ServerFault {
      options.onEvent?(.lost(fault.message))
      throw fault
    }
  }

  private static func connect(
    _ keywords: [(String, String)], _ deadline: Deadline, _ options: PostgresOptions
  ) throws -> ServerConnection {
    var names = unsafe keywords.map { unsafe UnsafePointer(strdup($0.0)) }
    var values = unsafe keywords.map { unsafe UnsafePointer(strdup($0.1)) }
    defer {
      var all = unsafe names + values
      while let text = unsafe all.popLast() { unsafe free(UnsafeMutableRawPointer(mutating: text)) }
    }
    unsafe names.append(nil)
    unsafe values.append(nil)
    guard let handle = unsafe PQconnectStartParams(names, values, 0) else {
      throw ServerFault(state: "53200", "there is no memory for a connection")
    }
    do {
      try unsafe finish(handle, deadline)
    } catch {
      unsafe PQfinish(handle)
      throw error
    }
    return unsafe ServerConnection(handle, options)
  }

  private static func finish(_ handle: OpaquePointer, _ deadline: Deadline) throws {
    var status =
      unsafe PQstatus(handle) == CONNECTION_BAD ? PGRES_POLLING_FAILED : PGRES_POLLING_WRITING
    var wait = ServerWait(deadline)
    while status != PGRES_POLLING_OK {
      guard status != PGRES_POLLING_FAILED else {
        let text = unsafe PQerrorMessage(handle).map { unsafe String(cString: $0) } ?? ""
        let lines = text.split(whereSeparator: \.isNewline).map(String.init)
        throw ServerFault.lost(lines.joined(separator: "; "))
      }
      try wait.until(
        unsafe PQsocket(handle), canBe: status == PGRES_POLLING_WRITING ? .write : .read)
      status = unsafe PQconnectPoll(handle)
    }
  }

  /// The connection, or the fault, from the thread that connects. If nobody waits for it any more, the
  /// connection is closed.
  private final class Outcome: Sendable {
    private let result = Mutex<Result<ServerConnection, any Error>?>(nil)
    private let isSet = DispatchSemaphore(value: 0)

    func set(_ result: Result<ServerConnection, any Error>) {
      self.result.withLock { $0 = result }
      isSet.signal()
    }

    func take(waiting deadline: Deadline) -> Result<ServerConnection, any Error>? {
      _ = isSet.wait(timeout: deadline.end)
      return result.withLock { $0 }
    }
  }
}
#endif
