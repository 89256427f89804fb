import CLineageSQLite
import Foundation
import ObjectGraph
import Synchronization

/// A connection to a file. It keeps the statements that were prepared on it.
final class Connection: @unchecked Sendable {
  // Only one owner at a time uses the connection. The owner is either a moment that holds its lock,
  // or the moment's cursors on the isolation of their context, or the writer during its turn. An
  // idle connection in the pool has no owner.

  enum Mode {
    case read, write, create
    /// A mode for reading. Even if this connection is the last one to close, the log stays as it
    /// is.
    case keep
    /// A mode for reading a file that this process has no permission to write.
    case readOnly
    /// A mode for reading a file that has no log, and for which this process cannot make one. The
    /// file is taken as unchangeable, because each change needs a log.
    case immutable

    var isForReadingOnly: Bool { self == .readOnly || self == .immutable }
  }

  let mode: Mode
  private(set) var isClosed = false
  /// The number of pages in the log after this connection's last commit that wrote pages.
  var logPages = 0
  /// The lock that shows other processes that this process has the file open. It ends when the last
  /// connection that has it is closed.
  var presence: Presence?
  /// SQLite's data version after this connection's last commit; nil before the first one.
  var committedVersion: UInt32?
  let handle: DatabaseHandle
  private let activity = Activity()
  /// The judge of programs' statements; nil for a connection that runs none.
  private let authorizer: Authorizer?
  /// Whether the functions `json_each` and `json_tree` are ready for programs' statements.
  private var connectsJSON = false
  private var idle: [String: Statement] = [:]
  private var kept: [String: Statement] = [:]
  /// For each entity, the statement that reads one row by its id; nil until it is first needed.
  ///
  /// Exclusivity checking is off, because each read of a row would be checked (`by id`). This is
  /// safe because no function calls other code while it changes the array.
  @exclusivity(unchecked) @safe private var rowStatements: [Statement?] = []

  /// Opens a file. Cancelling `work` also ends this opening. If `keepsLog` is true, the log stays
  /// as it is even if this connection is the last one to close.
  init(
    path: String, mode: Mode, waiting seconds: Double, for work: Cancellation? = nil,
    keepsLog: Bool = false, presence: Presence? = nil
  ) throws {
    self.mode = mode
    self.presence = presence
    authorizer = mode == .write || mode == .create ? nil : Authorizer()
    var flags = SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE
    switch mode {
    case .read, .write, .keep: flags |= SQLITE_OPEN_READWRITE
    case .readOnly, .immutable: flags |= SQLITE_OPEN_READONLY
    case .create: flags |= SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE
    }
    var name = path
    if mode == .immutable {
      name = URL(fileURLWithPath: path, isDirectory: false).absoluteString + "?immutable=1"
      flags |= SQLITE_OPEN_URI
    }
    handle = try DatabaseHandle(name, flags: flags)
    handle.attach(activity, mayEnd: mode != .write)
    if let authorizer { handle.attach(authorizer) }
    setLockTimeout(seconds)
    // This is checked before the log is opened, because SQLite would open the log for reading only,
    // too.
    guard mode != .write || !handle.isReadOnly else {
      throw SQLiteFault(code: SQLITE_READONLY, message: "it could only be opened for reading")
    }
    handle.setKeepsLog(keepsLog || mode == .keep)
    handle.setReadsViews(mode == .write || mode == .create)
    setWork(work)
    // A quoted name that is no column becomes an error. By default SQLite takes such a name for a
    // text. Each row would then contain the name of a column that another process has renamed.
    handle.configure(SQLITE_DBCONFIG_DQS_DML, false)
    try limitCache(kilobytes: Self.cache)
    #if canImport(Darwin)
    // Here `fsync` leaves the bytes in the disk's cache.
    try run("PRAGMA fullfsync = ON; PRAGMA checkpoint_fullfsync = ON")
    #endif
    try handle.registerFunctions(activity)
    // The store, not SQLite, decides when the log is copied into the file.
    if mode == .write || mode == .create { handle.watchLog(for: self) }
  }

  deinit { close() }

  /// Frees all statements and closes the connection. A second call does nothing.
  func close() {
    guard !isClosed else { return }
    isClosed = true
    setWork(nil)
    (idle, kept, rowStatements) = ([:], [:], [])
    handle.close()
    presence = nil
  }

  // MARK: Statements

  /// Returns a statement for the caller's use alone. The caller must give it back with
  /// ``give(back:)``.
  func take(_ sql: String) throws -> Statement {
    try idle.removeValue(forKey: sql) ?? prepare(sql)
  }

  /// Takes back a statement from ``take(_:)``, and keeps it for the next call of ``take(_:)`` with
  /// equal SQL.
  func give(back statement: Statement) {
    statement.reset()
    statement.clear()
    statement.read = Read()
    activity.counts.machineSteps += statement.takeMachineSteps()
    if idle.count >= 100 {
      for other in idle.values { other.finalize() }
      idle.removeAll(keepingCapacity: true)
    }
    if let other = idle.updateValue(statement, forKey: statement.sql) { other.finalize() }
  }

