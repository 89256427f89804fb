import CLineageSQLite
import ObjectGraph
import SQLStorage

/// A prepared statement.
///
/// The type is safe because nothing uses a statement after ``finalize()``, or after its connection
/// was closed. SQLite copies bound values, but not bound cells and objects. So the caller must keep
/// cells and objects alive until the statement is reset.
@safe
final class Statement {
  let sql: String
  private let handle: OpaquePointer
  private let activity: Activity
  var read = Read()
  /// The facts of a program's statement; nil for a statement of the store's own.
  var facts: StatementFacts?

  init(_ sql: String, handle: OpaquePointer, activity: Activity) {
    self.sql = sql
    unsafe self.handle = handle
    self.activity = activity
  }

  deinit { activity.endStep() }

  /// Frees the statement before its connection closes.
  func finalize() { unsafe sqlite3_finalize(handle) }

  /// Begins a read that ends early when it is cancelled, or when it takes more steps of SQLite's
  /// virtual machine than the limit; nil means no limit.
  func beginRead(_ terms: ReadTerms, limit: Int?) {
    read = Read(terms, limit: limit)
    // SQLite calls the progress handler whenever this counter has advanced by the interval. So the
    // counter must start at zero here.
    unsafe sqlite3_stmt_status(handle, SQLITE_STMTSTATUS_VM_STEP, 1)
  }

  // MARK: Parameters, from 1

  /// Binds a cell without copying it. The cell's bytes must stay valid until the statement is
  /// reset.
  @inline(__always)
  func bind(_ cell: ColumnCell, at index: Int32) throws {
    let code =
      switch cell.form {
      case .integer: unsafe sqlite3_bind_int64(handle, index, Int64(bitPattern: cell.bits))
      case .text:
        unsafe sqlite3_bind_text(
          handle, index, Self.start(cell).assumingMemoryBound(to: CChar.self), cell.count, nil)
      case .real: unsafe sqlite3_bind_double(handle, index, Double(bitPattern: cell.bits))
      case .null: unsafe sqlite3_bind_null(handle, index)
      case .blob: unsafe sqlite3_bind_blob(handle, index, Self.start(cell), cell.count, nil)
      }
    guard code == SQLITE_OK else { throw fault }
  }

  @inline(__always)
  func bind(_ integer: Int64, at index: Int32) throws {
    guard unsafe sqlite3_bind_int64(handle, index, integer) == SQLITE_OK else { throw fault }
  }

  /// Binds a copy of a value.
  func bind(_ value: StoredValue, at index: Int32) throws {
    let code: Int32
    switch value {
    case .null: code = unsafe sqlite3_bind_null(handle, index)
    case .integer(let value): code = unsafe sqlite3_bind_int64(handle, index, value)
    case .real(let value): code = unsafe sqlite3_bind_double(handle, index, value)
    case .text(var text):
      code = text.withUTF8 { unsafe bind(text: UnsafeRawBufferPointer($0), index) }
    case .blob(let bytes):
      code = unsafe bytes.withUnsafeBytes {
        unsafe sqlite3_bind_blob64(
          handle, index, $0.baseAddress ?? Self.nothing, UInt64($0.count), Self.copied)
      }
    }
    guard code == SQLITE_OK else { throw fault }
  }

  /// Binds a copy of bytes as a text. The bytes need not be UTF-8.
  func bind(text bytes: [UInt8], at index: Int32) throws {
    let code = unsafe bytes.withUnsafeBytes { unsafe bind(text: $0, index) }
    guard code == SQLITE_OK else { throw fault }
  }

  /// Binds values to the parameters from the first one on.
  func bind(_ values: [StoredValue]) throws {
    for (index, value) in values.enumerated() { try bind(value, at: Int32(index + 1)) }
  }

  private func bind(text bytes: UnsafeRawBufferPointer, _ index: Int32) -> Int32 {
    let start = unsafe bytes.baseAddress ?? Self.nothing
    return unsafe sqlite3_bind_text64(
      handle, index, start.assumingMemoryBound(to: CChar.self), UInt64(bytes.count), Self.copied,
      UInt8(SQLITE_UTF8))
  }

  /// Binds the parameters of a query, which must outlive the statement's use.
  func bind(_ select: Select) throws {
    for (index, parameter) in select.parameters.enumerated() {
      let index = Int32(index + 1)
      switch parameter {
      case .value(let value): try bind(value, at: index)
      case .bytes(let bytes): try bind(text: bytes, at: index)
      case .list: preconditionFailure("SQLite takes no array as a parameter")
      case .test(let test):
        let pointer = unsafe Unmanaged.passUnretained(test).toOpaque()
        guard unsafe sqlite3_bind_pointer(handle, index, pointer, Functions.test, nil) == SQLITE_OK
        else { throw fault }
      }
    }
  }

