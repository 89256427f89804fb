import CLineageSQLite
import ObjectGraph
import Synchronization

/// A connection to a file, with its prepared statements.
final class Connection: @unchecked Sendable {
  // One owner uses the connection at a time. The owner is a moment under its lock, or the moment's
  // cursors on their context's isolation, or the writer while it has its turn. A connection in the
  // pool is not used.

  enum Mode {
    case read, write, create
    /// Reads. The log stays as it is even when this connection is the last to close.
    case keep
    /// Reads a file that this process may not write.
    case readOnly
    /// Reads a file that no process can change, because it has no log and none can be made.
    case immutable

    var isForReadingOnly: Bool { self == .readOnly || self == .immutable }
  }

  /// The connection's number in this process, because data versions of different connections cannot
  /// be compared.
  let number = Connection.numbers.add(1, ordering: .relaxed).newValue
  private static let numbers = Atomic(0)
  private(set) var isClosed = false
  /// The number of pages in the log after this connection's last commit that wrote pages.
  var logPages = 0
  private let handle: DatabaseHandle
  private let activity = ActivityMemory()
  /// The long work that the connection is part of, such as an opening. Cancelling it ends the
  /// connection's statements.
  private var work: Cancellation?
  private var idle: [String: Statement] = [:]
  /// The statement that reads one row, for each entity.
  var rows: [Statement?] = []
  private var beginning: Statement?
  private var snapshotting: Statement?
  private var ending: Statement?

  /// Opens a file. Cancelling the work ends the opening, too. If `keepsLog` is true, the log stays
  /// as it is when this connection is the last to close.
  init(
    path: String, mode: Mode, waiting seconds: Double, for work: Cancellation? = nil,
    keepsLog: Bool = false
  ) throws {
    var flags = SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE | SQLITE_OPEN_URI
    switch mode {
    case .read, .write, .keep: flags |= SQLITE_OPEN_READWRITE
    case .readOnly, .immutable: flags |= SQLITE_OPEN_READONLY
    case .create: flags |= SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE
    }
    let name = Self.uri(path) + (mode == .immutable ? "?immutable=1" : "")
    handle = try DatabaseHandle(uri: name, flags: flags)
    handle.attach(activity, mayEnd: mode != .write)
    wait(seconds)
    // This is checked before the log is opened, because a log that is opened now would be
    // read-only, too.
    guard mode != .write || !isReadOnly else {
      throw Fault(code: SQLITE_READONLY, message: "it could only be opened for reading")
    }
    self.keepsLog(keepsLog || mode == .keep)
    self.work = work
    workChanged()
    // A quoted name that a table lacks is an error. By default SQLite takes it for a text, so a
    // column that another process has renamed would be read as its own name.
    handle.configure(SQLITE_DBCONFIG_DQS_DML, false)
    // A cache of 16 MB. With 8 MB it held less than the 100,000 rows of the store benchmarks, so
    // that rows were read again from the file.
    try run("PRAGMA cache_size = -16000")
    try handle.registerFunctions()
    // The store decides when the log is copied into the file, instead of SQLite.
    if mode == .write || mode == .create { handle.watchLog(for: self) }
  }

  deinit { close() }

  /// Finalizes all statements and closes the connection. A second call does nothing.
  func close() {
    guard !isClosed else { return }
    isClosed = true
    work?.interrupts(nil)
    beginning?.finalize()
    snapshotting?.finalize()
    ending?.finalize()
    for statement in rows { statement?.finalize() }
    for statement in idle.values { statement.finalize() }
    rows = []
    idle = [:]
    handle.close()
  }

  // MARK: Statements

  /// Returns a statement that only the caller uses, until it gives the statement back.
  func take(_ sql: String) throws -> Statement {
    try idle.removeValue(forKey: sql) ?? prepare(sql)
  }

  /// Takes a statement back, and keeps it for the next call with the same SQL.
  func give(back statement: Statement) {
    statement.reset()
    statement.clear()
    statement.endRead()
    activity.counts.machineSteps += statement.takeMachineSteps()
    if idle.count >= 100 {
      for other in idle.values { other.finalize() }
      idle.removeAll(keepingCapacity: true)
    }
    if let other = idle.updateValue(statement, forKey: statement.sql) { other.finalize() }
  }

  /// Returns a statement that the caller keeps. The caller finalizes it before the connection
  /// closes.
  func prepare(_ sql: String) throws -> Statement {
    guard !isClosed else { throw Fault(code: SQLITE_MISUSE, message: "the connection is closed") }
    activity.counts.prepared += 1
    activity.endRead()
    return try handle.prepare(sql, activity)
  }

  /// Runs a closure that prepares other statements during a step, without ending the step's read.
  func within<R>(_ body: () throws -> R) rethrows -> R {
    try activity.keepingRead(body)
  }

  /// Calls a closure with a statement.
  func with<R>(_ sql: String, _ body: (Statement) throws -> R) throws -> R {
    let statement = try take(sql)
    defer { give(back: statement) }
    return try body(statement)
  }