  /// Returns a statement of a program for the caller's use alone, as ``take(_:)`` does. A read
  /// transaction must be under way.
  ///
  /// - Throws: `StatementRefusal` if the text is not one statement that only reads.
  func takeRead(_ sql: String, parameters: Int) throws -> Statement {
    let cookie = try cookie()
    if let statement = idle.removeValue(forKey: sql) {
      if statement.facts?.cookie == cookie { return statement }
      statement.finalize()
    }
    guard let authorizer else { throw StatementRefusal(message: "the connection is for saves") }
    if !connectsJSON {
      // SQLite connects the functions that return rows at their first use, which the authorizer
      // would take for a change.
      try? run("SELECT 1 FROM json_each('[]'), json_tree('[]')")
      connectsJSON = true
    }
    activity.counts.prepared += 1
    activity.endStep()
    let (statement, tables) = try handle.prepareRead(
      sql, activity, authorizer, parameters: parameters)
    statement.facts = StatementFacts(
      columns: statement.columnNames, tables: tables, cookie: cookie)
    return statement
  }

  /// Returns a statement that the connection keeps until it is closed, for short uses.
  func kept(_ sql: String) throws -> Statement {
    if let statement = kept[sql] { return statement }
    let statement = try prepare(sql)
    kept[sql] = statement
    return statement
  }

  /// Returns the statement that reads one row of an entity by its id.
  @inline(__always)
  func row(of entity: Int, _ sql: @autoclosure () -> String) throws -> Statement {
    if entity < rowStatements.count, let statement = rowStatements[entity] { return statement }
    while rowStatements.count <= entity { rowStatements.append(nil) }
    let statement = try prepare(sql())
    rowStatements[entity] = statement
    return statement
  }

  private func prepare(_ sql: String) throws -> Statement {
    guard !isClosed else {
      throw SQLiteFault(code: SQLITE_MISUSE, message: "the connection is closed")
    }
    activity.counts.prepared += 1
    activity.endStep()
    return try handle.prepare(sql, activity)
  }

  /// Runs the statements in a text, and ignores the rows that they return.
  func run(_ sql: String) throws {
    activity.endStep()
    try handle.execute(sql)
  }

  /// Runs one statement with values for its parameters, and ignores the rows that it returns.
  func run(_ sql: String, _ values: [StoredValue]) throws { _ = try rows(sql, values) }

  /// Returns the first column of a statement's first row; null if there is no row.
  func value(_ sql: String, _ values: [StoredValue] = []) throws -> StoredValue {
    try rows(sql, values, limit: 1).first?[0] ?? .null
  }

  /// Returns the rows of a statement. The values are those of its parameters.
  func rows(
    _ sql: String, _ values: [StoredValue] = [], limit: Int = .max
  ) throws -> [[StoredValue]] {
    let statement = try take(sql)
    defer { give(back: statement) }
    try statement.bind(values)
    var rows: [[StoredValue]] = []
    while rows.count < limit, try statement.step() { rows.append(statement.values) }
    return rows
  }

  // MARK: Transactions

  /// Begins a transaction that takes no lock before its first read or write.
  func begin() throws { try kept("BEGIN").run() }

  /// Returns SQLite's count of changes to tables and indexes, which is in the file's header.
  func cookie() throws -> Int {
    let statement = try kept("PRAGMA schema_version")
    defer { statement.reset() }
    return try statement.step() ? Int(statement.integer(0)) : 0
  }

  func commit() throws { try kept("COMMIT").run() }

  /// Ends a transaction that has written nothing.
  func endReading() {
    do { try commit() } catch { rollBack() }
  }

  /// The usual limit of the cache. With 8 MB it held less than the 100,000 rows of the benchmarks
  /// `update` and `by id`, so that rows were read again from the file.
  static let cache = 16_000

  /// Limits how much of the file the connection keeps in memory after it was read.
  func limitCache(kilobytes: Int) throws { try run("PRAGMA cache_size = -\(kilobytes)") }

  func rollBack() {
    if handle.isInTransaction { try? run("ROLLBACK") }
  }

  /// Sets the number of pages at which the file counts as full; nil if only the disk limits it.
  func limitPages(_ pages: Int?) throws {
    if let pages { try run("PRAGMA max_page_count = \(pages)") }
  }

  /// The size of a page in bytes, which is fixed when the file is made.
  private(set) lazy var pageSize: Int = {
    if case .integer(let size)? = try? value("PRAGMA page_size") { Int(size) } else { 4096 }
  }()

  /// Sets the longest time that the connection waits for a lock of another connection, in seconds.
  func setLockTimeout(_ seconds: Double) {
    activity.lockTimeout = Int(max(0, min(seconds, 2_000_000)) * 1000)
  }

  /// The counts of this connection's operations so far. After it is closed, `pagesRead` is zero.
  var counted: Counts {
    var counted = activity.counts
    if !isClosed {
      counted.pagesRead = handle.pages(SQLITE_DBSTATUS_CACHE_MISS, resetting: false)
    }
    return counted
  }

  // MARK: Long work

  /// Sets the long work, such as opening a store, for which the connection is used; nil for none.
  /// Soon after the work is cancelled, the connection's statements fail with SQLITE_INTERRUPT.
  func setWork(_ work: Cancellation?) {
    // When `close()` calls this function, the former work can no longer use the handle.
    activity.work?.setInterrupter(nil)
    activity.work = work
    work?.setInterrupter(handle.interrupter)
  }

  /// Runs a closure as long work that can be cancelled.
  func cancellable<R>(_ cancellation: Cancellation, _ body: () throws -> R) throws -> R {
    let before = activity.work
    setWork(cancellation)
    defer { setWork(before) }
    return try body()
  }
}
