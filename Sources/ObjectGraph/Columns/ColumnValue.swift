/// A description of the values that columns of one kind hold.
protocol ColumnDescriptor {
  /// The form of the cells that keep the values.
  static var cellForm: Cell.Form { get }
  /// The kind of order by which the values are compared.
  static var columnOrder: ColumnOrder { get }
  /// Whether the values can be added.
  static var isNumeric: Bool { get }
  /// A value that no other value precedes. Only null precedes it.
  static var least: StoredValue { get }
  /// Returns the Swift source of a value in a comparison with a property.
  static func source(of value: StoredValue) -> String
}

/// A Swift type that converts directly between memory and column.
///
/// No requirement has a default for all types, so that the compiler asks each type for a
/// requirement that is added.
protocol ColumnValue: ColumnDescriptor {
  /// Whether a value's memory is plain bytes, which may be copied and need no release.
  static var isPlain: Bool { get }
  /// Returns the value of a cell; nil if the cell is null or holds no value of the type.
  static func value(of cell: Cell) -> Self?
  /// Returns a cell of a value. The arena owns the cell's bytes.
  ///
  /// - Throws: `ColumnFault` if no cell can keep the value.
  static func cell(of value: Self, in arena: CellArena) throws(ColumnFault) -> Cell
  /// Returns the stored form of a value, which owns its bytes.
  ///
  /// - Throws: `ColumnFault` if no column can keep the value.
  static func stored(_ value: Self) throws(ColumnFault) -> StoredValue
  /// Returns whether a column keeps two values alike.
  static func isSame(_ one: Self, _ other: Self) -> Bool
}
