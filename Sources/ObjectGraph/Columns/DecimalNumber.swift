package import Foundation

/// A decimal number in its one form: equal numbers have equal members.
///
/// A `Decimal` can hold one number in several ways, as 15 · 10⁻¹ and as 150 · 10⁻². Its arithmetic
/// rounds silently. Comparisons, sums and texts are therefore made of this type.
package struct DecimalNumber: Hashable, Sendable {
  /// Whether it is less than zero; zero has no sign.
  package let isNegative: Bool
  /// The digits as an integer, which does not end with a zero unless it is zero.
  package let digits: UInt128
  /// The power of ten that the digits count; zero of zero.
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

  /// The powers of ten that a `Decimal` can count.
  static let exponents = -128...127
}

extension DecimalNumber {
  /// The number that a `Decimal` is; nil if it is not a number.
  package init?(_ value: Decimal) {
    guard !value.isNaN else { return nil }
    let whole = value.magnitude.significand
    // Foundation gives away at most 64 bits of a number; the text of a longer one is exact.
    let short = NSDecimalNumber(decimal: whole).uint64Value
    let digits = Decimal(short) == whole ? UInt128(short) : UInt128(whole.description)
    guard let digits else { return nil }
    self.init(isNegative: value.isSignMinus, digits: digits, exponent: value.exponent)
  }

  /// Whether a `Decimal` can be the number.
  package var isRepresentable: Bool {
    guard exponent > Self.exponents.upperBound else {
      return exponent >= Self.exponents.lowerBound
    }
    // The zeros at the end become digits.
    var digits = digits
    for _ in Self.exponents.upperBound..<exponent {
      let (product, overflows) = digits.multipliedReportingOverflow(by: 10)
      guard !overflows else { return false }
      digits = product
    }
    return true
  }

  /// The number as a `Decimal`; nil if none can be it.
  package var decimal: Decimal? {
    guard isRepresentable else { return nil }
    if let short = UInt64(exactly: digits), exponent <= Self.exponents.upperBound {
      return Decimal(
        sign: isNegative ? .minus : .plus, exponent: exponent, significand: Decimal(short))
    }
    return Decimal(string: text)
  }
}
