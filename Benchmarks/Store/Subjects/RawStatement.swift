import CLineageSQLite

/// A prepared statement; its parameters and columns are numbered as in C, from 1 and from 0.
struct RawStatement {
  let handle: OpaquePointer

  /// C's SQLITE_TRANSIENT, a cast that Swift does not import; SQLITE_STATIC is nil.
  private static let transient = unsafeBitCast(-1, to: sqlite3_destructor_type.self)

  /// Whether there is a row.
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

  /// A statement without rows, from its parameters to its end.
  @inline(__always)
  func execute() throws {
    defer { reset() }
    _ = try step()
  }

  @inline(__always)
  func bind(_ value: Int64, at parameter: Int32) { sqlite3_bind_int64(handle, parameter, value) }

  @inline(__always)
  func bind(_ value: Double, at parameter: Int32) { sqlite3_bind_double(handle, parameter, value) }

  /// SQLite copies the text.
  @inline(__always)
  func bind(_ value: String, at parameter: Int32) {
    var value = value
    value.withUTF8 {
      let start = UnsafeRawPointer($0.baseAddress)?.assumingMemoryBound(to: CChar.self)
      sqlite3_bind_text(
        handle, parameter, start, Int32($0.count), Self.transient)
    }
  }

  /// The text stays where it is until the statement is reset.
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