  // MARK: Steps

  /// Runs the statement to its next row. Returns false if there is no further row.
  @inline(__always)
  func step() throws -> Bool {
    activity.step(self)
    switch unsafe sqlite3_step(handle) {
    case SQLITE_ROW: return true
    case SQLITE_DONE: return false
    default: throw fault
    }
  }

  /// Runs a statement that returns no rows, and resets it even after an error.
  @inline(__always)
  func run() throws {
    activity.step(self)
    let code = unsafe sqlite3_step(handle)
    guard code != SQLITE_DONE, code != SQLITE_ROW else {
      unsafe sqlite3_reset(handle)
      return
    }
    let fault = fault
    unsafe sqlite3_reset(handle)
    throw fault
  }

  @inline(__always)
  func reset() { unsafe sqlite3_reset(handle) }

  /// Returns the number of steps of SQLite's virtual machine that the statement has taken since the
  /// last call of this function or of ``beginRead(_:limit:)``.
  func takeMachineSteps() -> Int {
    unsafe Int(sqlite3_stmt_status(handle, SQLITE_STMTSTATUS_VM_STEP, 1))
  }

  /// Removes all bound values.
  func clear() { unsafe sqlite3_clear_bindings(handle) }

  // MARK: Columns, from 0

  @inline(__always)
  func integer(_ column: Int32) -> Int64 { unsafe sqlite3_column_int64(handle, column) }

  /// Returns the column's value as a cell. The cell's bytes are valid until the next step.
  @inline(__always)
  func cell(_ column: Int32) -> ColumnCell {
    unsafe cell(column) { start, _ in unsafe start }
  }

  /// Returns the column's value as a cell, with its bytes copied to the arena. The cell stays valid
  /// when the statement is stepped or reset.
  @inline(__always)
  func cell(_ column: Int32, copying arena: CellArena) -> ColumnCell {
    unsafe cell(column) { unsafe arena.copy(UnsafeRawBufferPointer(start: $0, count: $1)) }
  }

  @inline(__always)
  private func cell(
    _ column: Int32, _ keep: (UnsafeRawPointer?, Int) -> UnsafeRawPointer?
  ) -> ColumnCell {
    let value = unsafe sqlite3_column_value(handle, column)
    switch unsafe sqlite3_value_type(value) {
    case SQLITE_INTEGER: return .integer(unsafe sqlite3_value_int64(value))
    case SQLITE_TEXT:
      let start = unsafe sqlite3_value_text(value)
      let count = Int(unsafe sqlite3_value_bytes(value))
      return unsafe .text(keep(start, count), count)
    case SQLITE_FLOAT: return .real(unsafe sqlite3_value_double(value))
    case SQLITE_BLOB:
      let start = unsafe sqlite3_value_blob(value)
      let count = Int(unsafe sqlite3_value_bytes(value))
      return unsafe .blob(keep(start, count), count)
    default: return .null
    }
  }

  var columnCount: Int { unsafe Int(sqlite3_column_count(handle)) }

  /// The names of the columns.
  var columnNames: [String] {
    (0..<columnCount).map { column in
      unsafe sqlite3_column_name(handle, Int32(column)).map { unsafe String(cString: $0) } ?? ""
    }
  }

  /// The values of all columns.
  var values: [StoredValue] { (0..<columnCount).map { cell(Int32($0)).stored } }

  private var fault: SQLiteFault {
    unsafe SQLiteFault(of: sqlite3_db_handle(handle), end: read.end)
  }

  /// SQLITE_TRANSIENT, which Swift cannot import because it is a macro that casts -1.
  static let copied = unsafe unsafeBitCast(-1, to: sqlite3_destructor_type.self)

  /// An address for an empty text or blob, because SQLite would bind null for a nil address. The
  /// memory at the address is never changed.
  nonisolated(unsafe) static let nothing: UnsafeRawPointer = {
    let pointer = UnsafeMutableRawPointer.allocate(byteCount: 8, alignment: 8)
    unsafe pointer.storeBytes(of: 0, as: UInt64.self)
    return UnsafeRawPointer(pointer)
  }()

  @inline(__always)
  private static func start(_ cell: ColumnCell) -> UnsafeRawPointer {
    unsafe UnsafeRawPointer(bitPattern: UInt(cell.bits)) ?? nothing
  }
}

/// The facts of a program's statement, as it was prepared.
struct StatementFacts {
  let columns: [String]
  /// The names of the tables that the statement may read, in lower case.
  let tables: Set<String>
  /// SQLite's count of changes to tables and indexes when the statement was prepared. After such a
  /// change, the statement may have other columns and read other tables.
  let cookie: Int
}
