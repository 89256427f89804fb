import Foundation
import LineageTestSupport
import ObjectGraph
import Testing

@Suite("A sum of decimal numbers")
struct DecimalSumTests {
  /// Draws random numbers, of similar or of very different size. Some are pairs whose sum is zero.
  private func numbers(_ random: inout SplitMix64) -> [DecimalNumber] {
    let spread = random.pick([1, 3, 40, 256])
    let bits = random.pick([1, 10, 64, 127, 128])
    var numbers: [DecimalNumber] = []
    for _ in 0..<random.below(40) + 1 {
      let digits = UInt128(random.next()) << 64 | UInt128(random.next())
      let exponent = min(127, random.below(spread) - (spread > 40 ? 128 : 2))
      let number = DecimalNumber(
        isNegative: random.chance(50), digits: digits >> UInt128(128 - bits), exponent: exponent)
      numbers.append(number)
      guard random.chance(40) else { continue }
      numbers.append(
        DecimalNumber(
          isNegative: !number.isNegative, digits: number.digits, exponent: number.exponent))
    }
    return numbers
  }

  private func sum(_ numbers: [DecimalNumber]) -> DecimalSum {
    numbers.reduce(into: DecimalSum()) { $0.add($1) }
  }

  @Test(
    "is what a slow addition of all digits gives, up to 38 digits",
    arguments: 1...4 as ClosedRange<UInt64>)
  func total(seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    var (sums, refusals) = (0, 0)
    for step in 0..<rounds(1_000) {
      let numbers = numbers(&random)
      let expected = numbers.reduce(Digits()) { $0 + Digits($1.text) }
      let total = sum(numbers).total
      let other = sum(numbers.shuffled(using: &random)).total
      try #require(total == other, "seed \(seed), step \(step): the order matters")
      if expected.significant > 38 {
        refusals += 1
        try #require(total == nil, "seed \(seed), step \(step)")
      } else {
        sums += 1
        try #require(total?.text == expected.text, "seed \(seed), step \(step)")
      }
    }
    #expect(sums > 20 && refusals > 20)
  }

  @Test(
    "divided by their count is off by at most half a unit, to the even neighbour if by half",
    arguments: 5...8 as ClosedRange<UInt64>)
  func average(seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    for step in 0..<rounds(1_000) {
      let numbers = numbers(&random)
      let total = numbers.reduce(Digits()) { $0 + Digits($1.text) }
      let average = try #require(sum(numbers).average, "seed \(seed), step \(step)")
      let digits = Digits(average.text)
      try #require(digits.significant <= 38)
      // The last digit that the mean can have is the 38th one, but none below the smallest
      // exponent.
      var unit = Digits()
      let last = max((digits.power ?? -128) - 37, -128)
      unit[last] = 1
      let error = (digits * numbers.count + -total).magnitude
      let half = unit * numbers.count
      try #require(error + error <= half, "seed \(seed), step \(step): \(average.text)")
      if error + error == half {
        try #require(digits[last].isMultiple(of: 2), "seed \(seed), step \(step): \(average.text)")
      }
    }
  }

  @Test("rounds a mean at the 38th digit: a half to the even one, more than a half up")
  func halves() throws {
    for (numbers, mean) in [
      (
        ["10000000000000000000000000000000000001", "10000000000000000000000000000000000002"],
        "10000000000000000000000000000000000002"
      ),
      (
        ["10000000000000000000000000000000000002", "10000000000000000000000000000000000003"],
        "10000000000000000000000000000000000002"
      ),
      (
        ["99999999999999999999999999999999999999", "100000000000000000000000000000000000000"],
        "100000000000000000000000000000000000000"
      ),
      (
        ["-10000000000000000000000000000000000001", "-10000000000000000000000000000000000002"],
        "-10000000000000000000000000000000000002"
      ),
      (
        ["20000000000000000000000000000000000005", "0.0000000001"],
        "10000000000000000000000000000000000003"
      ),
      (["20000000000000000000000000000000000005", "0"], "10000000000000000000000000000000000002"),
    ] {
      let numbers = try numbers.map { try #require(DecimalNumber($0), "\($0)") }
      #expect(sum(numbers).average?.text == mean)
    }
  }

  @Test("of nothing has no mean, and a mean that no Decimal can be is none")
  func none() throws {
    #expect(DecimalSum().average == nil && DecimalSum().total?.text == "0")
    let most = DecimalNumber(isNegative: false, digits: .max, exponent: 127)
    #expect(sum([most, most]).average == nil, "38 digits of it are more than it")
    let round = DecimalNumber(isNegative: false, digits: 34, exponent: 164)
    #expect(sum([round, round, round]).average == round)
    #expect(sum([round, round]).total == nil)
  }
}
