import ObjectGraph
import Testing

@Suite("What case and diacritic insensitive mean")
struct FoldingTests {
  @Test(
    "Equal but for case",
    arguments: [
      ("a", "A"), ("é", "É"), ("e\u{301}", "E\u{301}"), ("straße", "STRASSE"), ("ς", "Σ"),
      ("σ", "ς"), ("ﬁ", "FI"), ("ж", "Ж"), ("ǆ", "ǅ"), ("ẞ", "ß"), ("Å", "\u{212B}"),
      ("a\0b", "A\0B"), ("", ""),
    ])
  func sameCase(one: String, other: String) {
    #expect(fold(one, .caseInsensitive) == fold(other, .caseInsensitive))
    #expect(one.isEmpty || fold(one, []) != fold(other, []))
  }

  @Test(
    "Equal but for diacritics",
    arguments: [
      ("e", "é"), ("é", "e\u{301}"), ("o", "ö"), ("A", "Å"), ("c", "ç"),
      ("ế", "e"), ("и", "й"), ("α", "ά"), ("שלום", "שָׁלוֹם"), ("n", "n\u{303}\u{304}"),
    ])
  func sameLetter(one: String, other: String) {
    #expect(fold(one, .diacriticInsensitive) == fold(other, .diacriticInsensitive))
    #expect(fold(one, .caseInsensitive) != fold(other, .caseInsensitive))
  }

  @Test(
    "Different letters in every way",
    arguments: [
      ("o", "ø"), ("l", "ł"), ("か", "が"), ("क", "कु"), ("क", "क्"), ("하", "한"), ("a", "b"),
      ("a", "a\0"), ("😀", "😁"),
    ])
  func different(one: String, other: String) {
    let options: TextOptions = [.caseInsensitive, .diacriticInsensitive]
    #expect(fold(one, options) != fold(other, options))
  }

  @Test("Folding twice is folding once", arguments: 0..<4)
  func idempotent(options: Int) {
    let options = TextOptions(rawValue: options)
    let cased = [
      0...0x2FFF, 0xA640...0xABFF, 0xF900...0xFFFF, 0x10400...0x10FFF, 0x1E900...0x1E95F,
    ]
    for scalar in cased.joined().compactMap(Unicode.Scalar.init) {
      let once = Folding.fold(String(scalar), options: options)
      let twice = Folding.fold(once, options: options)
      guard !once.utf8.elementsEqual(twice.utf8) else { continue }
      Issue.record("U+\(String(scalar.value, radix: 16)), options \(options.rawValue)")
    }
  }

  @Test("Half a Korean syllable is not found in a whole one")
  func syllables() {
    let pattern = TextPattern(.contains, "하", .diacriticInsensitive)
    #expect(!pattern.matches("한"))
    #expect(pattern.matches("하나"))
  }

  private func fold(_ text: String, _ options: TextOptions) -> [UInt8] {
    Array(Folding.fold(text, options: options).utf8)
  }
}
