import Foundation

extension String {
  /// The text in quotation marks, as in JSON. Of control characters, only line breaks are escaped.
  package var quoted: String {
    var quoted = "\""
    for scalar in unicodeScalars {
      switch scalar {
      case "\"", "\\": quoted += "\\\(scalar)"
      case "\n": quoted += "\\n"
      default: quoted.unicodeScalars.append(scalar)
      }
    }
    return quoted + "\""
  }

  /// Creates the text of a number with its noun, in the plural if needed.
  package init(_ count: Int, _ noun: String) { self = "\(count) \(noun)\(count == 1 ? "" : "s")" }

  /// Creates the text of a date in universal time; nil outside of the years 1 to 9999.
  package init?(secondsSince2001 seconds: Double) {
    guard seconds > -63_113_904_000, seconds < 252_423_993_599 else { return nil }
    let hasFraction = seconds != seconds.rounded(.down)
    self = Date(timeIntervalSinceReferenceDate: seconds)
      .formatted(Date.ISO8601FormatStyle(includingFractionalSeconds: hasFraction))
  }
}

extension [String] {
  /// The texts as an array in JSON.
  package var quotedArray: String { "[" + map(\.quoted).joined(separator: ",") + "]" }
}
