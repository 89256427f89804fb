import LineageTestSupport
import Terminal
import Testing

@Suite("Frames")
struct FrameTests {
  /// Texts that terminals have trouble with, and plain ones.
  private static let texts = [
    "a", "hello", "  ", "é", "e\u{301}", "日本語", "한국", "👩‍👩‍👧‍👦", "🇩🇪🇫🇷", "❤️", "1️⃣", "ｗ", "\u{200b}x",
    "\u{1b}[2J", "\t", "\r\n", "\u{7f}", "\u{9b}", "\u{202e}abc", "\u{2066}", "क्षि", "العربية",
    "\u{1100}\u{1161}\u{11a8}", "👍🏽", "x" + String(repeating: "\u{301}", count: 300), "—…›",
    "\u{fffd}",
  ]

  private static func frame(
    _ random: inout SplitMix64, _ width: Int, _ height: Int
  ) -> Frame {
    var frame = Frame(width: width, height: height)
    for _ in 0..<random.below(12) {
      frame.write(
        random.pick(texts) + random.pick(texts), row: random.below(height + 2) - 1,
        column: random.below(width + 4) - 2, width: random.chance(20) ? random.below(6) - 1 : .max,
        style: random.pick([.plain, .bold, .reverse, .bad]))
    }
    if random.chance(50) {
      frame.placeCursor(row: random.below(height + 1), column: random.below(width + 1))
    }
    return frame
  }

  /// Returns the characters in the cells of a frame, shown by a terminal that agrees about widths.
  private static func rows(_ frame: Frame) -> [[Character]] {
    frame.text.split(separator: "\n", omittingEmptySubsequences: false).map { line in
      let cells = line.flatMap { (one: Character) -> [Character] in
        Frame.width(of: one) == 2 ? [one, "\0"] : [one]
      }
      return cells + Array(repeating: " ", count: frame.width - cells.count)
    }
  }

  @Test("The change between two frames turns one into the other", .hangGuard)
  func changes() {
    let seed = SplitMix64.seed(1)
    var random = SplitMix64(seed: seed)
    for round in 0..<rounds(8_000) {
      let (width, height) = (random.below(30) + 1, random.below(5) + 1)
      var screen = Screen(width: width, height: height)
      var shown: Frame?
      for _ in 0..<4 {
        let next = Self.frame(&random, width, height)
        let change = FrameChange(from: shown, to: next, colors: random.chance(50)).text
        screen.show(change.utf8)
        #expect(screen.rows == Self.rows(next), "seed \(seed), round \(round)")
        #expect(screen.mistakes.isEmpty, "seed \(seed), round \(round)")
        #expect(FrameChange(from: next, to: next, colors: true).text.isEmpty)
        shown = next
      }
    }
  }

  @Test("A terminal that draws doubtful characters in another width shows all others rightly")
  func doubt() {
    let seed = SplitMix64.seed(1)
    var random = SplitMix64(seed: seed)
    for round in 0..<rounds(8_000) {
      let (width, height) = (random.below(30) + 1, random.below(5) + 1)
      let (small, large) = (random.chance(50), random.chance(50))
      var screen = Screen(width: width, height: height) { character in
        let width = Frame.width(of: character)
        return character.hasDoubtfulWidth ? (width == 2 && small ? 1 : large ? 2 : width) : width
      }
      var shown: Frame?
      for _ in 0..<4 {
        let next = Self.frame(&random, width, height)
        screen.show(FrameChange(from: shown, to: next, colors: true).text.utf8)
        for (row, (cells, wanted)) in zip(screen.rows, Self.rows(next)).enumerated() {
          for column in 0..<width where !wanted[column].hasDoubtfulWidth && wanted[column] != "\0" {
            // Beside the last column, there is no cell that is written later.
            #expect(
              cells[column] == wanted[column], "seed \(seed), round \(round), row \(row), \(column)"
            )
          }
        }
        shown = next
      }
    }
  }

  @Test("One changed cell costs few bytes, and a moved cursor none of the cells")
  func bytes() {
    var old = Frame(width: 200, height: 60)
    for row in 0..<60 { old.write(String(repeating: "text ", count: 40), row: row, column: 0) }
    var new = old
    new.write("X", row: 59, column: 199)
    #expect(FrameChange(from: old, to: new, colors: true).text.utf8.count <= 30)
    new = old
    new.placeCursor(row: 3, column: 4)
    #expect(FrameChange(from: old, to: new, colors: true).text.utf8.count <= 30)
  }

  @Test("What a user typed never controls the terminal")
  func control() {
    let bad = (0...0x2_ffff).compactMap(Unicode.Scalar.init).filter {
      switch $0.properties.generalCategory {
      case .control, .lineSeparator, .paragraphSeparator: true
      default: (0x202a...0x202e).contains($0.value) || (0x2066...0x2069).contains($0.value)
      }
    }
    for scalar in bad {
      var frame = Frame(width: 4, height: 1)
      frame.write("a\(Character(scalar))b", row: 0, column: 0)
      #expect(!frame.text.unicodeScalars.contains(scalar))
      #expect(frame.text.hasPrefix("a"))
    }
    var frame = Frame(width: 4, height: 1)
    frame.write("a" + String(repeating: "\u{301}", count: 100_000), row: 0, column: 0)
    #expect(frame.text.utf8.count < 100)
  }

  @Test("A text that does not fit is cut, never in half of a character, and its end is returned")
  func clipping() {
    var frame = Frame(width: 5, height: 1)
    #expect(frame.write("日本語", row: 0, column: 0) == 4)
    #expect(frame.text == "日本")
    #expect(frame.write("x", row: 0, column: 1) == 2)
    #expect(frame.text == " x本")
    #expect(frame.write("abc", row: 0, column: 3, width: 1) == 4)
    #expect(frame.text == " x a")
    for place in [Int.min, -1, 5, Int.max] {
      #expect(frame.write("z", row: 0, column: place) == place)
      #expect(frame.write("z", row: place, column: 0) == 0)
      frame.placeCursor(row: place, column: place)
    }
    #expect(frame.write("z", row: 0, column: 0, width: -1) == 0)
    #expect(frame.write("z", row: 0, column: 0, width: .min) == 0)
    #expect(frame.text == " x a")
  }
}
