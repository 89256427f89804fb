package import Foundation

/// A decimal number as one digit for each power of ten. Its digits come from the text of a
/// `Decimal`.
///
/// The type is slow and obvious, and has no code in common with the numbers of the library.
package struct Digits: Hashable {
  /// The digits from 10¹⁷⁹ down to 10⁻¹³⁰. The digits of a negative number are negative or zero.
  package private(set) var places: [Int]

  package static let highest = 179
  package static let lowest = -130

  /// Creates zero.
  package init() { places = Array(repeating: 0, count: Self.highest - Self.lowest + 1) }

  /// Creates a number from a text with or without a decimal point.
  package init(_ text: String) {
    self.init()
    let sign = text.hasPrefix("-") ? -1 : 1
    let parts = text.split(separator: ".").map { $0.filter(\.isNumber) }
    for (power, digit) in parts[0].reversed().enumerated() {
      places[Self.highest - power] = sign * (digit.wholeNumberValue ?? 0)
    }
    guard parts.count > 1 else { return }
    for (power, digit) in parts[1].enumerated() {
      places[Self.highest + 1 + power] = sign * (digit.wholeNumberValue ?? 0)
    }
  }

  /// Creates a number from a `Decimal`.
  package init(_ value: Decimal) { self.init(value.description) }

  /// Returns the sum of two numbers. The digits are added, then carried.
  package static func + (one: Digits, other: Digits) -> Digits {
    var sum = Digits()
    for index in sum.places.indices { sum.places[index] = one.places[index] + other.places[index] }
    return sum.normalised
  }

  /// Returns a number multiplied by a small integer. The digits are multiplied, then carried.
  package static func * (one: Digits, count: Int) -> Digits {
    var product = one
    for index in product.places.indices { product.places[index] *= count }
    return product.normalised
  }

  /// Returns the number with the opposite sign.
  package static prefix func - (one: Digits) -> Digits {
    var other = one
    for index in other.places.indices { other.places[index].negate() }
    return other
  }

  /// The number without its sign.
  package var magnitude: Digits { self < Digits() ? -self : self }

  /// The digit at a power of ten. It is negative or zero if the number is negative.
  package subscript(power: Int) -> Int {
    get { places[Self.highest - power] }
    set { places[Self.highest - power] = newValue }
  }

  /// The greatest power of ten whose digit is not zero; nil if the number is zero.
  package var power: Int? { places.firstIndex { $0 != 0 }.map { Self.highest - $0 } }

  /// This number after carrying: each place has one digit, and all digits have one sign.
  private var normalised: Digits {
    var normalised = self
    func carry() {
      for index in normalised.places.indices.dropFirst().reversed() {
        let digit = (normalised.places[index] % 10 + 10) % 10
        normalised.places[index - 1] += (normalised.places[index] - digit) / 10
        normalised.places[index] = digit
      }
    }
    carry()
    guard normalised.places[0] < 0 else { return normalised }
    for index in normalised.places.indices { normalised.places[index].negate() }
    carry()
    for index in normalised.places.indices { normalised.places[index].negate() }
    return normalised
  }

  /// The number as a decimal text, without needless zeros at its beginning and end.
  package var text: String {
    let sign = places.contains { $0 < 0 } ? "-" : ""
    let digits = places.map { Character("\(abs($0))") }
    let whole = String(digits[...Self.highest]).drop { $0 == "0" }
    var fraction = String(digits[(Self.highest + 1)...])
    while fraction.last == "0" { fraction.removeLast() }
    return sign + (whole.isEmpty ? "0" : whole) + (fraction.isEmpty ? "" : "." + fraction)
  }

  /// The number of digits from the first that is not zero to the last that is not zero.
  package var significant: Int {
    guard let first = places.firstIndex(where: { $0 != 0 }),
      let last = places.lastIndex(where: { $0 != 0 })
    else { return 0 }
    return last - first + 1
  }
}

extension Digits: Comparable {
  /// Compares two numbers by the first digit in which they differ.
  package static func < (one: Digits, other: Digits) -> Bool {
    zip(one.places, other.places).first { $0 != $1 }.map { $0 < $1 } ?? false
  }
}

extension Decimal {
  /// Makes a number with exactly these digits and this exponent. The digits may end with zeros,
  /// although a shorter form has none.
  ///
  /// Decoding makes such a form on every system. Arithmetic would shorten most results.
  package static func loose(
    _ exponent: Int, _ digits: UInt64, isNegative: Bool = false
  ) -> Decimal {
    let words = (0..<8).map { $0 < 4 ? UInt16(truncatingIfNeeded: digits >> ($0 * 16)) : 0 }
    let length = (words.lastIndex { $0 != 0 } ?? -1) + 1
    let form = Form(
      exponent: Int32(exponent), length: UInt32(length), isNegative: isNegative && digits != 0,
      isCompact: false, mantissa: words)
    do {
      let bytes = try PropertyListEncoder().encode(form)
      return try PropertyListDecoder().decode(Decimal.self, from: bytes)
    } catch {
      preconditionFailure("a Decimal decodes what one would encode: \(error)")
    }
  }

  /// The encoded form of a `Decimal`.
  private struct Form: Encodable {
    let exponent: Int32
    let length: UInt32
    let isNegative: Bool
    let isCompact: Bool
    let mantissa: [UInt16]
  }
}
