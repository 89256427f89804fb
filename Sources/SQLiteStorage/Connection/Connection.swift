import CLineageSQLite
import ObjectGraph
import Synchronization

/// One connection to a file, with its statements.
final class Connection: @unchecked Sendable {
  // Used by one owner at a time: a moment under its lock, or by its cursors on its context's
  // isolation; the writer while it has its turn; nobody while it lies in the pool.

  enum Mode {
    case read, write, create
    /// Reads, and leaves the log as it is when it is the last to close.
    case keep
    /// For files that may not be written.
    case readOnly
    /// For files that nobody can change, not even their log.
    case immutable

    var isForReadingOnly: Bool { self == .readOnly || self == .immutable }
  }

  /// Told from those of other connections, whose data versions mean nothing here.
  let number = Connection.numbers.add(1, ordering: .relaxed).newValue
  private static let numbers = Atomic(0)
  private(set) var isClosed = false
  /// Pages in the log, as of this connection's last commit that wrote any.
  var logPages = 0
  private let handle: DatabaseHandle
  private let activity = ActivityMemory()
  /// Long work, such as an opening, whose end is that of what the connection does.
  private var work: Cancellation?
  private var idle: [String: Statement] = [:]
  /// For each entity, the statement that reads one row.
  var rows: [Statement?] = []
  private var beginning: Statement?
  private var snapshotting: Statement?
  private var ending: Statement?

