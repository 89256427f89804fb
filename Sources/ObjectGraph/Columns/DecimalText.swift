// A column keeps a decimal number as text. Equal numbers have one text, so that a store finds them
// equal by their bytes: a minus sign if it is less than zero; the whole part without zeros before it,
// or one zero; then, unless it is whole, a point and digits of which the last is not zero.

extension DecimalNumber {
  /// The one text of the number.
  package var text: String {
    let row = UInt64(exactly: digits).map { String($0) } ?? String(digits)
    let sign = isNegative ? "-" : ""
    if exponent >= 0 { return sign + row + String(repeating: "0", count: exponent) }
    let places = -exponent
    guard row.utf8.count > places else {
      return sign + "0." + String(repeating: "0", count: places - row.utf8.count) + row
    }
    return sign + row.dropLast(places) + "." + row.suffix(places)
  }

  /// The number whose one text this is; nil if it is of no number that a `Decimal` can be.
  package init?(_ text: String) {
    guard let number = text.withBytes({ Self.read($0) }) else { return nil }
    self = number
  }

  /// The number that a cell keeps; nil if it keeps none.
  package init?(_ cell: Cell) {
    guard cell.form == .text, let number = cell.withBytes({ Self.read($0) }) else { return nil }
    self = number
  }

  private static func read(_ bytes: Span<UInt8>) -> DecimalNumber? {
    let parts = DecimalText(bytes)
    let end = bytes.count
    let point = parts.point
    guard parts.start < point else { return nil }
    let isLessThanOne = bytes[parts.start] == zero
    // No zeros before other digits, no point without digits, and no zero as the last of those.
    if isLessThanOne, point > parts.start + 1 { return nil }
    if point < end, point + 1 == end || bytes[end - 1] == zero { return nil }
    var digits: UInt128 = 0
    var zeros = 0
    for index in parts.start..<end where index != point {
      let byte = bytes[index]
      guard byte >= zero, byte <= zero + 9 else { return nil }
      guard byte != zero else {
        zeros += 1
        continue
      }
      if digits == 0 { zeros = 0 }
      guard let longer = digits.appending(byte - zero, after: zeros) else { return nil }
      (digits, zeros) = (longer, 0)
    }
    // Zero has no sign.
    if digits == 0, parts.isNegative || point < end { return nil }
    let number = DecimalNumber(
      isNegative: parts.isNegative, digits: digits,
      exponent: digits == 0 ? 0 : point < end ? point + 1 - end : zeros)
    return number.isRepresentable ? number : nil
  }
}

extension UInt128 {
  /// Returns the number with zeros and a digit at its end; nil if that is too long.
  fileprivate func appending(_ digit: UInt8, after zeros: Int) -> UInt128? {
    var number = self
    if number != 0 {
      for _ in 0...zeros {
        let (product, overflows) = number.multipliedReportingOverflow(by: 10)
        guard !overflows else { return nil }
        number = product
      }
    }
    let (sum, overflows) = number.addingReportingOverflow(UInt128(digit))
    return overflows ? nil : sum
  }
}

/// The parts of a text by which decimal numbers are ordered.
///
/// The order is that of the numbers, if both texts are of numbers, and reads no digit twice. Other
/// texts, which a foreign writer may leave, have a place in it too: two are equal only if their bytes
/// are, so that each list has one order.
package struct DecimalText {
  /// Whether a minus sign is first.
  package let isNegative: Bool
  /// The index of the point, or the end.
  let point: Int

  init(_ bytes: Span<UInt8>) {
    isNegative = !bytes.isEmpty && bytes[0] == minus
    var point = 0
    while point < bytes.count, bytes[point] != dot { point += 1 }
    self.point = point
  }

  /// The parts of a text.
  package init(_ text: String) { self = text.withBytes { DecimalText($0) } }

  /// The index behind the sign.
  fileprivate var start: Int { isNegative ? 1 : 0 }

  /// The number of digits before the point.
  package var wholeCount: Int { max(0, point - start) }

  /// Returns a negative number if the first text comes first, zero if they are equal, else a positive
  /// one.
  static func order(_ one: String, _ other: String) -> Int {
    one.withBytes { one in other.withBytes { order(one, $0) } }
  }

  /// Returns a negative number if the first cell's text comes first, zero if they are equal, else a
  /// positive one.
  package static func order(_ one: Cell, _ other: Cell) -> Int {
    one.withBytes { one in other.withBytes { order(one, $0) } }
  }

  private static func order(_ one: Span<UInt8>, _ other: Span<UInt8>) -> Int {
    let (first, second) = (DecimalText(one), DecimalText(other))
    if first.isNegative != second.isNegative { return first.isNegative ? -1 : 1 }
    let bySize = first.wholeCount - second.wholeCount
    // Of whole parts of one length, the greater has the greater digit first; so have fractions.
    let order = bySize != 0 ? bySize : one.order(before: other)
    return first.isNegative ? -order : order
  }
}

private let minus = UInt8(ascii: "-")
private let dot = UInt8(ascii: ".")
private let zero = UInt8(ascii: "0")
