import ObjectGraph

extension StoredValue {
  /// The text; nil if the value is of another kind.
  var text: String? { if case .text(let text) = self { text } else { nil } }

  /// The integer; nil if the value is of another kind.
  var integer: Int64? { if case .integer(let integer) = self { integer } else { nil } }
}
