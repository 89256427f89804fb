import CLineageSQLite
import ObjectGraph

/// SQLite's handle of a connection, with the calls that use it.
///
/// The type is safe because its only owner, a ``Connection``, closes the handle once and does not
/// use it afterwards. SQLite uses a text or a pointer only during the call that passes it. If
/// SQLite keeps it for longer, the function's comment says so.
@safe
struct DatabaseHandle {
  let pointer: OpaquePointer

  /// Opens a file by its path, or by its URI if the flags allow one.
  init(_ name: String, flags: Int32) throws {
    var opened: OpaquePointer?
    let code = unsafe sqlite3_open_v2(name, &opened, flags, nil)
    guard code == SQLITE_OK, let opened = unsafe opened else {
      let fault = unsafe SQLiteFault(of: opened)
      unsafe sqlite3_close_v2(opened)
      throw fault
    }
    unsafe pointer = opened
  }

  /// Frees all statements, and closes the connection.
  func close() {
    while let statement = unsafe sqlite3_next_stmt(pointer, nil) {
      unsafe sqlite3_finalize(statement)
    }
    unsafe sqlite3_close_v2(pointer)
  }

  /// The connection's last failure.
  var fault: SQLiteFault { unsafe SQLiteFault(of: pointer) }

  // MARK: Handlers

  /// Registers the activity's progress handler and busy handler. SQLite keeps the address of the
  /// activity, which must therefore outlive the handle.
  func attach(_ activity: Activity, mayEnd: Bool) {
    unsafe activity.attach(to: pointer, mayEnd: mayEnd)
  }

  /// Registers the functions and the collation that queries need. SQLite keeps the address of the
  /// activity, which must therefore outlive the handle.
  func registerFunctions(_ activity: Activity) throws {
    guard unsafe Functions.register(on: pointer, activity) == SQLITE_OK else { throw fault }
  }

  /// Registers a hook that sets the connection's `logPages` after each commit. The hook replaces
  /// SQLite's automatic checkpoint.
  ///
  /// SQLite keeps the address of the connection. This is safe because the connection's deinit
  /// closes the handle.
  func watchLog(for connection: Connection) {
    unsafe sqlite3_wal_hook(
      pointer,
      { context, _, _, pages in
        guard let context = unsafe context else { return SQLITE_OK }
        unsafe Unmanaged<Connection>.fromOpaque(context).takeUnretainedValue().logPages = Int(pages)
        return SQLITE_OK
      }, Unmanaged.passUnretained(connection).toOpaque())
  }

  /// A closure that interrupts the connection's statements. Any thread may call it, but not after
  /// the connection is closed.
  var interrupter: @Sendable () -> Void {
    // SQLite allows this call from any thread while the connection is open.
    nonisolated(unsafe) let pointer = unsafe pointer
    return { unsafe sqlite3_interrupt(pointer) }
  }

  // MARK: Statements

  func prepare(_ sql: String, _ activity: Activity) throws -> Statement {
    var prepared: OpaquePointer?
    let code = unsafe sqlite3_prepare_v3(
      pointer, sql, -1, UInt32(SQLITE_PREPARE_PERSISTENT), &prepared, nil)
    guard code == SQLITE_OK, let prepared = unsafe prepared else { throw fault }
    return unsafe Statement(sql, handle: prepared, activity: activity)
  }

  /// Runs the statements in a text, and ignores the rows that they return.
  func execute(_ sql: String) throws {
    guard unsafe sqlite3_exec(pointer, sql, nil, nil, nil) == SQLITE_OK else { throw fault }
  }

  /// The number of rows that the last statement changed.
  @inline(__always)
  var changes: Int { unsafe Int(sqlite3_changes(pointer)) }

  var lastInsertedID: Int64 { unsafe sqlite3_last_insert_rowid(pointer) }

  /// Whether a transaction is open. It also becomes false when SQLite rolls back the transaction
  /// because the disk is full.
  var isInTransaction: Bool { unsafe sqlite3_get_autocommit(pointer) == 0 }

  // MARK: The file

  /// SQLite's data version. It changes with each commit of this connection. It also changes when
  /// the connection begins a read and sees another connection's commit.
  var dataVersion: UInt32 {
    var version: UInt32 = 0
    unsafe sqlite3_file_control(pointer, "main", SQLITE_FCNTL_DATA_VERSION, &version)
    return version
  }

  /// Whether SQLite has opened the file for reading only. This can happen even if the mode is for
  /// writing.
  var isReadOnly: Bool { unsafe sqlite3_db_readonly(pointer, "main") == 1 }

  /// Whether the open file no longer lies at its path, because it was moved, deleted or replaced.
  var hasMoved: Bool {
    var hasMoved: Int32 = 0
    unsafe sqlite3_file_control(pointer, "main", SQLITE_FCNTL_HAS_MOVED, &hasMoved)
    return hasMoved != 0
  }

  /// Turns one of SQLite's options for the connection on or off.
  func configure(_ option: Int32, _ isOn: Bool) {
    _ = unsafe lineage_sqlite_configure(pointer, option, isOn ? 1 : 0)
  }

  /// Sets whether the log stays as it is if this connection is the last one to close. Otherwise
  /// SQLite copies the log into the file then, and deletes the log.
  func setKeepsLog(_ keeps: Bool) { configure(SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, keeps) }

  /// Sets whether statements may read views. A store makes no views. A view with the name of a
  /// table could return rows without end.
  func setReadsViews(_ reads: Bool) { configure(SQLITE_DBCONFIG_ENABLE_VIEW, reads) }

  /// Returns the number of pages that this connection has written to the log since the last call of
  /// this function. The log has grown by this number of frames or fewer.
  func takeWrittenPages() -> Int { pages(SQLITE_DBSTATUS_CACHE_WRITE, resetting: true) }

  /// Returns one of SQLite's counts of pages. If `resetting` is true, the count then starts again
  /// at zero.
  func pages(_ status: Int32, resetting: Bool) -> Int {
    var pages: Int32 = 0
    var peak: Int32 = 0
    unsafe sqlite3_db_status(pointer, status, &pages, &peak, resetting ? 1 : 0)
    return Int(pages)
  }

  /// Copies the log into the file as far as readers allow. Returns the number of pages in the log,
  /// and the number of these pages that are in the file now.
  @discardableResult
  func checkpoint() -> (log: Int, copied: Int) {
    var log: Int32 = 0
    var copied: Int32 = 0
    unsafe sqlite3_wal_checkpoint_v2(pointer, nil, SQLITE_CHECKPOINT_PASSIVE, &log, &copied)
    return (Int(log), Int(copied))
  }

  /// Copies the whole database, as it is at one moment, into the database of another handle. Copies
  /// `pages` pages at a time, and calls the closure between two such steps.
  func copy(into target: DatabaseHandle, pages: Int32, between: () throws -> Void) throws {
    guard let backup = unsafe sqlite3_backup_init(target.pointer, "main", pointer, "main") else {
      throw target.fault
    }
    defer { unsafe sqlite3_backup_finish(backup) }
    while true {
      let code = unsafe sqlite3_backup_step(backup, pages)
      switch code {
      case SQLITE_DONE: return
      case SQLITE_OK: try between()
      default: throw SQLiteFault(code: code, message: unsafe String(cString: sqlite3_errstr(code)))
      }
    }
  }
}
