/// A value of a column as a store keeps it. The steps of a migration read and write such values.
///
/// ```swift
/// try file.execute("UPDATE Card SET box = ?1 WHERE box IS ?2", ["first", nil])
/// ```
///
/// Two values are equal if a store considers them equal. Null equals null, texts are compared by
/// their UTF-8, and an integer differs from a real.
public enum StoredValue: Sendable {
  /// The absence of a value: SQL's NULL, or nil.
  case null
  /// An integer, or a `Bool` as 0 or 1.
  case integer(Int64)
  /// A floating-point number.
  case real(Double)
  /// A text.
  case text(String)
  /// Bytes.
  case blob([UInt8])

  package var isNull: Bool {
    if case .null = self { true } else { false }
  }
}

extension StoredValue: ExpressibleByStringLiteral, ExpressibleByIntegerLiteral,
  ExpressibleByFloatLiteral, ExpressibleByNilLiteral
{
  /// Creates a text.
  public init(stringLiteral value: String) { self = .text(value) }
  /// Creates an integer.
  public init(integerLiteral value: Int64) { self = .integer(value) }
  /// Creates a real.
  public init(floatLiteral value: Double) { self = .real(value) }
  /// Creates a null.
  public init(nilLiteral: ()) { self = .null }
}

extension StoredValue {
  /// Returns a number in the given numeric form, which is integer or real; nil if the conversion
  /// would not be exact. If the value or the form is not numeric, returns the value unchanged.
  package func exactly(as storage: ColumnCell.Form) -> StoredValue? {
    switch (self, storage) {
    case (.integer(let value), .real): Double(exactly: value).map { .real($0) }
    case (.real(let value), .integer): Int64(exactly: value).map { .integer($0) }
    default: self
    }
  }
}

extension StoredValue {
  /// The value as a Swift literal. A long blob is shortened.
  var source: String {
    switch self {
    case .null: return "nil"
    case .integer(let value): return "\(value)"
    case .real(let value): return "\(value)"
    case .text(let text): return text.debugDescription
    case .blob(let bytes):
      let list = bytes.prefix(20).map { "\($0)" }.joined(separator: ", ")
      return "Data([\(list)\(bytes.count > 20 ? ", … \(bytes.count - 20) more" : "")])"
    }
  }
}
