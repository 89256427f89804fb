import Foundation

extension Double {
  /// Returns the number rounded to `digits` significant digits, with commas between the thousands.
  /// In the whole part, further digits become zeros: 12,345 with three digits becomes “12,300”.
  func formatted(digits: Int) -> String {
    guard self != 0, isFinite else { return isFinite ? "0" : "–" }
    let magnitude = Int(log10(abs(self)).rounded(.down))
    let decimals = max(0, digits - 1 - magnitude)
    let scale = pow(10, Double(digits - 1 - magnitude))
    let rounded = (self * scale).rounded() / scale
    guard decimals == 0 else { return String(format: "%.\(min(decimals, 6))f", rounded) }
    return Int(rounded.rounded()).grouped
  }

  /// The number with three significant digits, as for medians in tables.
  var figure: String { formatted(digits: 3) }

  /// The number as a percentage, for instance “5 %” for 0.05.
  var percent: String {
    guard isFinite else { return "–" }
    let text = String(format: "%.1f", self * 100)
    return (text.hasSuffix(".0") ? String(text.dropLast(2)) : text) + " %"
  }

  /// The number as a percentage with its sign, for instance “+5.0 %” for 0.05.
  var signedPercent: String {
    let rounded = (self * 1000).rounded() / 10
    return isFinite ? (rounded == 0 ? "0.0 %" : String(format: "%+.1f %%", rounded)) : "–"
  }

  /// The number as a factor, for instance “12×”.
  var times: String { "\(formatted(digits: self < 10 ? 2 : 3))×" }
}

extension Int {
  /// The number with commas between the thousands.
  var grouped: String {
    let digits = Array(String(magnitude))
    let grouped = digits.enumerated().map { index, digit in
      index > 0 && (digits.count - index).isMultiple(of: 3) ? ",\(digit)" : "\(digit)"
    }
    return (self < 0 ? "-" : "") + grouped.joined()
  }
}
