import CLineageSQLite

/// A connection for one thread, with cached statements and with the pragmas that the library uses.
final class RawConnection {
  static let pragmas = """
    PRAGMA journal_mode = WAL;
    PRAGMA synchronous = NORMAL;
    PRAGMA foreign_keys = ON;
    PRAGMA cache_size = -16000;
    """

  private var handle: OpaquePointer?
  private var begin: RawStatement?
  private var commit: RawStatement?

  init(_ path: String) throws {
    var handle: OpaquePointer?
    let flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX
    let status = sqlite3_open_v2(path, &handle, flags, nil)
    guard status == SQLITE_OK, let handle else {
      sqlite3_close_v2(handle)
      throw RawSQLiteError(handle: handle, attempted: "open \(path)")
    }
    self.handle = handle
    try run(Self.pragmas)
  }

  deinit { close() }

  func close() {
    guard let handle else { return }
    while let statement = sqlite3_next_stmt(handle, nil) { sqlite3_finalize(statement) }
    sqlite3_close_v2(handle)
    self.handle = nil
  }

  func run(_ sql: String) throws {
    guard sqlite3_exec(handle, sql, nil, nil, nil) == SQLITE_OK else {
      throw RawSQLiteError(handle: handle, attempted: sql)
    }
  }

  /// Prepares a statement for repeated use. `close()` finalises the statement.
  func prepare(_ sql: String) throws -> RawStatement {
    var statement: OpaquePointer?
    let flags = UInt32(SQLITE_PREPARE_PERSISTENT)
    guard sqlite3_prepare_v3(handle, sql, -1, flags, &statement, nil) == SQLITE_OK, let statement
    else { throw RawSQLiteError(handle: handle, attempted: sql) }
    return RawStatement(handle: statement)
  }

  /// Runs a closure in one transaction and returns its result. If the closure throws, nothing is
  /// rolled back, because the error ends the run of the program.
  @inline(__always)
  func transaction<Result>(_ body: () throws -> Result) throws -> Result {
    let begin = try begin ?? prepare("BEGIN")
    let commit = try commit ?? prepare("COMMIT")
    (self.begin, self.commit) = (begin, commit)
    try begin.execute()
    let result = try body()
    try commit.execute()
    return result
  }
}

/// An error of SQLite, described by the action that has failed and by SQLite's reason.
struct RawSQLiteError: Error, CustomStringConvertible {
  let description: String

  init(handle: OpaquePointer?, attempted: String) {
    description = "SQLite could not \(attempted): \(String(cString: sqlite3_errmsg(handle)))"
  }
}
