import CLineageSQLite
import Dispatch
import Foundation
import LineageFiles
import ObjectGraph

/// The store's only connection that writes. It opens when it is first needed.
final class Writer: @unchecked Sendable {
  // All variables are used only while `turn` is held.

  private let path: String
  private let options: StoreOptions
  private let limits: FileLimits
  private let tables: [FileTable]
  private let turn = DispatchSemaphore(value: 1)
  private var connection: Connection?
  private var statements: WriteStatements?
  private var isClosed = false
  /// The counts of the writer's earlier connections, which are closed by now.
  private var counts = Counts()

  init(path: String, options: StoreOptions, _ limits: FileLimits, tables: [FileTable]) {
    self.path = path
    self.options = options
    self.limits = limits
    self.tables = tables
  }

  /// Runs a closure with the statements for writing, while no other thread of this process writes.
  /// Throws `timeout` if another thread writes for too long.
  func exclusively<R>(
    _ attempted: String, _ body: (WriteStatements) throws -> R
  ) throws -> R {
    let start = DispatchTime.now()
    guard turn.wait(timeout: start + options.timeout) == .success else {
      throw GraphError(attempted, .timeout(seconds: options.timeout))
    }
    defer { turn.signal() }
    guard !isClosed else { throw GraphError(attempted, .closed) }
    guard !options.isReadOnly else { throw GraphError(attempted, .readOnly) }
    do {
      return try body(try openedStatements())
    } catch let fault as SQLiteFault where fault.primary == SQLITE_READONLY {
      // If SQLite cannot open the file or its log for writing, SQLite opens it for reading only.
      // The connection cannot change this later, so it is closed here.
      drop()
      guard SystemCalls.permits(W_OK, at: path) else { throw GraphError(attempted, .readOnly) }
    } catch let fault as SQLiteFault {
      throw fault.error(attempted, waited: options.timeout)
    }
    // A second attempt is safe, because no transaction began, and the obstacle may be gone.
    do {
      return try body(try openedStatements())
    } catch let fault as SQLiteFault {
      guard fault.primary == SQLITE_READONLY else {
        throw fault.error(attempted, waited: options.timeout)
      }
      drop()
      throw GraphError(attempted, .inputOutput("\(path) could not be opened for writing"))
    }
  }

  /// The counts of all writing so far.
  var counted: Counts {
    turn.wait()
    defer { turn.signal() }
    return counts + (connection?.counted ?? Counts())
  }

  func close() {
    turn.wait()
    defer { turn.signal() }
    isClosed = true
    drop()
  }

  /// Closes the connection. The next save opens another one.
  private func drop() {
    statements?.finalize()
    statements = nil
    if let connection { counts = counts + connection.counted }
    connection?.close()
    connection = nil
  }

  private func openedStatements() throws -> WriteStatements {
    if let statements { return statements }
    let connection = try Connection(path: path, mode: .write, waiting: options.timeout)
    try connection.configureForWriting(limits)
    let statements = WriteStatements(connection, tables)
    self.connection = connection
    self.statements = statements
    return statements
  }
}

extension Connection {
  /// Sets the options of a connection that writes.
  func configureForWriting(_ limits: FileLimits) throws {
    try run("PRAGMA synchronous = NORMAL; PRAGMA foreign_keys = ON")
    if let pages = limits.maximumPages { try run("PRAGMA max_page_count = \(pages)") }
  }
}
