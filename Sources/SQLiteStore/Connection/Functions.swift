import CSQLite
import ObjectGraph

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

  /// An argument, its bytes borrowed; nil if it is null.
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

/// What `lineage_in` looks in: more values than a statement has parameters for.
final class ValueSet {
  private let values: Set<Stored>

  init(_ values: [Stored]) { self.values = Set(values) }

  func contains(_ cell: Cell) -> Bool { values.contains(cell.stored) }
}
