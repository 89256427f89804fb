extension Folding {
  /// Returns the UTF-8 of a text without differences in case and diacritics. Invalid bytes are
  /// repaired.
  ///
  /// The characters of Latin, Greek and Cyrillic texts are looked up in a table, unless the text has
  /// combining marks (benchmark `folded order`).
  static func foldedBytes(of text: Span<UInt8>) -> [UInt8] {
    var folded: [UInt8] = []
    folded.reserveCapacity(text.count)
    let pieces = pieces.span
    var place = 0
    while place < text.count {
      let byte = text[place]
      if byte < 0x80 {
        folded.append(byte &- 0x41 < 26 ? byte | 0x20 : byte)
        place += 1
        continue
      }
      guard (0xC2..<0xE0).contains(byte), place + 1 < text.count, text[place + 1] & 0xC0 == 0x80
      else { return Array(fold(text.decoded, options: everything).utf8) }
      var piece = pieces[Int(byte & 0x1F) << 6 | Int(text[place + 1] & 0x3F)]
      guard piece != 0 else { return Array(fold(text.decoded, options: everything).utf8) }
      for _ in 0..<(piece & 0xFF) {
        piece >>= 8
        folded.append(UInt8(truncatingIfNeeded: piece))
      }
      place += 2
    }
    return folded
  }

  private static let everything: TextOptions = [.caseInsensitive, .diacriticInsensitive]

  /// For each scalar of two bytes, its folded UTF-8 above a byte with the number of these bytes; zero
  /// for a scalar that must be folded together with its neighbours.
  ///
  /// Marks are folded with their neighbours. Two other scalars of two bytes are never composed into
  /// one, so they can be folded alone.
  private static let pieces: [UInt64] = (0..<0x800).map { value in
    guard value >= 0x80, let scalar = Unicode.Scalar(UInt32(value)) else { return 0 }
    let folded = fold(String(scalar), options: everything)
    guard folded.utf8.count < 8, ([scalar] + folded.unicodeScalars).allSatisfy({ !$0.isMark })
    else { return 0 }
    return folded.utf8.reversed().reduce(0) { $0 << 8 | UInt64($1) } << 8
      | UInt64(folded.utf8.count)
  }
}

extension Unicode.Scalar {
  fileprivate var isMark: Bool {
    switch properties.generalCategory {
    case .nonspacingMark, .spacingMark, .enclosingMark: true
    default: false
    }
  }
}
