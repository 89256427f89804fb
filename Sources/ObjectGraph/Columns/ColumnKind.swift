import Foundation

/// The kind of an attribute: the types that a column can keep.
///
/// ``descriptor`` says of each kind how its values are kept, compared and ordered. A new kind is a
/// type that conforms to ``ColumnValue``, in a file of its own, and a case here; each switch over
/// kinds then asks for it.
package enum ColumnKind: UInt8, Sendable, CaseIterable {
  case bool, int, int8, int16, int32, int64, uint, uint8, uint16, uint32, uint64
  case double, float, decimal, string, data, date, uuid, url
  /// A `Ref<Target>?`.
  case reference
  /// An enum or a JSON value, by closures.
  case custom
}

extension ColumnKind {
  /// The one description of the kind's values.
  var descriptor: any ColumnDescriptor.Type {
    switch self {
    case .bool: Bool.self
    case .int: Int.self
    case .int8: Int8.self
    case .int16: Int16.self
    case .int32: Int32.self
    case .int64, .reference: Int64.self
    case .uint: UInt.self
    case .uint8: UInt8.self
    case .uint16: UInt16.self
    case .uint32: UInt32.self
    case .uint64: UInt64.self
    case .double: Double.self
    case .float: Float.self
    case .decimal: Decimal.self
    case .string: String.self
    case .data: Data.self
    case .date: Date.self
    case .uuid: UUID.self
    case .url: URL.self
    case .custom: JSONText.self
    }
  }

  /// The form of the cells that keep values of the kind; a store decides what its column is called.
  package var cellForm: Cell.Form { descriptor.cellForm }

  /// The order of the kind's values; values of kinds with one order can be compared.
  package var order: ColumnOrder { descriptor.columnOrder }

  /// Whether values of the kind can be added up.
  package var isNumeric: Bool { descriptor.isNumeric }

  /// A value that no value of the kind precedes; only null does.
  package var least: StoredValue { descriptor.least }

  /// Returns a value of the kind as Swift source compares a property with it.
  package func source(of value: StoredValue) -> String { descriptor.source(of: value) }
}

/// The order of a column's values.
///
/// A null comes before all values. Values of two columns can be compared if their order is the same.
package enum ColumnOrder: Sendable {
  /// Integers and reals by size.
  case numbers
  /// Texts of decimal numbers by size.
  case decimals
  /// Texts by their UTF-8.
  case texts
  /// Bytes one by one.
  case bytes
  /// No order: JSON can only be compared with null.
  case none

  /// Returns a negative number if the first comes first, zero if they are equal, else a positive one.
  package func compare(_ one: StoredValue, _ other: StoredValue) -> Int {
    switch self {
    case .numbers, .texts, .bytes, .none: StoredValue.order(one, other)
    case .decimals: StoredValue.decimalOrder(one, other)
    }
  }
}

/// JSON, which a codec reads and writes: a column keeps it as text.
private enum JSONText: ColumnDescriptor {
  static var cellForm: Cell.Form { .text }
  static var columnOrder: ColumnOrder { .none }
  static var isNumeric: Bool { false }
  static var least: StoredValue { .text("") }
  static func source(of value: StoredValue) -> String { value.source }
}
