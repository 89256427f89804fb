import CLineageSQLite
import ObjectGraph
import SQLStorage

/// The SQL functions and the collation that queries need but SQLite lacks.
///
/// Only a store's connections register them. No view, index or trigger may use them.
///
/// The use of pointers here is safe for three reasons. A collation gets two texts with their
/// lengths, which are valid during the call. A function gets as many arguments as were registered.
/// SQLite returns the pointer of a bound object only for the name that was used in binding it. That
/// name is used for one class, and the object outlives the statement's use.
enum Functions {
  /// Registers the function that carries out a bound ``CellTest``, the function that makes the keys of
  /// a ``TextOrder``, and the collation for decimals. Queries may name the collation, but no table,
  /// view or index may. The activity counts the keys. Returns SQLite's result code.
  static func register(on handle: OpaquePointer, _ activity: Activity) -> Int32 {
    var code = unsafe sqlite3_create_function_v2(
      handle, "lineage_test", 2, SQLITE_UTF8 | SQLITE_DETERMINISTIC | SQLITE_DIRECTONLY, nil,
      { context, _, arguments in
        guard let arguments = unsafe arguments,
          let pointer = unsafe sqlite3_value_pointer(arguments[1], Functions.test),
          let cell = unsafe Functions.cell(arguments[0])
        else { return unsafe sqlite3_result_null(context) }
        let test = unsafe Unmanaged<CellTest>.fromOpaque(pointer).takeUnretainedValue()
        unsafe sqlite3_result_int(context, test.holds(cell) ? 1 : 0)
      }, nil, nil, nil)
    guard code == SQLITE_OK else { return code }
    code = unsafe sqlite3_create_function_v2(
      handle, "lineage_order", 2, SQLITE_UTF8 | SQLITE_DETERMINISTIC | SQLITE_DIRECTONLY,
      Unmanaged.passUnretained(activity).toOpaque(),
      { context, _, arguments in
        guard let arguments = unsafe arguments, let cell = unsafe Functions.cell(arguments[0]),
          cell.form == .text
        else { return unsafe sqlite3_result_null(context) }
        unsafe Activity.at(sqlite3_user_data(context))?.counts.keyTexts += 1
        let order = unsafe sqlite3_value_int(arguments[1]) == 1 ? TextOrder.natural : .folded
        let key = cell.withBytes { order.key(of: $0) }
        // SQLite takes no bytes at all for a null.
        guard !key.isEmpty else { return unsafe sqlite3_result_zeroblob(context, 0) }
        unsafe sqlite3_result_blob(context, key, Int32(key.count), Statement.copied)
      }, nil, nil, nil)
    guard code == SQLITE_OK else { return code }
    return unsafe sqlite3_create_collation_v2(
      handle, "lineage_decimal", SQLITE_UTF8, nil,
      { _, firstCount, first, secondCount, second in
        let (one, other) = unsafe (
          ColumnCell.text(first, Int(firstCount)), ColumnCell.text(second, Int(secondCount))
        )
        return Int32(DecimalText.order(one, other).signum())
      }, nil)
  }

  /// The name of bound tests. SQLite keeps its address.
  static var test: UnsafePointer<CChar> {
    let name: StaticString = "lineage test"
    return unsafe UnsafeRawPointer(name.utf8Start).assumingMemoryBound(to: CChar.self)
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
