// A column keeps a decimal number as text. Equal numbers have the same text, so a store can test
// equality, membership of a list and uniqueness by the bytes of the text. Every program that opens
// the file can read the number.
//
// The text has a minus sign if the number is less than zero. Then comes the whole part, without
// unnecessary zeros at its start. If the number is not whole, a point and the other digits follow,
// and the last digit is not zero.
//
// Rejected: a collation in the schema, because the `sqlite3` program lacks it; a blob whose bytes
// sort like the numbers, because no person can read the blob; reading `1.50`, because an index
// treats it as different from `1.5`.

extension DecimalNumber {
  /// The canonical text of the number. Equal numbers have the same text.
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

  /// Creates the number of a canonical text; nil if the text is not canonical, or if no `Decimal`
  /// can represent the number.
  package init?(_ text: String) {
    guard let number = text.withBytes({ Self.read($0) }) else { return nil }
    self = number
  }

  /// Creates the number that a cell keeps; nil if the cell keeps no canonical text of a number.
  package init?(_ cell: ColumnCell) {
    guard cell.form == .text, let number = cell.withBytes({ Self.read($0) }) else { return nil }
    self = number
  }

  private static func read(_ bytes: Span<UInt8>) -> DecimalNumber? {
    let parts = DecimalText(bytes)
    let end = bytes.count
    let point = parts.point
    guard parts.start < point else { return nil }
    let isLessThanOne = bytes[parts.start] == zero
    // A number of one or more has no zero at its start. A point has digits after it, and the last
    // is not zero.
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
    // Zero has neither a sign nor a point.
    if digits == 0, parts.isNegative || point < end { return nil }
    let number = DecimalNumber(
      isNegative: parts.isNegative, digits: digits,
      exponent: digits == 0 ? 0 : point < end ? point + 1 - end : zeros)
    return number.isRepresentable ? number : nil
  }
}

extension UInt128 {
  /// Returns the number after appending the zeros and then the digit; nil if the result overflows.
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

/// The sign of a decimal number in a text, and the position of its point. Two texts are ordered
/// first by sign, then by the number of digits before the point, and then by their bytes.
///
/// So texts of numbers have the order of the numbers. Texts that are not numbers, which another
/// program may have written, also have a place in this order. Two texts are equal in the order only
/// if their bytes are equal.
package struct DecimalText {
  /// Whether the text begins with a minus sign.
  package let isNegative: Bool
  /// The index of the point; the number of bytes if there is none.
  let point: Int

  init(_ bytes: Span<UInt8>) {
    isNegative = !bytes.isEmpty && bytes[0] == minus
    var point = 0
    while point < bytes.count, bytes[point] != dot { point += 1 }
    self.point = point
  }

  /// Creates a value with the sign of a text and the position of its point.
  package init(_ text: String) { self = text.withBytes { DecimalText($0) } }

  /// The index of the first digit.
  fileprivate var start: Int { isNegative ? 1 : 0 }

  /// The number of digits before the point.
  package var wholeCount: Int { max(0, point - start) }

  /// Returns a negative number if the first text comes first, zero if they are equal, else a
  /// positive number.
  static func order(_ one: String, _ other: String) -> Int {
    one.withBytes { one in other.withBytes { order(one, $0) } }
  }

  /// Returns a negative number if the text of the first cell comes first, zero if they are equal,
  /// else a positive number.
  package static func order(_ one: ColumnCell, _ other: ColumnCell) -> Int {
    one.withBytes { one in other.withBytes { order(one, $0) } }
  }

  private static func order(_ one: Span<UInt8>, _ other: Span<UInt8>) -> Int {
    let (first, second) = (DecimalText(one), DecimalText(other))
    if first.isNegative != second.isNegative { return first.isNegative ? -1 : 1 }
    let bySize = first.wholeCount - second.wholeCount
    // If the whole parts have the same length, the first byte that differs decides.
    let order = bySize != 0 ? bySize : one.order(before: other)
    return first.isNegative ? -order : order
  }
}

private let minus = UInt8(ascii: "-")
private let dot = UInt8(ascii: ".")
private let zero = UInt8(ascii: "0")
