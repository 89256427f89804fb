extension Character {
  /// The character as a terminal may get it. A character that would control the terminal, or change
  /// the order of what follows, or join the character before it, becomes a replacement character.
  /// Of a character with very many marks, only the first marks are left.
  var printable: Character {
    if utf8.count == 1, (0x20..<0x7f).contains(utf8[utf8.startIndex]) { return self }
    let isBad = unicodeScalars.first?.joinsOthers ?? true
    if isBad || unicodeScalars.contains(where: \.controlsTerminals) { return "\u{fffd}" }
    return utf8.count > 64 ? Character(String(unicodeScalars.prefix(12))) : self
  }

  /// The number of cells that the character takes: one or two.
  var width: Int {
    guard utf8.count > 1, let first = unicodeScalars.first else { return 1 }
    if first.properties.isEmojiPresentation || unicodeScalars.contains("\u{fe0f}") { return 2 }
    return Self.wide.contains { $0.contains(first.value) } ? 2 : 1
  }

  /// Whether terminals disagree about the width. They agree about ASCII, the letters of Europe, single
  /// angle quotes, and the ideographs and syllables of East Asia, if they are single scalars.
  package var hasDoubtfulWidth: Bool {
    guard unicodeScalars.count == 1, let scalar = unicodeScalars.first else { return true }
    return !Self.certain.contains { $0.contains(scalar.value) }
  }

  /// The scalars of a width about which terminals agree.
  private static let certain: [ClosedRange<UInt32>] = [
    0...0xac, 0xae...0x2ff, 0x370...0x482, 0x48a...0x52f, 0x2039...0x203a, 0x3041...0x3096,
    0x30a1...0x30fa, 0x4e00...0x9fff, 0xac00...0xd7a3,
  ]

  /// The scalars that are wide by Unicode's East Asian width, without the emoji.
  private static let wide: [ClosedRange<UInt32>] = [
    0x1100...0x115f, 0x2329...0x232a, 0x2e80...0x303e, 0x3041...0xa4cf, 0xa960...0xa97c,
    0xac00...0xd7a3, 0xf900...0xfaff, 0xfe10...0xfe19, 0xfe30...0xfe6f, 0xff01...0xff60,
    0xffe0...0xffe6, 0x16fe0...0x18cff, 0x1aff0...0x1b2fb, 0x1f200...0x1f265, 0x20000...0x3fffd,
  ]
}

extension Unicode.Scalar {
  /// Whether a terminal might take the scalar for a command, or write what follows in another
  /// direction, or the scalar is no character. Of the scalars for formats, only joiners and the tags
  /// of flags are harmless.
  fileprivate var controlsTerminals: Bool {
    switch properties.generalCategory {
    case .control, .lineSeparator, .paragraphSeparator: true
    case .format: ![0x200c, 0x200d].contains(value) && !(0xe0020...0xe007f).contains(value)
    default: properties.isNoncharacterCodePoint
    }
  }

  /// Whether a terminal might draw the scalar onto the cell before it: marks, joiners, the tones of
  /// skin, and the vowels and finals of Korean syllables.
  fileprivate var joinsOthers: Bool {
    properties.isGraphemeExtend || properties.generalCategory == .spacingMark || value == 0x200d
      || properties.isEmojiModifier || [0x1160...0x11ff, 0xd7b0...0xd7ff].contains { $0 ~= value }
  }
}
