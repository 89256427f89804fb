public import Foundation

/// A type that a store keeps in a column of its own.
///
/// Enums with such raw values, optionals, and (with `json:`) Codable values can be attributes too.
public protocol AttributeValue: Sendable, Hashable {
  /// How the type is laid out in memory and in a column.
  static var attributeForm: AttributeForm { get }
}

/// How a type is laid out in memory and in a column.
public struct AttributeForm: Sendable, Hashable {
  package let kind: ColumnKind
  package let isOptional: Bool

  package init(_ kind: ColumnKind, isOptional: Bool = false) {
    self.kind = kind
    self.isOptional = isOptional
  }
}

extension Bool: AttributeValue {
  public static var attributeForm: AttributeForm { AttributeForm(.bool) }
}
extension Int: AttributeValue {
  public static var attributeForm: AttributeForm { AttributeForm(.int) }
}
extension Int8: AttributeValue {
  public static var attributeForm: AttributeForm { AttributeForm(.int8) }
}
extension Int16: AttributeValue {
  public static var attributeForm: AttributeForm { AttributeForm(.int16) }
}
extension Int32: AttributeValue {
  public static var attributeForm: AttributeForm { AttributeForm(.int32) }
}
extension Int64: AttributeValue {
  public static var attributeForm: AttributeForm { AttributeForm(.int64) }
}
extension UInt: AttributeValue {
  public static var attributeForm: AttributeForm { AttributeForm(.uint) }
}
extension UInt8: AttributeValue {
  public static var attributeForm: AttributeForm { AttributeForm(.uint8) }
}
extension UInt16: AttributeValue {
  public static var attributeForm: AttributeForm { AttributeForm(.uint16) }
}
extension UInt32: AttributeValue {
  public static var attributeForm: AttributeForm { AttributeForm(.uint32) }
}
extension UInt64: AttributeValue {
  public static var attributeForm: AttributeForm { AttributeForm(.uint64) }
}
extension Double: AttributeValue {
  public static var attributeForm: AttributeForm { AttributeForm(.double) }
}
extension Float: AttributeValue {
  public static var attributeForm: AttributeForm { AttributeForm(.float) }
}
extension String: AttributeValue {
  public static var attributeForm: AttributeForm { AttributeForm(.string) }
}
extension Data: AttributeValue {
  public static var attributeForm: AttributeForm { AttributeForm(.data) }
}
extension Date: AttributeValue {
  public static var attributeForm: AttributeForm { AttributeForm(.date) }
}
extension UUID: AttributeValue {
  public static var attributeForm: AttributeForm { AttributeForm(.uuid) }
}
extension URL: AttributeValue {
  public static var attributeForm: AttributeForm { AttributeForm(.url) }
}
extension Optional: AttributeValue where Wrapped: AttributeValue {
  public static var attributeForm: AttributeForm {
    AttributeForm(Wrapped.attributeForm.kind, isOptional: true)
  }
}
