extension Unit {
  /// Returns the value as a text in the unit that makes it short, for instance “4.5 ms”.
  func spoken(_ value: Double, _ digits: Int = 3) -> String {
    guard isTime else { return "\(value.formatted(digits: digits)) \(rawValue)" }
    var amount = value * divisor
    for name in ["ns", "µs", "ms"] {
      // The next unit begins at 999.5, because 999.5 would be rounded to a thousand.
      if amount < 999.5 { return "\(amount.formatted(digits: digits)) \(name)" }
      amount /= 1000
    }
    return "\(amount.formatted(digits: digits)) s"
  }
}

/// Returns a comparison of two times, for instance “12× faster than” or “as fast as”.
func comparison(of one: Double, to other: Double) -> String {
  guard one > 0, other > 0 else { return "not comparable with" }
  let factor = other / one
  if (0.95...1.05).contains(factor) { return "as fast as" }
  return factor > 1 ? "\(factor.times) faster than" : "\((1 / factor).times) slower than"
}
