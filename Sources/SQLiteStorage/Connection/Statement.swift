import CLineageSQLite
import ObjectGraph
import SQLStorage

/// A prepared statement. Its owner must finalize it.
///
/// The type is safe because each owner drops its reference to a statement when it finalizes the
/// statement. SQLite copies bound values, but not bound cells and objects. So the caller must keep
/// cells and objects alive until the statement is reset.
@safe
final class Statement {
  let sql: String
  private let handle: OpaquePointer
  private let activity: ActivityMemory
  /// The memory of the statement's current read. It is freed when the statement is finalized.
  private let read = ReadMemory()

  init(_ sql: String, handle: OpaquePointer, activity: ActivityMemory) {
    self.sql = sql
    unsafe self.handle = handle
    self.activity = activity
  }

  /// Frees the statement. This function must be called exactly once, before the connection closes.
  /// Afterwards the statement must not be used.
  func finalize() {
    unsafe sqlite3_finalize(handle)
    activity.forget(read)
    read.free()
  }

  /// Begins a read that ends early when it is cancelled, or when it takes more steps of SQLite's
  /// virtual machine than the limit; nil means no limit.
  func beginRead(_ terms: ReadTerms, limit: Int?) {
    read.begin(Read(terms, limit: limit))
    // SQLite calls the progress handler whenever this counter has advanced by the interval. So the
    // counter must start at zero here.
    unsafe sqlite3_stmt_status(handle, SQLITE_STMTSTATUS_VM_STEP, 1)
  }

  /// Ends the read. After that, neither its cancellation nor its limit ends a step.
  func endRead() { read.begin(Read()) }

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

  /// Binds an object for the SQL functions of ``Functions``, which get it by the name `kind`. The
  /// object must outlive the statement's use.
  func bind(_ object: AnyObject, as kind: StaticString, at index: Int32) throws {
    let pointer = unsafe UnsafeMutableRawPointer(Unmanaged.passUnretained(object).toOpaque())
    let name = unsafe UnsafeRawPointer(kind.utf8Start).assumingMemoryBound(to: CChar.self)
    let code = unsafe sqlite3_bind_pointer(handle, index, pointer, name, nil)
    guard code == SQLITE_OK else { throw fault }
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
      case .values(let set): try bind(set, as: "values", at: index)
      case .text(let match): try bind(match, as: "text", at: index)
      }
    }
  }

  // MARK: Steps

  /// Runs the statement to its next row. Returns false if there is no further row.
  @inline(__always)
  func step() throws -> Bool {
    activity.step(in: read)
    switch unsafe sqlite3_step(handle) {
    case SQLITE_ROW: return true
    case SQLITE_DONE: return false
    default: throw fault
    }
  }

  /// Runs a statement that returns no rows, and resets it even after an error.
  @inline(__always)
  func run() throws {
    activity.step(in: read)
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

  private var fault: SQLiteFault {
    unsafe SQLiteFault(DatabaseError(of: sqlite3_db_handle(handle)), end: read.end)
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
