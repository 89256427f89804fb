import LineageTestSupport
import LineageTerminal
import Testing

@Suite("Changes of frames")
struct FrameChangeTests {
  private static let texts = [
    "a", "hello", "  ", "é", "e\u{301}", "日本語", "한국", "👩‍👩‍👧‍👦", "🇩🇪", "🇩", "❤️", "☝🏽", "🏽",
    "1️⃣", "…", "\u{1b}[2J", "\u{9b}", "\u{202e}abc", "क्षि", "\u{301}", "\u{200d}", "\u{fe0f}",
    "\u{20dd}", "\u{903}", "\u{1161}", "ㅏ", "a" + String(repeating: "\u{301}", count: 300),
  ]
  private static let zalgo = "z" + String(repeating: "\u{301}", count: 100_000)

  private static func frame(_ random: inout SplitMix64, _ width: Int, _ height: Int) -> Frame {
    var frame = Frame(width: width, height: height)
    for _ in 0..<random.below(12) {
      let style = random.pick([Style.plain, .bold, .dim, .underline, .reverse, .bad])
      let (row, column) = (random.below(height + 2) - 1, random.below(width + 4) - 2)
      frame.write(random.pick(texts) + random.pick(texts), row: row, column: column, style: style)
      // A wide character and one of doubtful width, at the right edge.
      if random.chance(20) { frame.write("日", row: row, column: width - 2) }
      if random.chance(20) { frame.write("…", row: row, column: width - 1) }
    }
    if random.chance(50) {
      frame.placeCursor(row: random.below(height + 1), column: random.below(width + 1))
    }
    return frame
  }

  /// Returns what is wrong on a terminal that should show a frame.
  private static func faults(
    _ emulator: Emulator, _ frame: Frame, colors: Bool, butDoubtful: Bool
  ) -> [String] {
    var faults = emulator.faults
    if emulator.cursor != frame.cursor { faults.append("cursor") }
    for (number, wanted) in frame.cells.enumerated() where wanted.width > 0 {
      if butDoubtful, wanted.character.hasDoubtfulWidth { continue }
      let style = wanted.style == .bad && !colors ? Style.bold : wanted.style
      let cell = Emulator.Cell(character: wanted.character, style: style.rawValue)
      if emulator.cells[number] != cell { faults.append("cell \(number)") }
      if wanted.width == 2, emulator.cells[number + 1] != nil { faults.append("half \(number)") }
    }
    return faults
  }

  @Test("A change turns any frame into any other, in all cells, styles and the cursor")
  func changes() {
    let seed = SplitMix64.seed(1)
    var random = SplitMix64(seed: seed)
    for round in 0..<rounds(8_000) {
      let (width, height) = (random.below(12) + 1, random.below(3) + 1)
      let colors = random.chance(50)
      var emulator = Emulator(width: width, height: height) { [Frame.width(of: $0)] }
      var shown: Frame?
      for step in 0..<5 {
        let next = Self.frame(&random, width, height)
        emulator.show(FrameChange(from: shown, to: next, colors: colors).bytes)
        let faults = Self.faults(emulator, next, colors: colors, butDoubtful: false)
        #expect(faults.isEmpty, "seed \(seed), round \(round), step \(step), \(width)×\(height)")
        #expect(FrameChange(from: next, to: next, colors: colors).bytes.isEmpty)
        shown = next
      }
    }
  }

  /// Tests that every cell with a character of certain width is right, also beside the right edge.
  /// A doubtful character itself may be covered by what is written beside it.
  @Test("However a terminal draws doubtful characters, all other characters are right")
  func doubtfulWidths() {
    let seed = SplitMix64.seed(1)
    var random = SplitMix64(seed: seed)
    let shapes = [[], [1], [2], [1, 1], [1, 2], [2, 2, 2, 2]]
    for round in 0..<rounds(8_000) {
      let (width, height) = (random.below(12) + 1, random.below(3) + 1)
      let first = random.below(shapes.count)
      var emulator = Emulator(width: width, height: height) { character in
        guard character.hasDoubtfulWidth else { return [Frame.width(of: character)] }
        // The shapes differ between characters, but not between the times one is drawn.
        return shapes[(first + character.utf8.reduce(0) { $0 + Int($1) }) % shapes.count]
      }
      var shown: Frame?
      for step in 0..<5 {
        let next = Self.frame(&random, width, height)
        emulator.show(FrameChange(from: shown, to: next, colors: true).bytes)
        let faults = Self.faults(emulator, next, colors: true, butDoubtful: true)
        #expect(faults.isEmpty, "seed \(seed), round \(round), step \(step), \(width)×\(height)")
        shown = next
      }
    }
  }

  @Test("A mark without a base never changes the character before it")
  func marks() {
    for value in UInt32(0x80)...0xe0fff {
      guard let scalar = Unicode.Scalar(value), joins(scalar) else { continue }
      var frame = Frame(width: 3, height: 1)
      frame.write("a", row: 0, column: 0)
      frame.write(String(scalar), row: 0, column: 1)
      #expect(frame.text == "a\u{fffd}", "U+\(String(value, radix: 16))")
    }
  }

  private func joins(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.properties.generalCategory {
    case .nonspacingMark, .enclosingMark, .spacingMark, .format: true
    default: (0x1160...0x11ff).contains(scalar.value)
    }
  }

  @Test("A character with very many marks is cut")
  func zalgo() {
    var frame = Frame(width: 2, height: 1)
    #expect(frame.write(Self.zalgo + "b", row: 0, column: 0) == 2)
    #expect(FrameChange(from: nil, to: frame, colors: true).bytes.count < 120)
  }

  @Test("One changed cell costs at most 30 bytes")
  func bytes() {
    var old = Frame(width: 300, height: 100)
    for row in 0..<100 { old.write(String(repeating: "text ", count: 60), row: row, column: 0) }
    for (row, column) in [(0, 0), (50, 150), (99, 299)] {
      var new = old
      new.write("X", row: row, column: column, style: .bad)
      #expect(FrameChange(from: old, to: new, colors: true).bytes.count <= 30)
    }
  }

  @Test("No size, row, column or width traps, and the column after the text is returned")
  func extremes() {
    let numbers = [Int.min, -1, 0, 1, 2, 3, .max]
    for width in numbers {
      for height in numbers {
        var frame = Frame(width: width, height: height)
        #expect(frame.cells.count == frame.width * frame.height)
        for row in numbers {
          for column in numbers {
            frame.placeCursor(row: row, column: column)
            let isInside = (0..<frame.height).contains(row) && (0..<frame.width).contains(column)
            #expect((frame.cursor != nil) == isInside)
            for limit in numbers {
              let room = isInside ? max(0, min(limit, frame.width - column)) : 0
              let end = frame.write("日日", row: row, column: column, width: limit)
              #expect(end == column &+ min(room / 2 * 2, 4))
            }
          }
        }
      }
    }
  }
}
