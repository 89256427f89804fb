package import Foundation

/// A decimal number in its canonical form: equal numbers have equal members.
///
/// A `Decimal` can represent one number in several ways, such as 15 · 10⁻¹ and 150 · 10⁻², and its
/// arithmetic rounds silently. Comparisons, sums and texts therefore use this type.
package struct DecimalNumber: Hashable, Sendable {
  /// Whether the number is less than zero.
  package let isNegative: Bool
  /// The digits as an integer. Its last digit is not zero, unless the number is zero.
  package let digits: UInt128
  /// The power of ten by which the digits are multiplied; zero if the number is zero.
  package let exponent: Int

  package init(isNegative: Bool, digits: UInt128, exponent: Int) {
    guard digits != 0 else {
      (self.isNegative, self.digits, self.exponent) = (false, 0, 0)
      return
    }
    var (rest, power) = (digits, exponent)
    while rest > UInt64.max, rest % 10 == 0 { (rest, power) = (rest / 10, power + 1) }
    if rest <= UInt64.max {
      var short = UInt64(truncatingIfNeeded: rest)
      while short % 10 == 0 { (short, power) = (short / 10, power + 1) }
      rest = UInt128(short)
    }
    (self.isNegative, self.digits, self.exponent) = (isNegative, rest, power)
  }

  /// The exponents that a `Decimal` can have.
  static let exponents = -128...127
}

extension DecimalNumber {
  /// Creates the number of a `Decimal`; nil if the `Decimal` is not-a-number.
  package init?(_ value: Decimal) {
    guard !value.isNaN else { return nil }
    let whole = value.magnitude.significand
    // Foundation returns at most 64 bits of a number. The text of a longer number is exact.
    let short = NSDecimalNumber(decimal: whole).uint64Value
    let digits = Decimal(short) == whole ? UInt128(short) : UInt128(whole.description)
    guard let digits else { return nil }
    self.init(isNegative: value.isSignMinus, digits: digits, exponent: value.exponent)
  }

  /// Whether a `Decimal` can represent the number.
  package var isRepresentable: Bool {
    guard exponent > Self.exponents.upperBound else {
      return exponent >= Self.exponents.lowerBound
    }
    // A `Decimal` writes powers beyond its greatest exponent as zeros at the end of its digits.
    var digits = digits
    for _ in Self.exponents.upperBound..<exponent {
      let (product, overflows) = digits.multipliedReportingOverflow(by: 10)
      guard !overflows else { return false }
      digits = product
    }
    return true
  }

  /// The number as a `Decimal`; nil if no `Decimal` can represent it.
  package var decimal: Decimal? {
    guard isRepresentable else { return nil }
    if let short = UInt64(exactly: digits), exponent <= Self.exponents.upperBound {
      return Decimal(
        sign: isNegative ? .minus : .plus, exponent: exponent, significand: Decimal(short))
    }
    return Decimal(string: text)
  }
}
