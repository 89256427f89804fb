import CLineageSQLite
import ObjectGraph
import SQLStorage

/// The functions that filters need and SQLite lacks. Only readers and writers of a store have them;
/// no view, index or trigger may use them.
enum Functions {
  static func register(on handle: OpaquePointer) throws {
    try register("lineage_in", 2, on: handle) { context, _, arguments in
      guard let arguments, let pointer = sqlite3_value_pointer(arguments[1], "values"),
        let cell = Functions.cell(arguments[0])
      else { return sqlite3_result_null(context) }
      let values = Unmanaged<ValueSet>.fromOpaque(pointer).takeUnretainedValue()
      sqlite3_result_int(context, values.contains(cell) ? 1 : 0)
    }
    try register("lineage_text", 2, on: handle) { context, _, arguments in
      guard let arguments, let pointer = sqlite3_value_pointer(arguments[1], "text"),
        let cell = Functions.cell(arguments[0]), cell.form == .text
      else { return sqlite3_result_null(context) }
      let test = Unmanaged<TextMatch>.fromOpaque(pointer).takeUnretainedValue()
      sqlite3_result_int(context, test.matches(cell.bytes) ? 1 : 0)
    }
    try register("lineage_judge", 2, on: handle) { context, _, arguments in
      guard let arguments, let pointer = sqlite3_value_pointer(arguments[0], "judge") else {
        return sqlite3_result_null(context)
      }
      let judge = Unmanaged<RowJudge>.fromOpaque(pointer).takeUnretainedValue()
      let id = sqlite3_value_int64(arguments[1])
      // Of a row that is not there nothing is true.
      let isRow = sqlite3_value_type(arguments[1]) == SQLITE_INTEGER
      switch isRow ? judge.answer(id) : .null {
      case .null?: sqlite3_result_null(context)
      case .integer(let value)?: sqlite3_result_int64(context, value)
      case .real(let value)?: sqlite3_result_double(context, value)
      case .text(var text)?:
        let empty = Statement.nothing.assumingMemoryBound(to: CChar.self)
        text.withUTF8 {
          $0.withMemoryRebound(to: CChar.self) {
            sqlite3_result_text64(
              context, $0.baseAddress ?? empty, UInt64($0.count), Statement.copied,
              UInt8(SQLITE_UTF8))
          }
        }
      case .blob(let bytes)?:
        bytes.withUnsafeBytes {
          sqlite3_result_blob64(
            context, $0.baseAddress ?? Statement.nothing, UInt64($0.count), Statement.copied)
        }
      case nil: sqlite3_result_error(context, "a judge could not tell", -1)
      }
    }
  }

  private static func register(
    _ name: String, _ count: Int32, on handle: OpaquePointer,
    _ function:
      @convention(c) (
        OpaquePointer?, Int32, UnsafeMutablePointer<OpaquePointer?>?
      ) -> Void
  ) throws {
    let flags = SQLITE_UTF8 | SQLITE_DETERMINISTIC | SQLITE_DIRECTONLY
    let code = sqlite3_create_function_v2(
      handle, name, count, flags, nil, function, nil, nil, nil)
    guard code == SQLITE_OK else { throw Fault(handle) }
  }

  /// Returns an argument, its bytes borrowed; nil if it is null.
  private static func cell(_ value: OpaquePointer?) -> Cell? {
    switch sqlite3_value_type(value) {
    case SQLITE_INTEGER: .integer(sqlite3_value_int64(value))
    case SQLITE_FLOAT: .real(sqlite3_value_double(value))
    case SQLITE_TEXT:
      .text(UnsafeRawPointer(sqlite3_value_text(value)), Int(sqlite3_value_bytes(value)))
    case SQLITE_BLOB: .blob(sqlite3_value_blob(value), Int(sqlite3_value_bytes(value)))
    default: nil
    }
  }
}

/// An object that `lineage_judge` asks about rows.
class RowJudge {
  /// Returns what it says of the row with an id; nil if it failed.
  func answer(_: Int64) -> Stored? { nil }
}
