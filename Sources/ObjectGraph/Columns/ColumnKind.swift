import Foundation

/// The kind of an attribute: one of the types that a column can keep.
///
/// ``descriptor`` describes how the values of each kind are kept, compared and ordered. A new kind
/// needs a case here, and a type that conforms to ``ColumnValue`` and ``AttributeValue``. The
/// compiler then reports each switch that lacks the case.
package enum ColumnKind: UInt8, Sendable, CaseIterable {
  case bool, int, int8, int16, int32, int64, uint, uint8, uint16, uint32, uint64
  case double, float, decimal, string, data, date, uuid, url
  /// A `Ref<Target>?`.
  case reference
  /// An enum or a JSON value, which a ``ColumnCodec`` converts.
  case custom
}

extension ColumnKind {
  /// The type that describes the kind's values.
  var descriptor: any ColumnDescriptor.Type { self == .custom ? JSONDescriptor.self : valueType }

  /// The form of a cell with a value of the kind. Each store chooses the type of its columns
  /// itself.
  package var cellForm: ColumnCell.Form { descriptor.cellForm }

  /// The order of the kind's values. Values of two kinds can be compared if the orders are the
  /// same.
  package var order: ColumnOrder { descriptor.columnOrder }

  /// Whether values of the kind can be added.
  package var isNumeric: Bool { descriptor.isNumeric }

  /// The least value of the kind. In the order of values, only null comes before it.
  package var least: StoredValue { descriptor.least }

  /// Returns a value of the kind as Swift code, for printing a filter that contains the value.
  package func source(of value: StoredValue) -> String { descriptor.source(of: value) }
}

/// The order of a column's values.
///
/// Null comes before all values. Values of two columns can be compared if the orders are the same.
package enum ColumnOrder: Sendable {
  /// The order of integers and reals by size.
  case numbers
  /// The order of texts with decimal numbers, by the size of the numbers.
  case decimals
  /// The order of texts by the bytes of their UTF-8.
  case texts
  /// The order of blobs by their bytes.
  case bytes
  /// No order, because JSON can only be compared with null.
  case none

  /// Returns a negative number if the first value comes first, zero if they are equal, else a
  /// positive number.
  package func compare(_ one: StoredValue, _ other: StoredValue) -> Int {
    switch self {
    case .numbers, .texts, .bytes, .none: StoredValue.order(one, other)
    case .decimals: StoredValue.decimalOrder(one, other)
    }
  }
}

/// The descriptor of JSON, which a codec converts and a column keeps as text.
private enum JSONDescriptor: ColumnDescriptor {
  static var cellForm: ColumnCell.Form { .text }
  static var columnOrder: ColumnOrder { .none }
  static var isNumeric: Bool { false }
  static var least: StoredValue { .text("") }
  static func source(of value: StoredValue) -> String { value.source }
}
