/// An order of texts other than the order of their UTF-8.
///
/// Rows are ordered by the UTF-8 of key texts, which Swift computes from the texts. So all stores
/// and all unsaved objects have the same order.
package enum TextOrder: String, Hashable, Sendable, Codable {
  /// The order of texts without their differences in case and diacritics.
  case folded
  /// The order of folded texts, in which each run of ASCII digits counts as one number.
  case natural

  /// Returns the UTF-8 of the key text of a text.
  ///
  /// - Complexity: O(*n*) for *n* bytes.
  package func key(of text: Span<UInt8>) -> [UInt8] {
    let folded = Folding.foldedBytes(of: text)
    return self == .natural ? Self.measuringNumbers(in: folded) : folded
  }

  /// Returns the key text of a text. Other values are returned unchanged.
  package func key(of value: StoredValue) -> StoredValue {
    guard case .text(let text) = value else { return value }
    return .text(String(decoding: text.withBytes { key(of: $0) }, as: UTF8.self))
  }

  /// Returns the text with the number of digits before each number, and without leading zeros. So a
  /// number with fewer digits comes first.
  ///
  /// The number of digits is written as a nine for each nine digits, and as one more digit for the
  /// rest, which is less than nine. So a smaller number of digits comes first, too.
  private static func measuringNumbers(in folded: [UInt8]) -> [UInt8] {
    guard let first = folded.firstIndex(where: isDigit) else { return folded }
    var natural = Array(folded[..<first])
    natural.reserveCapacity(folded.count * 2)
    var place = first
    while place < folded.count {
      guard isDigit(folded[place]) else {
        natural.append(folded[place])
        place += 1
        continue
      }
      let rest = folded[place...]
      let end = rest.firstIndex { !isDigit($0) } ?? folded.count
      let digits = rest[..<end].drop { $0 == UInt8(ascii: "0") }
      natural.append(contentsOf: repeatElement(UInt8(ascii: "9"), count: digits.count / 9))
      natural.append(UInt8(ascii: "0") + UInt8(digits.count % 9))
      natural.append(contentsOf: digits)
      place = end
    }
    return natural
  }

  private static func isDigit(_ byte: UInt8) -> Bool {
    (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
  }
}
