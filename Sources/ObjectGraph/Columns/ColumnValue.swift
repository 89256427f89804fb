/// A description of the values that columns of one kind hold.
protocol ColumnDescriptor {
  /// The form of the cells that keep the values.
  static var cellForm: ColumnCell.Form { get }
  /// The order in which the values are compared.
  static var columnOrder: ColumnOrder { get }
  /// Whether the values can be added.
  static var isNumeric: Bool { get }
  /// The least of all values. In the order of values, only null comes before it.
  static var least: StoredValue { get }
  /// Returns a value as Swift code, for printing a filter that contains the value.
  static func source(of value: StoredValue) -> String
}

/// A Swift type whose values are converted directly between memory and column.
///
/// No requirement has a default for all types. If a requirement is added, the compiler therefore
/// reports each type that lacks it.
protocol ColumnValue: ColumnDescriptor {
  /// Whether a value is plain bytes in memory, which can be copied and need no release.
  static var isPlain: Bool { get }
  /// Returns the value of a cell; nil if the cell is null or holds no value of the type.
  static func value(of cell: ColumnCell) -> Self?
  /// Returns a cell of a value. The arena owns the cell's bytes.
  ///
  /// - Throws: `ColumnFault` if no cell can keep the value.
  static func cell(of value: Self, in arena: CellArena) throws(ColumnFault) -> ColumnCell
  /// Returns the stored form of a value. The stored form owns its bytes.
  ///
  /// - Throws: `ColumnFault` if no column can keep the value.
  static func stored(_ value: Self) throws(ColumnFault) -> StoredValue
  /// Returns whether two values would be the same in a column.
  static func isSame(_ one: Self, _ other: Self) -> Bool
}
