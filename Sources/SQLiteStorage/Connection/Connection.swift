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
  private let handle: OpaquePointer
  private let activity: UnsafeMutablePointer<Activity>
  /// Long work, such as an opening, whose end is that of what the connection does.
  private var work: Cancellation?
  private var idle: [String: Statement] = [:]
  /// For each entity, the statement that reads one row; no code runs while it is written.
  @exclusivity(unchecked) var rows: [Statement?] = []
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
    var opened: OpaquePointer?
    let name = Self.uri(path) + (mode == .immutable ? "?immutable=1" : "")
    let code = sqlite3_open_v2(name, &opened, flags, nil)
    guard code == SQLITE_OK, let opened else {
      let fault = opened == nil ? Fault(code: code, message: "out of memory") : Fault(opened)
      sqlite3_close_v2(opened)
      throw fault
    }
    handle = opened
    activity = .allocate(capacity: 1)
    activity.initialize(to: Activity())
    Activity.attach(activity, to: opened, mayEnd: mode != .write)
    wait(seconds)
    // Before anything opens the log, which would then be for reading only, too.
    guard mode != .write || !isReadOnly else {
      throw Fault(code: SQLITE_READONLY, message: "it could only be opened for reading")
    }
    self.keepsLog(keepsLog || mode == .keep)
    self.work = work
    workChanged()
    // A quoted name that the file does not have is an error, not a text.
    _ = lineage_sqlite_configure(opened, SQLITE_DBCONFIG_DQS_DML, 0)
    // Sixteen megabytes: the pages of some hundred thousand rows.
    try run("PRAGMA cache_size = -16000")
    try Functions.register(on: handle)
    if mode == .write || mode == .create { watchLog() }
  }

  deinit {
    close()
    activity.deallocate()
  }

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
    sqlite3_close_v2(handle)
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
    activity.pointee.counts.machineSteps += statement.takeMachineSteps()
    if idle.count >= 100 {
      for other in idle.values { other.finalize() }
      idle.removeAll(keepingCapacity: true)
    }
    if let other = idle.updateValue(statement, forKey: statement.sql) { other.finalize() }
  }

  /// Returns a statement that the caller keeps, and finalizes before the connection closes.
  func prepare(_ sql: String) throws -> Statement {
    guard !isClosed else { throw Fault(code: SQLITE_MISUSE, message: "the connection is closed") }
    activity.pointee.counts.prepared += 1
    activity.pointee.read = nil
    var prepared: OpaquePointer?
    let code = sqlite3_prepare_v3(
      handle, sql, -1, UInt32(SQLITE_PREPARE_PERSISTENT), &prepared, nil)
    guard code == SQLITE_OK, let prepared else { throw Fault(handle) }
    return Statement(sql, handle: prepared, activity: activity)
  }

  /// Does what prepares other statements while one is stepped, whose read goes on.
  func within<R>(_ body: () throws -> R) rethrows -> R {
    let read = activity.pointee.read
    defer { activity.pointee.read = read }
    return try body()
  }

  /// Lends a statement.
  func with<R>(_ sql: String, _ body: (Statement) throws -> R) throws -> R {
    let statement = try take(sql)
    defer { give(back: statement) }
    return try body(statement)
  }

  /// Runs statements that give no rows, or whose rows nobody wants.
  func run(_ sql: String) throws {
    activity.pointee.read = nil
    guard sqlite3_exec(handle, sql, nil, nil, nil) == SQLITE_OK else { throw Fault(handle) }
  }

  /// Runs one statement with values.
  func run(_ sql: String, _ values: [Stored]) throws {
    try with(sql) { statement in
      for (index, value) in values.enumerated() { try statement.bind(value, at: Int32(index + 1)) }
      while try statement.step() {}
    }
  }

  /// Returns all rows of a statement.
  func rows(_ sql: String, _ values: [Stored] = []) throws -> [[Stored]] {
    try with(sql) { statement in
      for (index, value) in values.enumerated() { try statement.bind(value, at: Int32(index + 1)) }
      var rows: [[Stored]] = []
      while try statement.step() {
        rows.append((0..<statement.columnCount).map { statement.cell(Int32($0)).stored })
      }
      return rows
    }
  }

  /// Returns the first column of the first row.
  func value(_ sql: String, _ values: [Stored] = []) throws -> Stored {
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
  var isInTransaction: Bool { sqlite3_get_autocommit(handle) == 0 }

  func rollBack() {
    if isInTransaction { try? run("ROLLBACK") }
  }

  /// Rows that the last statement changed.
  @inline(__always)
  var changes: Int { Int(sqlite3_changes(handle)) }

  var lastInsertedID: Int64 { sqlite3_last_insert_rowid(handle) }

  /// Changes with each commit that this connection makes or, when it begins to read, sees.
  var dataVersion: UInt32 {
    var version: UInt32 = 0
    sqlite3_file_control(handle, "main", SQLITE_FCNTL_DATA_VERSION, &version)
    return version
  }

  /// Whether the file could only be opened for reading, whatever was asked for.
  var isReadOnly: Bool { sqlite3_db_readonly(handle, "main") == 1 }

  /// Whether another file, or none, lies at the path by now.
  var hasMoved: Bool {
    var hasMoved: Int32 = 0
    sqlite3_file_control(handle, "main", SQLITE_FCNTL_HAS_MOVED, &hasMoved)
    return hasMoved != 0
  }

  /// Bytes of a page; fixed when the file was made.
  private(set) lazy var pageSize: Int = {
    if case .integer(let size)? = try? value("PRAGMA page_size") { Int(size) } else { 4096 }
  }()

  /// Sets the seconds that it waits for other connections.
  func wait(_ seconds: Double) {
    activity.pointee.patience = Int(max(0, min(seconds, 2_000_000)) * 1000)
  }

  /// The statements that this connection has prepared and stepped.
  var counted: Counts {
    var counted = activity.pointee.counts
    var pages: Int32 = 0
    var peak: Int32 = 0
    if !isClosed {
      sqlite3_db_status(handle, SQLITE_DBSTATUS_CACHE_MISS, &pages, &peak, 0)
    }
    counted.pagesRead = Int(pages)
    return counted
  }

  // MARK: The log

  /// Copies the log into the file as far as readers allow: pages in the log, pages copied.
  @discardableResult
  func checkpoint() -> (log: Int, copied: Int) {
    var log: Int32 = 0
    var copied: Int32 = 0
    sqlite3_wal_checkpoint_v2(handle, nil, SQLITE_CHECKPOINT_PASSIVE, &log, &copied)
    return (Int(log), Int(copied))
  }

  /// Pages that were written to the log since this was asked last; at least as many as the frames
  /// that are there because of it.
  func takeWrittenPages() -> Int {
    var pages: Int32 = 0
    var peak: Int32 = 0
    sqlite3_db_status(handle, SQLITE_DBSTATUS_CACHE_WRITE, &pages, &peak, 1)
    return Int(pages)
  }

  /// Sets whether the log stays as it is when this connection is the last to close.
  func keepsLog(_ keeps: Bool) {
    _ = lineage_sqlite_configure(handle, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, keeps ? 1 : 0)
  }

  /// Replaces SQLite's automatic checkpoint, so that the store decides when to copy.
  private func watchLog() {
    sqlite3_wal_hook(
      handle,
      { context, _, _, pages in
        guard let context else { return SQLITE_OK }
        Unmanaged<Connection>.fromOpaque(context).takeUnretainedValue().logPages = Int(pages)
        return SQLITE_OK
      }, Unmanaged.passUnretained(self).toOpaque())
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
    activity.pointee.work = work.map { Unmanaged.passUnretained($0) }
    let interrupted = Interrupted(handle: handle)
    work?.interrupts { sqlite3_interrupt(interrupted.handle) }
  }

  /// A handle that may be interrupted from any thread.
  private struct Interrupted: @unchecked Sendable {
    // SQLite allows it for as long as the connection is open; before it closes, the work forgets it.
    let handle: OpaquePointer
  }

  /// Sets whether views may be read. A store has none, and one in place of a table may never end.
  func readsViews(_ reads: Bool) {
    _ = lineage_sqlite_configure(handle, SQLITE_DBCONFIG_ENABLE_VIEW, reads ? 1 : 0)
  }

  /// Copies the whole database into another, some pages at a time, as of one moment.
  func copy(into target: Connection, pages: Int32, between: (Double) throws -> Void) throws {
    guard let backup = sqlite3_backup_init(target.handle, "main", handle, "main") else {
      throw Fault(target.handle)
    }
    defer { sqlite3_backup_finish(backup) }
    while true {
      let code = sqlite3_backup_step(backup, pages)
      switch code {
      case SQLITE_DONE: return
      case SQLITE_OK:
        let total = Double(max(1, sqlite3_backup_pagecount(backup)))
        try between(1 - Double(sqlite3_backup_remaining(backup)) / total)
      default: throw Fault(code: code, message: String(cString: sqlite3_errstr(code)))
      }
    }
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
