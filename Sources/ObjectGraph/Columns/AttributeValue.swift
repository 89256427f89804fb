public import Foundation

/// A type whose values a store keeps in one column.
///
/// An attribute can also be an enum, or another type, whose raw value is of a conforming type. With
/// `json:`, an attribute can be any Codable value.
///
/// The conforming types are those of this module. If another type conforms by returning the form of
/// one of these types, a schema with a property of that type is a mistake.
public protocol AttributeValue: Sendable, Hashable {
  /// The type of the sum, the least and the greatest of some values: the type itself or, for an
  /// optional, the wrapped type.
  associatedtype Figure: AttributeValue = Self
  /// The type of the mean of some values: `Decimal` for Decimals, `Double` for other numbers.
  associatedtype Mean: AttributeValue = Double
  /// The form of the type's values in memory and in a column.
  static var attributeForm: AttributeForm { get }
}

/// The form of a type's values in memory and in a column: their kind, and whether they can be nil.
public struct AttributeForm: Sendable, Hashable {
  package let kind: ColumnKind
  package let isOptional: Bool
  /// Whether the type is an optional of an optional. A column cannot keep values of the type,
  /// because a column has only one kind of null.
  package let isNested: Bool

  package init(_ kind: ColumnKind, isOptional: Bool = false, isNested: Bool = false) {
    self.kind = kind
    self.isOptional = isOptional
    self.isNested = isNested
  }
}

extension AttributeForm {
  /// Returns whether the form is that of the given type. Memory is accessed by the form, so it must
  /// not be accessed if the form is that of another type.
  func describes<Value>(_: Value.Type) -> Bool {
    func isOwn<Kept: ColumnValue>(_: Kept.Type) -> Bool {
      isOptional ? Value.self == Kept?.self : Value.self == Kept.self
    }
    return kind != .custom && isOwn(kind.valueType)
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
  /// An integer column. A save refuses values that exceed `Int64.max`.
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
  /// An integer column. A save refuses values that exceed `Int64.max`.
  public static var attributeForm: AttributeForm { AttributeForm(.uint64) }
}
extension Double: AttributeValue {
  /// A column of floating-point numbers. A save refuses not-a-number.
  public static var attributeForm: AttributeForm { AttributeForm(.double) }
}
extension Float: AttributeValue {
  /// A column of floating-point numbers. A save refuses not-a-number.
  public static var attributeForm: AttributeForm { AttributeForm(.float) }
}
extension Decimal: AttributeValue {
  /// The type of a mean of Decimals, which is rounded only once.
  public typealias Mean = Decimal
  /// A text column, in which each number has exactly one text. A save refuses not-a-number.
  ///
  /// The text has plain digits, no exponent and no unnecessary zeros: `1.5`, `-0.05`, `1200`. A row
  /// with another text, such as `1.50`, cannot be read, because an index treats `1.50` and `1.5` as
  /// different.
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
  /// A real column with the seconds since 2001-01-01 UTC. A date is read exactly as it was written.
  public static var attributeForm: AttributeForm { AttributeForm(.date) }
}
extension UUID: AttributeValue {
  /// A text column with the UUID in upper case.
  public static var attributeForm: AttributeForm { AttributeForm(.uuid) }
}
extension URL: AttributeValue {
  /// A text column with the absolute string of the URL.
  public static var attributeForm: AttributeForm { AttributeForm(.url) }
}
extension Optional: AttributeValue where Wrapped: AttributeValue {
  /// The type of a sum of the values that are not nil.
  public typealias Figure = Wrapped.Figure
  /// The type of a mean of the values that are not nil.
  public typealias Mean = Wrapped.Mean

  /// The wrapped type's column, in which null is allowed.
  public static var attributeForm: AttributeForm {
    let wrapped = Wrapped.attributeForm
    return AttributeForm(wrapped.kind, isOptional: true, isNested: wrapped.isOptional)
  }
}
