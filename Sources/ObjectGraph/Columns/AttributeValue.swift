public import Foundation

/// A type that a store keeps in a column of its own.
///
/// Enums with such raw values, optionals, and (with `json:`) Codable values can be attributes too.
public protocol AttributeValue: Sendable, Hashable {
  /// The layout of the type in memory and in a column.
  static var attributeForm: AttributeForm { get }
}

/// The layout of a type in memory and in a column.
public struct AttributeForm: Sendable, Hashable {
  package let kind: ColumnKind
  package let isOptional: Bool
  /// Whether it is an optional of an optional, which no column tells apart from one.
  package let isNested: Bool

  package init(_ kind: ColumnKind, isOptional: Bool = false, isNested: Bool = false) {
    self.kind = kind
    self.isOptional = isOptional
    self.isNested = isNested
  }
}

extension Bool: AttributeValue {
  /// 0 or 1 in an integer column.
  public static var attributeForm: AttributeForm { AttributeForm(.bool) }
}
extension Int: AttributeValue {
  /// An integer column.
  public static var attributeForm: AttributeForm { AttributeForm(.int) }
}
extension Int8: AttributeValue {
  /// An integer column.
  public static var attributeForm: AttributeForm { AttributeForm(.int8) }
}
extension Int16: AttributeValue {
  /// An integer column.
  public static var attributeForm: AttributeForm { AttributeForm(.int16) }
}
extension Int32: AttributeValue {
  /// An integer column.
  public static var attributeForm: AttributeForm { AttributeForm(.int32) }
}
extension Int64: AttributeValue {
  /// An integer column.
  public static var attributeForm: AttributeForm { AttributeForm(.int64) }
}
extension UInt: AttributeValue {
  /// An integer column; what an Int64 cannot hold is refused when it is saved.
  public static var attributeForm: AttributeForm { AttributeForm(.uint) }
}
extension UInt8: AttributeValue {
  /// An integer column.
  public static var attributeForm: AttributeForm { AttributeForm(.uint8) }
}
extension UInt16: AttributeValue {
  /// An integer column.
  public static var attributeForm: AttributeForm { AttributeForm(.uint16) }
}
extension UInt32: AttributeValue {
  /// An integer column.
  public static var attributeForm: AttributeForm { AttributeForm(.uint32) }
}
extension UInt64: AttributeValue {
  /// An integer column; what an Int64 cannot hold is refused when it is saved.
  public static var attributeForm: AttributeForm { AttributeForm(.uint64) }
}
extension Double: AttributeValue {
  /// A real column; not-a-number is refused when it is saved.
  public static var attributeForm: AttributeForm { AttributeForm(.double) }
}
extension Float: AttributeValue {
  /// A real column; not-a-number is refused when it is saved.
  public static var attributeForm: AttributeForm { AttributeForm(.float) }
}
extension Decimal: AttributeValue {
  /// A text column, in which equal numbers have one text; not-a-number is refused when it is saved.
  ///
  /// The text is of plain digits, without an exponent, and without zeros that say nothing: `1.5`,
  /// `-0.05`, `1200`. A row that holds another text, as `1.50`, cannot be read.
  public static var attributeForm: AttributeForm { AttributeForm(.decimal) }
}
extension String: AttributeValue {
  /// A text column.
  public static var attributeForm: AttributeForm { AttributeForm(.string) }
}
extension Data: AttributeValue {
  /// A blob column.
  public static var attributeForm: AttributeForm { AttributeForm(.data) }
}
extension Date: AttributeValue {
  /// Seconds since 2001-01-01 UTC in a real column, so that no fraction is lost.
  public static var attributeForm: AttributeForm { AttributeForm(.date) }
}
extension UUID: AttributeValue {
  /// Upper case text in a text column.
  public static var attributeForm: AttributeForm { AttributeForm(.uuid) }
}
extension URL: AttributeValue {
  /// The absolute string in a text column.
  public static var attributeForm: AttributeForm { AttributeForm(.url) }
}
extension Optional: AttributeValue where Wrapped: AttributeValue {
  /// The column of the wrapped type, which may be null.
  public static var attributeForm: AttributeForm {
    let wrapped = Wrapped.attributeForm
    return AttributeForm(wrapped.kind, isOptional: true, isNested: wrapped.isOptional)
  }
}
