import CLineageSQLite
import Dispatch
import Foundation
import LineageFiles
import ObjectGraph

/// The store's only connection that writes. It opens when it is first needed.
final class Writer: @unchecked Sendable {
  // All variables are used only while `turn` is held.

  private let pool: Pool
  private let options: StoreOptions
  private let limits: FileLimits
  private let tables: [FileTable]
  private let turn = DispatchSemaphore(value: 1)
  private var statements: WriteStatements?
  private var isClosed = false
  /// The counts of the writer's earlier connections, which are closed by now.
  private var counts = Counts()

  init(_ pool: Pool, _ options: StoreOptions, _ limits: FileLimits, _ tables: [FileTable]) {
    self.pool = pool
    self.options = options
    self.limits = limits
    self.tables = tables
  }

  /// Runs a closure with the statements for writing, while no other thread of this process writes.
  /// Throws `timeout` if another thread writes for too long.
  func exclusively<R>(_ attempted: String, _ body: (WriteStatements) throws -> R) throws -> R {
    let start = DispatchTime.now()
    guard turn.wait(timeout: start + options.timeout) == .success else {
      throw GraphError(attempted, .timeout(seconds: options.timeout))
    }
    defer { turn.signal() }
    guard !isClosed else { throw GraphError(attempted, .closed) }
    guard !options.isReadOnly else { throw GraphError(attempted, .readOnly) }
    var isLast = false
    while true {
      do {
        return try body(try openedStatements())
      } catch let fault as SQLiteFault {
        guard fault.primary == SQLITE_READONLY else {
          throw fault.error(attempted, waited: options.timeout)
        }
        // If SQLite cannot open the file or its log for writing, SQLite opens it for reading only.
        // The connection cannot change this later, so it is closed here. A second attempt is safe,
        // because no transaction began, and the obstacle may be gone.
        drop()
        let path = pool.path
        guard SystemCalls.permits(W_OK, at: path) else { throw GraphError(attempted, .readOnly) }
        guard !isLast else {
          throw GraphError(attempted, .inputOutput("\(path) could not be opened for writing"))
        }
        isLast = true
      }
    }
  }

  /// The counts of all writing so far.
  var counted: Counts {
    turn.wait()
    defer { turn.signal() }
    return counts + (statements?.connection.counted ?? Counts())
  }

  func close() {
    turn.wait()
    defer { turn.signal() }
    isClosed = true
    drop()
  }

  /// Closes the connection. The next save opens another one.
  private func drop() {
    guard let connection = statements?.connection else { return }
    statements = nil
    counts = counts + connection.counted
    connection.close()
  }

  private func openedStatements() throws -> WriteStatements {
    if let statements { return statements }
    let connection = try pool.open(for: .write)
    try connection.run("PRAGMA synchronous = NORMAL; PRAGMA foreign_keys = ON")
    try connection.limitPages(limits.maximumPages)
    let opened = WriteStatements(connection, tables)
    statements = opened
    return opened
  }
}
