/// An exact sum of decimal numbers, whatever their sizes and their order.
///
/// Every store computes sums with this type, from the values that it reads, so that all stores
/// return the same figures. Foundation's arithmetic rounds silently, and its sums depend on the
/// order.
package struct DecimalSum {
  // `lower` and `upper` have one sum for each power of ten. `lower` adds up the last 19 digits of
  // the numbers, and `upper` the digits before them. A number adds less than 10²⁰ to each sum, so
  // that no sum overflows with fewer than 10¹⁸ numbers.
  private var lower: [Int128] = []
  private var upper: [Int128] = []
  /// The number of addends.
  package private(set) var count = 0

  package init() {}

  /// Adds a number. Only numbers that a `Decimal` can represent are allowed.
  package mutating func add(_ number: DecimalNumber) {
    count += 1
    guard number.digits != 0 else { return }
    if lower.isEmpty {
      lower = Array(repeating: 0, count: Self.powers)
      upper = lower
    }
    let index = number.exponent - Self.least
    guard number.digits >= Self.split else {
      let part = Int128(number.digits)
      lower[index] += number.isNegative ? -part : part
      return
    }
    let (high, low) = number.digits.quotientAndRemainder(dividingBy: Self.split)
    lower[index] += number.isNegative ? -Int128(low) : Int128(low)
    upper[index] += number.isNegative ? -Int128(high) : Int128(high)
  }

  /// The sum; nil if it has more than 38 digits, or if no `Decimal` can represent it.
  package var total: DecimalNumber? {
    let (isNegative, digits) = digits
    guard let first = digits.lastIndex(where: { $0 != 0 }),
      let last = digits.firstIndex(where: { $0 != 0 })
    else { return DecimalNumber(isNegative: false, digits: 0, exponent: 0) }
    guard first - last < Self.precision else { return nil }
    let number = Self.number(isNegative, digits[last...first], exponent: last + Self.least)
    return number.isRepresentable ? number : nil
  }

  /// The mean, rounded to 38 digits; a half is rounded to the even neighbour. It is nil if there
  /// are no addends, or if no `Decimal` can represent the mean.
  ///
  /// The exact sum is divided and rounded once. A very small mean has fewer digits, because its
  /// digits end at the least exponent of a `Decimal`.
  package var average: DecimalNumber? {
    guard count > 0 else { return nil }
    let (isNegative, digits) = digits
    // Long division computes the digits, with two more places than a number can have.
    var quotient = [Int](repeating: 0, count: digits.count + 2)
    var rest: UInt128 = 0
    for index in quotient.indices.reversed() {
      rest = rest * 10 + UInt128(index >= 2 ? digits[index - 2] : 0)
      quotient[index] = Int(rest / UInt128(count))
      rest %= UInt128(count)
    }
    let first = quotient.lastIndex { $0 != 0 } ?? 0
    let last = max(first - Self.precision + 1, 2)
    let isMore = rest != 0 || quotient[..<(last - 1)].contains { $0 != 0 }
    let (next, isOdd) = (quotient[last - 1], quotient[last] % 2 == 1)
    let roundsUp = next > 5 || next == 5 && (isMore || isOdd)
    var kept = quotient[last...]
    if roundsUp {
      var place = last
      while kept[place] == 9 {
        kept[place] = 0
        place += 1
      }
      kept[place] += 1
    }
    let number = Self.number(isNegative, kept, exponent: last - 2 + Self.least)
    return number.isRepresentable ? number : nil
  }

  /// The sign and the digits of the sum. The first element is the digit of the least power of ten.
  private var digits: (isNegative: Bool, [Int]) {
    var places = [Int](repeating: 0, count: Self.powers + 64)
    for (sums, shift) in [(lower, 0), (upper, Self.splitDigits)] {
      for (index, sum) in sums.enumerated() where sum != 0 {
        var (rest, place) = (sum.magnitude, index + shift)
        while rest != 0 {
          let digit = Int(rest % 10)
          places[place] += sum < 0 ? -digit : digit
          (rest, place) = (rest / 10, place + 1)
        }
      }
    }
    // The sign is known only after `carry` has reduced each place to one digit.
    if Self.carry(&places) { return (false, places) }
    for index in places.indices { places[index] = -places[index] }
    _ = Self.carry(&places)
    return (true, places)
  }

  /// Carries tens to the next place, so that each place except the last has one digit. Returns
  /// false if the sum is less than zero.
  private static func carry(_ places: inout [Int]) -> Bool {
    for index in places.indices.dropLast() {
      let digit = (places[index] % 10 + 10) % 10
      places[index + 1] += (places[index] - digit) / 10
      places[index] = digit
    }
    return places[places.count - 1] >= 0
  }

  private static func number(
    _ isNegative: Bool, _ digits: ArraySlice<Int>, exponent: Int
  ) -> DecimalNumber {
    let whole = digits.reversed().reduce(UInt128(0)) { $0 * 10 + UInt128($1) }
    return DecimalNumber(isNegative: isNegative, digits: whole, exponent: exponent)
  }

  /// The greatest number of digits of a sum or a mean.
  private static let precision = 38
  private static let splitDigits = 19
  private static let split: UInt128 = 10_000_000_000_000_000_000
  private static let least = DecimalNumber.exponents.lowerBound
  /// The number of exponents that an added ``DecimalNumber`` can have. They exceed the exponents of
  /// a `Decimal` by up to 38, because zeros at the end of a number count in its exponent.
  private static let powers = DecimalNumber.exponents.count + 39
}
