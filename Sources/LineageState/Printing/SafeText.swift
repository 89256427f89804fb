/// Functions that make texts safe to print on a terminal.
enum SafeText {
  /// Appends a text in UTF-8. An unsafe scalar is written as its number, such as `\u{1B}`.
  static func append(_ text: String, to bytes: inout [UInt8]) {
    let start = bytes.count
    bytes += text.utf8
    if bytes[start...].allSatisfy({ $0 >= 0x20 && $0 < 0x7F }) { return }
    bytes.removeSubrange(start...)
    for scalar in text.unicodeScalars {
      if isSafe(scalar) {
        bytes += UTF8.encode(scalar).map { Array($0) } ?? []
      } else {
        bytes += Array(number(scalar).utf8)
      }
    }
  }

  /// Returns whether a scalar has no effect on a terminal except that it is shown. Control
  /// characters are unsafe, and so are scalars that change the direction of the text around them.
  static func isSafe(_ scalar: Unicode.Scalar) -> Bool {
    if scalar.value < 0x7F { return scalar.value >= 0x20 }
    switch scalar.properties.generalCategory {
    case .control, .lineSeparator, .paragraphSeparator, .surrogate: return false
    // These two format characters join letters and emoji. All other ones are invisible or change
    // the direction of text.
    case .format: return scalar == "\u{200C}" || scalar == "\u{200D}"
    default: return true
    }
  }

  /// Returns the number of a scalar in the notation of Swift.
  static func number(_ scalar: Unicode.Scalar) -> String {
    "\\u{\(String(scalar.value, radix: 16, uppercase: true))}"
  }

  /// Returns a text in quotation marks. Quotation marks, backslashes, line breaks and tabs are
  /// escaped with a backslash. The closure escapes all other unsafe scalars; by default they are
  /// written as in Swift.
  static func quoted(
    _ text: some StringProtocol, escape: (Unicode.Scalar) -> String = number
  ) -> String {
    var quoted = "\""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\"": quoted += "\\\""
      case "\\": quoted += "\\\\"
      case "\n": quoted += "\\n"
      case "\t": quoted += "\\t"
      case "\r": quoted += "\\r"
      default:
        if isSafe(scalar) {
          quoted.unicodeScalars.append(scalar)
        } else {
          quoted += escape(scalar)
        }
      }
    }
    return quoted + "\""
  }
}
