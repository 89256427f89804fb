import Foundation

/// Functions that return numbers as texts, alone or with a noun.
package enum NumberText {
  /// Returns a number with its digits in groups of three.
  package static func text(_ number: Int) -> String {
    let digits = String(number.magnitude)
    var text = ""
    for (index, digit) in digits.enumerated() {
      if index > 0, (digits.count - index) % 3 == 0 { text.append(",") }
      text.append(digit)
    }
    return number < 0 ? "-\(text)" : text
  }

  /// Returns a number with its noun, in the plural if needed.
  package static func text(_ number: Int, _ noun: String) -> String {
    let ending = noun.hasSuffix("ch") ? "es" : "s"
    return "\(text(number)) \(noun)\(number == 1 ? "" : ending)"
  }
}

/// Functions that return bytes, or a number of bytes, as texts.
package enum Bytes {
  private static let units = ["B", "kB", "MB", "GB"]

  /// Returns a number of bytes with about three digits and a unit, such as 12.3 kB.
  package static func text(_ count: Int) -> String {
    guard count >= 1000 else { return "\(count) B" }
    var tenths = count / 100
    var unit = 1
    while tenths >= 10_000, unit < units.count - 1 {
      tenths /= 1000
      unit += 1
    }
    return "\(tenths / 10).\(tenths % 10) \(units[unit])"
  }

  /// Returns bytes as hexadecimal digits.
  static func hexadecimal(_ bytes: some Sequence<UInt8>) -> String {
    bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
  }

  /// Returns the text of a UUID, given its sixteen bytes.
  static func uuid(_ bytes: ArraySlice<UInt8>) -> String {
    let digits = Array(hexadecimal(bytes).uppercased())
    let parts = [0..<8, 8..<12, 12..<16, 16..<20, 20..<32]
    return parts.map { String(digits[$0.clamped(to: 0..<digits.count)]) }.joined(separator: "-")
  }
}

/// Texts for dates in universal time.
package enum DateText {
  /// Returns the text of a date, to the millisecond; nil for a date outside of the years 1 to 9999.
  ///
  /// The date is given in seconds since the beginning of the year 2001. Any number is allowed,
  /// because a damaged archive may contain any number.
  package static func text(_ seconds: Double) -> String? {
    // The limits are the beginning of the year 1 and the end of the year 9999.
    guard seconds > -63_113_904_000, seconds < 252_423_993_599 else { return nil }
    let milliseconds = Int((seconds * 1000).rounded(.down))
    let (day, rest) = quotient(milliseconds, 86_400_000)
    let (year, month, dayOfMonth) = date(day + 11_323)
    func padded(_ number: Int, _ count: Int) -> String {
      String(repeating: "0", count: max(count - String(number).count, 0)) + String(number)
    }
    let time = [rest / 3_600_000, rest / 60_000 % 60, rest / 1000 % 60]
      .map { padded($0, 2) }.joined(separator: ":")
    let fraction = rest % 1000 == 0 ? "" : ".\(padded(rest % 1000, 3))"
    return "\(padded(year, 4))-\(padded(month, 2))-\(padded(dayOfMonth, 2))T\(time)\(fraction)Z"
  }

  private static func quotient(_ number: Int, _ divisor: Int) -> (Int, rest: Int) {
    let rest = number % divisor
    return rest < 0 ? (number / divisor - 1, rest + divisor) : (number / divisor, rest)
  }

  /// Returns the Gregorian date of a day, which is counted from the first of January 1970.
  private static func date(_ day: Int) -> (year: Int, month: Int, day: Int) {
    // The years begin in March, so that a leap day is the last day of its year.
    let (era, dayOfEra) = quotient(day + 719_468, 146_097)
    let yearOfEra =
      (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let monthFromMarch = (5 * dayOfYear + 2) / 153
    let month = monthFromMarch < 10 ? monthFromMarch + 3 : monthFromMarch - 9
    let year = era * 400 + yearOfEra + (month <= 2 ? 1 : 0)
    return (year, month, dayOfYear - (153 * monthFromMarch + 2) / 5 + 1)
  }
}