  /// Runs statements, and ignores any rows.
  func run(_ sql: String) throws {
    activity.endRead()
    try handle.execute(sql)
  }

  // MARK: Transactions

  /// Begins a transaction that takes no lock before its first read or write.
  func begin() throws {
    let statement = try beginning ?? prepare("BEGIN")
    beginning = statement
    try statement.run()
  }

  /// Fixes the state of the file that the transaction sees. SQLite would fix it only at the first
  /// read.
  func takeSnapshot() throws {
    let statement = try snapshotting ?? prepare("SELECT 1 FROM sqlite_schema LIMIT 1")
    snapshotting = statement
    defer { statement.reset() }
    _ = try statement.step()
  }

  func commit() throws {
    let statement = try ending ?? prepare("COMMIT")
    ending = statement
    try statement.run()
  }

  /// Whether a transaction is open. SQLite may have ended it already because the disk is full.
  var isInTransaction: Bool { handle.isInTransaction }

  func rollBack() {
    if isInTransaction { try? run("ROLLBACK") }
  }

  /// The number of rows that the last statement changed.
  @inline(__always)
  var changes: Int { handle.changes }

  var lastInsertedID: Int64 { handle.lastInsertedID }

  /// SQLite's data version. It changes with each commit that this connection makes, or sees when it
  /// begins to read.
  var dataVersion: UInt32 { handle.dataVersion }

  /// Whether the file could only be opened for reading, even if the mode is for writing.
  var isReadOnly: Bool { handle.isReadOnly }

  /// Whether another file, or none, now lies at the path.
  var hasMoved: Bool { handle.hasMoved }

  /// The size of a page in bytes, which is fixed when the file is made.
  private(set) lazy var pageSize: Int = {
    if case .integer(let size)? = try? value("PRAGMA page_size") { Int(size) } else { 4096 }
  }()

  /// Sets the time that the connection waits for others, in seconds.
  func wait(_ seconds: Double) {
    activity.patience = Int(max(0, min(seconds, 2_000_000)) * 1000)
  }

  /// The numbers of statements that this connection has prepared and stepped, and of pages that it
  /// has read.
  var counted: Counts {
    var counted = activity.counts
    if !isClosed {
      counted.pagesRead = handle.pages(SQLITE_DBSTATUS_CACHE_MISS, resetting: false)
    }
    return counted
  }

  // MARK: The log

  /// Copies the log into the file as far as readers allow. Returns the number of pages in the log
  /// and of pages copied.
  @discardableResult
  func checkpoint() -> (log: Int, copied: Int) { handle.checkpoint() }

  /// Returns the number of pages that this connection has written to the log since the last call.
  /// They have added at most as many frames to the log.
  func takeWrittenPages() -> Int {
    handle.pages(SQLITE_DBSTATUS_CACHE_WRITE, resetting: true)
  }

  /// Sets whether the log stays as it is when this connection is the last to close.
  func keepsLog(_ keeps: Bool) {
    handle.configure(SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, keeps)
  }

  // MARK: Long work

  /// Runs a closure that may take long. Soon after the work is cancelled, the connection's
  /// statements fail with SQLITE_INTERRUPT.
  func cancellable<R>(_ cancellation: Cancellation, _ body: () throws -> R) throws -> R {
    let before = work
    work = cancellation
    workChanged()
    defer { endWork(before) }
    return try body()
  }

  /// Detaches the connection from its work, and attaches it to the next, if there is one.
  func endWork(_ next: Cancellation? = nil) {
    work?.interrupts(nil)
    work = next
    workChanged()
  }

  private func workChanged() {
    activity.borrow(work)
    // The connection takes the interrupter back before it closes, so that no work uses a closed
    // handle.
    work?.interrupts(handle.interrupter)
  }

  /// Sets whether views may be read. A store has no views, and a view in the place of a table may
  /// give rows without end.
  func readsViews(_ reads: Bool) {
    handle.configure(SQLITE_DBCONFIG_ENABLE_VIEW, reads)
  }

  /// Copies the whole database, as it is at one moment, into another, some pages at a time. Calls a
  /// closure with the completed fraction after each part.
  func copy(into target: Connection, pages: Int32, between: (Double) throws -> Void) throws {
    try handle.copy(into: target.handle, pages: pages, between: between)
  }

  private static func uri(_ path: String) -> String {
    var text = "file:"
    for byte in path.utf8 {
      switch byte {
      case UInt8(ascii: "/"), UInt8(ascii: "."), UInt8(ascii: "-"), UInt8(ascii: "_"),
        UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "z"),
        UInt8(ascii: "A")...UInt8(ascii: "Z"):
        text.unicodeScalars.append(Unicode.Scalar(byte))
      default:
        let hex = String(byte, radix: 16, uppercase: true)
        text += "%" + (hex.count == 1 ? "0" : "") + hex
      }
    }
    return text
  }
}
