import CLineageSQLite

/// A prepared statement. Its parameters are numbered from 1 and its columns from 0, as in C.
struct RawStatement {
  let handle: OpaquePointer

  /// The value of C's SQLITE_TRANSIENT, a cast that Swift does not import. SQLITE_STATIC is nil.
  private static let transient = unsafeBitCast(-1, to: sqlite3_destructor_type.self)

  /// Advances to the next row and returns whether there is one.
  @inline(__always)
  func step() throws -> Bool {
    let status = sqlite3_step(handle)
    if status == SQLITE_ROW { return true }
    guard status == SQLITE_DONE else {
      throw RawSQLiteError(handle: sqlite3_db_handle(handle), attempted: "take a step")
    }
    return false
  }

  @inline(__always)
  func reset() { sqlite3_reset(handle) }

  /// Executes a statement that returns no rows, and resets it.
  @inline(__always)
  func execute() throws {
    defer { reset() }
    _ = try step()
  }

  @inline(__always)
  func bind(_ value: Int64, at parameter: Int32) { sqlite3_bind_int64(handle, parameter, value) }

  @inline(__always)
  func bind(_ value: Double, at parameter: Int32) { sqlite3_bind_double(handle, parameter, value) }

  /// Binds a text that SQLite copies.
  @inline(__always)
  func bind(_ value: String, at parameter: Int32) {
    var value = value
    value.withUTF8 {
      let start = UnsafeRawPointer($0.baseAddress)?.assumingMemoryBound(to: CChar.self)
      sqlite3_bind_text(
        handle, parameter, start, Int32($0.count), Self.transient)
    }
  }

  /// Binds a text that is not copied. Its memory must stay valid until the statement is reset.
  @inline(__always)
  func bind(staying text: UnsafeBufferPointer<CChar>, at parameter: Int32) {
    sqlite3_bind_text(
      handle, parameter, text.baseAddress, Int32(text.count), nil)
  }

  @inline(__always)
  func integer(_ column: Int32) -> Int64 { sqlite3_column_int64(handle, column) }

  @inline(__always)
  func double(_ column: Int32) -> Double { sqlite3_column_double(handle, column) }

  @inline(__always)
  func text(_ column: Int32) -> String {
    let start = sqlite3_column_text(handle, column)
    let count = Int(sqlite3_column_bytes(handle, column))
    return String(decoding: UnsafeBufferPointer(start: start, count: count), as: UTF8.self)
  }
}
