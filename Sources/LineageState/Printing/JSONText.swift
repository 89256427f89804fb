/// Functions that write texts and numbers as JSON.
enum JSONText {
  /// Returns a text in quotation marks. Characters that are not safe on a terminal are escaped,
  /// too.
  static func string(_ text: some StringProtocol) -> String {
    var json = "\""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\"": json += "\\\""
      case "\\": json += "\\\\"
      case "\n": json += "\\n"
      case "\t": json += "\\t"
      case "\r": json += "\\r"
      default:
        guard !SafeText.isSafe(scalar) else {
          json.unicodeScalars.append(scalar)
          continue
        }
        for unit in UTF16.encode(scalar).map({ Array($0) }) ?? [] {
          let digits = String(unit, radix: 16)
          json += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
        }
      }
    }
    return json + "\""
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
