/// Functions that write texts and numbers as JSON.
enum JSONText {
  /// Returns a text in quotation marks. Besides the characters that JSON requires to be escaped,
  /// characters that are not safe on a terminal are escaped.
  static func string(_ text: some StringProtocol) -> String {
    SafeText.quoted(text) { scalar in
      (UTF16.encode(scalar).map { Array($0) } ?? []).map { unit in
        let digits = String(unit, radix: 16)
        return "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
      }.joined()
    }
  }

  /// Returns a number, or a text for infinities and NaN.
  static func number(_ value: some BinaryFloatingPoint & LosslessStringConvertible) -> String {
    value.isFinite ? "\(value)" : string("\(value)")
  }

  /// Returns texts as a JSON array.
  static func strings(_ texts: [String]) -> String {
    "[" + texts.map { string($0) }.joined(separator: ",") + "]"
  }
}
