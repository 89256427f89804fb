/// All that is known of the values that columns of one kind hold.
protocol ColumnDescriptor {
  /// The form of the cells that keep the values.
  static var cellForm: Cell.Form { get }
  /// The order of the values.
  static var columnOrder: ColumnOrder { get }
  /// Whether the values can be added up.
  static var isNumeric: Bool { get }
  /// A value that no other precedes; only null does.
  static var least: StoredValue { get }
  /// Returns a value as Swift source compares a property with it.
  static func source(of value: StoredValue) -> String
}

/// A Swift type with a flat, typed way between memory and column.
///
/// Nothing here has a default: a type says all of it, and is asked for all that is new.
protocol ColumnValue: ColumnDescriptor {
  /// Whether a value's memory is plain bytes, which may be copied and need not be released.
  static var isPlain: Bool { get }
  /// Returns the value that a cell keeps, or nil if it keeps none of the type; a null keeps none.
  static func value(of cell: Cell) -> Self?
  /// Returns a cell that keeps a value; its bytes go to the arena.
  ///
  /// - Throws: `ColumnFault` if no cell can keep it.
  static func cell(of value: Self, in arena: CellArena) throws(ColumnFault) -> Cell
  /// Returns a value as a column keeps it, on its own.
  ///
  /// - Throws: `ColumnFault` if no column can keep it.
  static func stored(_ value: Self) throws(ColumnFault) -> StoredValue
  /// Whether two values are kept alike.
  static func isSame(_ one: Self, _ other: Self) -> Bool
}