  /// Opens a file. What is done for the work, also here, ends when that is cancelled. Where `keepsLog`
  /// is true the log is left as it is when this connection is the last to close.
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
    // Before anything opens the log, which would then be for reading only, too.
    guard mode != .write || !isReadOnly else {
      throw Fault(code: SQLITE_READONLY, message: "it could only be opened for reading")
    }
    self.keepsLog(keepsLog || mode == .keep)
    self.work = work
    workChanged()
    // A quoted name that the file does not have is an error, not a text.
    handle.configure(SQLITE_DBCONFIG_DQS_DML, false)
    // Sixteen megabytes: the pages of some hundred thousand rows.
    try run("PRAGMA cache_size = -16000")
    try handle.registerFunctions()
    // The store decides when to copy the log.
    if mode == .write || mode == .create { handle.watchLog(for: self) }
  }

  deinit { close() }

  /// Finalizes all statements; a second call does nothing.
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

  /// Returns a statement for the caller alone, until it is given back.
  func take(_ sql: String) throws -> Statement {
    try idle.removeValue(forKey: sql) ?? prepare(sql)
  }

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

  /// Returns a statement that the caller keeps, and finalizes before the connection closes.
  func prepare(_ sql: String) throws -> Statement {
    guard !isClosed else { throw Fault(code: SQLITE_MISUSE, message: "the connection is closed") }
    activity.counts.prepared += 1
    activity.endRead()
    return try handle.prepare(sql, activity)
  }

  /// Does what prepares other statements while one is stepped, whose read goes on.
  func within<R>(_ body: () throws -> R) rethrows -> R {
    try activity.keepingRead(body)
  }

  /// Lends a statement.
  func with<R>(_ sql: String, _ body: (Statement) throws -> R) throws -> R {
    let statement = try take(sql)
    defer { give(back: statement) }
    return try body(statement)
  }

  /// Runs statements that give no rows, or whose rows nobody wants.
  func run(_ sql: String) throws {
    activity.endRead()
    try handle.execute(sql)
  }

  /// Runs one statement with values.
  func run(_ sql: String, _ values: [StoredValue]) throws {
    try with(sql) { statement in
      for (index, value) in values.enumerated() { try statement.bind(value, at: Int32(index + 1)) }
      while try statement.step() {}
    }
  }

  /// Returns all rows of a statement.
  func rows(_ sql: String, _ values: [StoredValue] = []) throws -> [[StoredValue]] {
    try with(sql) { statement in
      for (index, value) in values.enumerated() { try statement.bind(value, at: Int32(index + 1)) }
      var rows: [[StoredValue]] = []
      while try statement.step() {
        rows.append((0..<statement.columnCount).map { statement.cell(Int32($0)).stored })
      }
      return rows
    }
  }

  /// Returns the first column of the first row.
  func value(_ sql: String, _ values: [StoredValue] = []) throws -> StoredValue {
    try with(sql) { statement in
      for (index, value) in values.enumerated() { try statement.bind(value, at: Int32(index + 1)) }
      return try statement.step() ? statement.cell(0).stored : .null
    }
  }

  // MARK: Transactions

  /// Begins a transaction that takes no lock before it reads or writes.
  func begin() throws {
    let statement = try beginning ?? prepare("BEGIN")
    beginning = statement
    try statement.run()
  }

  /// Fixes what the transaction sees, which SQLite leaves to its first read.
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

  /// Whether a transaction is open; a full disk may have ended it already.
  var isInTransaction: Bool { handle.isInTransaction }

  func rollBack() {
    if isInTransaction { try? run("ROLLBACK") }
  }

  /// Rows that the last statement changed.
  @inline(__always)
  var changes: Int { handle.changes }

  var lastInsertedID: Int64 { handle.lastInsertedID }

  /// Changes with each commit that this connection makes or, when it begins to read, sees.
  var dataVersion: UInt32 { handle.dataVersion }

  /// Whether the file could only be opened for reading, whatever was asked for.
  var isReadOnly: Bool { handle.isReadOnly }

  /// Whether another file, or none, lies at the path by now.
  var hasMoved: Bool { handle.hasMoved }

  /// Bytes of a page; fixed when the file was made.
  private(set) lazy var pageSize: Int = {
    if case .integer(let size)? = try? value("PRAGMA page_size") { Int(size) } else { 4096 }
  }()

  /// Sets the seconds that it waits for other connections.
  func wait(_ seconds: Double) {
    activity.patience = Int(max(0, min(seconds, 2_000_000)) * 1000)
  }

  /// The statements that this connection has prepared and stepped.
  var counted: Counts {
    var counted = activity.counts
    if !isClosed {
      counted.pagesRead = handle.pages(SQLITE_DBSTATUS_CACHE_MISS, resetting: false)
    }
    return counted
  }

  // MARK: The log

  /// Copies the log into the file as far as readers allow: pages in the log, pages copied.
  @discardableResult
  func checkpoint() -> (log: Int, copied: Int) { handle.checkpoint() }

  /// Pages that were written to the log since this was asked last; at least as many as the frames
  /// that are there because of it.
  func takeWrittenPages() -> Int {
    handle.pages(SQLITE_DBSTATUS_CACHE_WRITE, resetting: true)
  }

  /// Sets whether the log stays as it is when this connection is the last to close.
  func keepsLog(_ keeps: Bool) {
    handle.configure(SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, keeps)
  }

  // MARK: Long work

  /// Runs what may take long; it ends soon after the work is cancelled, with SQLITE_INTERRUPT.
  func cancellable<R>(_ cancellation: Cancellation, _ body: () throws -> R) throws -> R {
    let before = work
    work = cancellation
    workChanged()
    defer { endWork(before) }
    return try body()
  }

  /// Ends the work that the connection is part of; from now on it is part of none, or of another.
  func endWork(_ next: Cancellation? = nil) {
    work?.interrupts(nil)
    work = next
    workChanged()
  }

  private func workChanged() {
    activity.borrow(work)
    // Before the connection closes, the work forgets it.
    work?.interrupts(handle.interrupter)
  }

  /// Sets whether views may be read. A store has none, and one in place of a table may never end.
  func readsViews(_ reads: Bool) {
    handle.configure(SQLITE_DBCONFIG_ENABLE_VIEW, reads)
  }

  /// Copies the whole database into another, some pages at a time, as of one moment.
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
