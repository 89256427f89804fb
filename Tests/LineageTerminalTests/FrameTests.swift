import LineageTerminal
import Testing

@Suite("Frames")
struct FrameTests {
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

  @Test("The lines since another frame are those that differ, and the one with the cursor")
  func lines() {
    var frame = Frame(width: 5, height: 4)
    frame.write("one", row: 0, column: 2)
    frame.write("日本", row: 2, column: 0, style: .bold)
    #expect(frame.lines(since: nil) == ["  one", "日本"])
    #expect(frame.lines(since: frame).isEmpty)
    var next = frame
    next.write("   ", row: 0, column: 2)
    next.write("x", row: 2, column: 4)
    next.write("y", row: 3, column: 0)
    #expect(next.lines(since: frame) == ["日本x", "y"])
    #expect(next.lines(since: Frame(width: 2, height: 9)) == ["日本x", "y"])
    var field = next
    field.placeCursor(row: 2, column: 1)
    #expect(field.lines(since: next) == ["日本x"])
    next.placeCursor(row: 2, column: 4)
    #expect(field.lines(since: next).isEmpty)
    field.placeCursor(row: 0, column: 1)
    #expect(field.lines(since: next).isEmpty)
  }
}
