/// A value of a column. Unlike a ``ColumnCell``, it owns its bytes.
package enum StoredValue: Sendable {
  case null
  case integer(Int64)
  case real(Double)
  case text(String)
  case blob([UInt8])

  package var isNull: Bool {
    if case .null = self { true } else { false }
  }
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
