package import ObjectGraph

/// The orders of texts as slow and obvious code, to which tests compare the library.
package enum TextOracle {
  /// A byte of a text, or a number that consists of digits without leading zeros.
  private enum Piece: Comparable {
    case byte(UInt8), number([UInt8])

    static func < (one: Piece, other: Piece) -> Bool {
      switch (one, other) {
      case (.byte(let one), .byte(let other)): one < other
      case (.byte(let byte), .number): byte < UInt8(ascii: "0")
      case (.number, .byte(let byte)): UInt8(ascii: "9") < byte
      case (.number(let one), .number(let other)):
        one.count != other.count ? one.count < other.count : one.lexicographicallyPrecedes(other)
      }
    }
  }

  /// Returns a negative number if the first text comes first, zero if both are equal in the order,
  /// else a positive number. Nil comes first.
  package static func order(_ one: String?, _ other: String?, in order: TextOrder) -> Int {
    guard let one, let other else { return (one == nil ? 0 : 1) - (other == nil ? 0 : 1) }
    let (first, second) = (pieces(one, order), pieces(other, order))
    if first == second { return 0 }
    return first.lexicographicallyPrecedes(second) ? -1 : 1
  }

  private static func pieces(_ text: String, _ order: TextOrder) -> [Piece] {
    let bytes = Folding.fold(text, options: [.caseInsensitive, .diacriticInsensitive]).utf8
    guard order == .natural else { return bytes.map { .byte($0) } }
    var pieces: [Piece] = []
    var isInNumber = false
    for byte in bytes {
      let isDigit = (0x30...0x39).contains(byte)
      if !isDigit {
        pieces.append(.byte(byte))
      } else if isInNumber, case .number(let digits)? = pieces.last {
        pieces[pieces.count - 1] = .number(digits.isEmpty && byte == 0x30 ? [] : digits + [byte])
      } else {
        pieces.append(.number(byte == 0x30 ? [] : [byte]))
      }
      isInNumber = isDigit
    }
    return pieces
  }
}

extension SplitMix64 {
  /// Draws an order of texts.
  package mutating func textOrder() -> TextOrder { pick([.folded, .natural]) }

  /// Draws a text that is difficult to order: of digits, leading zeros, long numbers, letters with
  /// marks, and characters of one to four bytes.
  package mutating func nastyText() -> String {
    let pieces = [
      "", "0", "00", "7", "9", "10", "0123456789", "999999999", "a", "A", "é", "e\u{301}", "É", "E",
      "ß", "SS", "ẞ", "İ", "ı", "ς", "Σ", "ø", "Ǆ", "ŉ", "ΐ", "և", "Ж", "й", "\u{301}", "\u{338}",
      "=", "/", ":", "-", ".", " ", "\0", "한", "\u{1112}\u{1161}", "が", "か", "\u{3099}", "中", "٣",
      "１", "²", "😀", "\u{FFFD}", "\u{345}", "\u{5B0}", "ש", "\u{653}", "ا",
    ]
    var text = ""
    for _ in 0..<below(6) {
      if chance(15) {
        text += String(repeating: "0", count: below(3))
        text += String((0..<below(45)).map { _ in pick(Array("0123456789")) })
      } else {
        text += pick(pieces)
      }
    }
    return text
  }
}
