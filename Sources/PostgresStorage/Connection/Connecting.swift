#if Postgres
import CLineagePostgres
import Dispatch
import Foundation
import ObjectGraph
import Synchronization

/// The number of the present generation of a store's connections.
///
/// It grows when the server's run changes, because a connection from before may lead to the server that
/// was left. Such a connection is replaced after its use.
final class ServerGeneration: Sendable {
  private let current = Atomic(0)

  var number: Int {
    get { current.load(ordering: .acquiring) }
    set { current.store(newValue, ordering: .releasing) }
  }
}

/// The number of times that connections have sent something for whose answer somebody waits.
final class TripCount: Sendable {
  private let current = Atomic(0)

  var number: Int { current.load(ordering: .relaxed) }

  func add() { current.add(1, ordering: .relaxed) }
}

/// The making of connections to the servers of an address.
struct Connecting: Sendable {
  private let options: PostgresOptions
  private let address: ServerAddress
  /// The present generation of the connections.
  let generation = ServerGeneration()

  init(_ options: PostgresOptions) throws {
    self.options = options
    address = try ServerAddress(options.address)
  }

  /// Opens a connection, or throws the fault when the time is over. Unless there is a pooler, the server
  /// gets the settings for moments and commits, if they are wanted.
  ///
  /// It is opened on a thread of its own, which may wait longer: looking up a name has no deadline. libpq
  /// itself goes on to the next server if one does not answer.
  func connect(
    withSettings hasSettings: Bool = true, counting trips: TripCount? = nil
  ) throws -> ServerConnection {
    let deadline = Deadline(in: options.connectTimeout)
    let keywords = address.keywords(
      password: try options.password?(), seconds: options.connectTimeout)
    let outcome = Outcome()
    // The server's run may change while the connection is made. Then it counts as an old one.
    let number = generation.number
    Thread { [options, generation] in
      outcome.set(
        Result {
          let handle = try unsafe Self.connect(keywords)
          let connection = unsafe ServerConnection(handle, options, trips, generation, number)
          try connection.findPooler(until: deadline)
          if hasSettings, !connection.isPooled {
            connection.post(Beginning.settings(options, isLocal: false))
          }
          return connection
        })
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

  private static func connect(_ keywords: [(String, String)]) throws -> OpaquePointer {
    var names = unsafe keywords.map { unsafe UnsafePointer(strdup($0.0)) }
    var values = unsafe keywords.map { unsafe UnsafePointer(strdup($0.1)) }
    defer {
      var all = unsafe names + values
      while let text = unsafe all.popLast() { unsafe free(UnsafeMutableRawPointer(mutating: text)) }
    }
    unsafe names.append(nil)
    unsafe values.append(nil)
    guard let handle = unsafe PQconnectdbParams(names, values, 0) else {
      throw ServerFault(state: "53200", message: "there is no memory for a connection")
    }
    guard unsafe PQstatus(handle) == CONNECTION_OK else {
      defer { unsafe PQfinish(handle) }
      let text = unsafe PQerrorMessage(handle).map { unsafe String(cString: $0) } ?? ""
      throw ServerFault.lost(text.split(whereSeparator: \.isNewline).joined(separator: "; "))
    }
    return unsafe handle
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
