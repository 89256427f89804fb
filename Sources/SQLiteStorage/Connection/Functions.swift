import CLineageSQLite
import ObjectGraph
import SQLStorage

/// The SQL functions and the collation that filters need but SQLite lacks.
///
/// Only a store's connections register them. No view, index or trigger may use them.
///
/// The use of pointers here is safe for three reasons. A collation gets two texts with their
/// lengths, which are valid during the call. A function gets as many arguments as were registered.
/// SQLite returns the pointer of a bound object only for the name that was used in binding it. Each
/// name is used for one class, and the object outlives the statement's use.
enum Functions {
  static func register(on handle: OpaquePointer) throws {
    try unsafe register("lineage_in", 2, on: handle) { context, _, arguments in
      guard let arguments = unsafe arguments,
        let pointer = unsafe sqlite3_value_pointer(arguments[1], "values"),
        let cell = unsafe Functions.cell(arguments[0])
      else { return unsafe sqlite3_result_null(context) }
      let values = unsafe Unmanaged<ValueSet>.fromOpaque(pointer).takeUnretainedValue()
      unsafe sqlite3_result_int(context, values.contains(cell) ? 1 : 0)
    }
    try unsafe register("lineage_text", 2, on: handle) { context, _, arguments in
      guard let arguments = unsafe arguments,
        let pointer = unsafe sqlite3_value_pointer(arguments[1], "text"),
        let cell = unsafe Functions.cell(arguments[0]), cell.form == .text
      else { return unsafe sqlite3_result_null(context) }
      let test = unsafe Unmanaged<TextMatch>.fromOpaque(pointer).takeUnretainedValue()
      unsafe sqlite3_result_int(context, test.matches(cell) ? 1 : 0)
    }
  }

  /// Registers the collation for decimals. Queries may name it, but no table, view or index may.
  static func registerCollation(on handle: OpaquePointer) throws {
    let code = unsafe sqlite3_create_collation_v2(
      handle, "lineage_decimal", SQLITE_UTF8, nil,
      { _, firstCount, first, secondCount, second in
        let (one, other) = unsafe (
          ColumnCell.text(first, Int(firstCount)), ColumnCell.text(second, Int(secondCount))
        )
        let order = DecimalText.order(one, other)
        return order < 0 ? -1 : order == 0 ? 0 : 1
      }, nil)
    guard code == SQLITE_OK else { throw unsafe SQLiteFault(DatabaseError(of: handle)) }
  }

  private static func register(
    _ name: String, _ count: Int32, on handle: OpaquePointer,
    _ function:
      @convention(c) (
        OpaquePointer?, Int32, UnsafeMutablePointer<OpaquePointer?>?
      ) -> Void
  ) throws {
    let flags = SQLITE_UTF8 | SQLITE_DETERMINISTIC | SQLITE_DIRECTONLY
    let code = unsafe sqlite3_create_function_v2(
      handle, name, count, flags, nil, function, nil, nil, nil)
    guard code == SQLITE_OK else { throw unsafe SQLiteFault(DatabaseError(of: handle)) }
  }

  /// Returns a function's argument as a cell; nil if the argument is null. The cell's bytes are
  /// valid only during the function's call.
  private static func cell(_ value: OpaquePointer?) -> ColumnCell? {
    switch unsafe sqlite3_value_type(value) {
    case SQLITE_INTEGER: .integer(unsafe sqlite3_value_int64(value))
    case SQLITE_FLOAT: .real(unsafe sqlite3_value_double(value))
    case SQLITE_TEXT:
      unsafe .text(UnsafeRawPointer(sqlite3_value_text(value)), Int(sqlite3_value_bytes(value)))
    case SQLITE_BLOB: unsafe .blob(sqlite3_value_blob(value), Int(sqlite3_value_bytes(value)))
    default: nil
    }
  }
}
