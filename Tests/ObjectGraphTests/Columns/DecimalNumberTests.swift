import Foundation
import LineageTestSupport
import ObjectGraph
import Testing

@Suite("A decimal number")
struct DecimalNumberTests {
  /// Digits of various lengths, from a single digit to the largest number.
  private static let digits: [UInt128] = {
    let short: [UInt128] = [1, 2, 5, 9, 10, 11, 150, 1_000, 12_345, 99_999]
    let middle = UInt128(UInt64.max)
    let most = UInt128.max
    let long: [UInt128] = [
      10_000_000_000_000_000_000, 123_456_789_012_345_678_901_234_567_890,
      100_000_000_000_000_000_000_000_000_000_000_000_000,
    ]
    return short + [middle - 1, middle, middle + 1] + long + [most - 1, most, most / 10]
  }()

  /// Draws a random number of any size and sign that a `Decimal` can have.
  private func number(_ random: inout SplitMix64) -> DecimalNumber {
    let bits = random.below(129)
    let whole = UInt128(random.next()) << 64 | UInt128(random.next())
    let digits = bits == 0 ? 0 : whole >> UInt128(128 - bits)
    let exponent = random.chance(50) ? random.below(256) - 128 : random.below(9) - 6
    return DecimalNumber(isNegative: random.chance(50), digits: digits, exponent: exponent)
  }

  @Test("is the same after it was a Decimal and a text, of each exponent", arguments: digits)
  func roundTrip(digits: UInt128) throws {
    for exponent in Array(stride(from: -128, to: 127, by: 256 / rounds(256))) + [127] {
      for isNegative in [false, true] {
        let number = DecimalNumber(isNegative: isNegative, digits: digits, exponent: exponent)
        let decimal = try #require(number.decimal)
        #expect(DecimalNumber(decimal) == number)
        #expect(DecimalNumber(number.text) == number)
        #expect(Digits(number.text) == Digits(decimal))
        #expect(Digits(decimal).text == number.text)
      }
    }
  }

  @Test("has one text, however a Decimal holds it")
  func oneText() {
    for (text, decimals) in [
      ("1.5", [Decimal.loose(-1, 15), .loose(-2, 150), .loose(-9, 1_500_000_000)]),
      ("0", [Decimal(), .loose(7, 0), .loose(-128, 0), -Decimal(0)]),
      ("1200", [.loose(0, 1200), .loose(2, 12), .loose(1, 120), .loose(-2, 120_000)]),
      ("-0.05", [.loose(-2, 5, isNegative: true), .loose(-4, 500, isNegative: true)]),
    ] {
      for decimal in decimals { #expect(DecimalNumber(decimal)?.text == text) }
    }
    #expect(DecimalNumber(Decimal.nan) == nil)
    #expect(Decimal.loose(-2, 150).significand == 150, "the form is not the shortest")
  }

  @Test("is read of its one text only")
  func refusals() {
    for text in [
      "", "-", ".", "-.", "abc", "NaN", "1.50", "1.0", "1.", ".5", "-.5", "00", "01", "-0", "0.0",
      "-0.0", "+1", "1e3", "1E3", " 1", "1 ", "1,5", "1.5.2", "1-", "--1", "1.5abc", "0x1", "１",
      "340282366920938463463374607431768211456", "0.\(String(repeating: "0", count: 128))1",
      "1\(String(repeating: "0", count: 166))", "1\0",
      "1234567890123456789012345678901234567890123",
      "-340282366920938463463374607431768211456", "1/2", "1:",
    ] {
      #expect(DecimalNumber(text) == nil, "\(text)")
    }
  }

  @Test("beyond what a Decimal can be is none")
  func unrepresentable() {
    for (digits, exponent) in [(1, -129), (1, 166), (UInt128.max, 128), (35, 165)] {
      let number = DecimalNumber(isNegative: false, digits: digits, exponent: exponent)
      #expect(!number.isRepresentable && number.decimal == nil)
    }
    for (digits, exponent) in [(1, -128), (1, 165), (34, 164), (UInt128.max, 127)] {
      let number = DecimalNumber(isNegative: false, digits: digits, exponent: exponent)
      #expect(number.isRepresentable && number.decimal != nil)
    }
  }

  @Test("comes before another if all its digits say so", arguments: [1, 2] as [UInt64])
  func order(seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    var numbers = (0..<(isSanitized ? 40 : 120)).map { _ in number(&random) }
    numbers += numbers.map {
      DecimalNumber(isNegative: !$0.isNegative, digits: $0.digits, exponent: $0.exponent)
    }
    let all = numbers.map { (text: StoredValue.text($0.text), digits: Digits($0.text)) }
    for one in all {
      for other in all {
        let order = ColumnOrder.decimals.compare(one.text, other.text)
        let expected = one.digits < other.digits ? -1 : one.digits == other.digits ? 0 : 1
        try #require(order.signum() == expected, "\(one.text) and \(other.text), seed \(seed)")
        try #require((order == 0) == (one.text == other.text))
      }
    }
  }

  @Test("and random others survive a Decimal and a text", arguments: [3, 4] as [UInt64])
  func random(seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    for _ in 0..<rounds(3_000) {
      let number = number(&random)
      let decimal = try #require(number.decimal, "seed \(seed)")
      try #require(DecimalNumber(decimal) == number, "\(number), seed \(seed)")
      try #require(DecimalNumber(number.text) == number, "\(number), seed \(seed)")
      try #require(Digits(decimal).text == number.text, "\(number), seed \(seed)")
    }
  }
}
