import LineageTestSupport
import LineageTerminal
import Testing

@Suite("Keys from bytes")
struct KeyParserTests {
  private static func keys(_ bytes: [UInt8]) -> [Key] {
    var parser = KeyParser()
    return parser.read(bytes) + parser.flush()
  }

  private static let esc = "\u{1b}"

  @Test("Any bytes give the same keys, wherever they are cut")
  func randomCuts() {
    let seed = SplitMix64.seed(1)
    var random = SplitMix64(seed: seed)
    let pieces =
      [
        "\u{1b}", "[", "O", "]", "P", "A", "~", "1;5", "\u{7}", "\\", "é", "日", "\r",
        "\u{1b}[200~", "\u{1b}[201~", "\u{1b}[[A", "x",
      ].map { Array($0.utf8) } + [[0xff], [0xc3], [0xe2, 0x82], [0xed, 0xa0, 0x80], [0]]
    for round in 0..<rounds(20_000) {
      let bytes = (0..<random.below(12)).flatMap { _ in random.pick(pieces) }
      var parser = KeyParser()
      var keys: [Key] = []
      var start = 0
      while start < bytes.count {
        let end = min(bytes.count, start + random.below(4) + 1)
        keys += parser.read(Array(bytes[start..<end]))
        start = end
      }
      keys += parser.flush()
      #expect(keys == Self.keys(bytes), "seed \(seed), round \(round), bytes \(bytes)")
    }
  }

  @Test("Keys with Alt and cut off sequences are swallowed, and only a lone escape is the key")
  func lonelyEscapes() {
    #expect(Self.keys(Array(Self.esc.utf8)) == [.escape])
    for rest in ["x", "[", "O", "P", "]", "_", "[1;5", "é", "]11;rgb:0/0"] {
      #expect(Self.keys(Array((Self.esc + rest).utf8)).isEmpty, "ESC \(rest)")
    }
  }

  @Test("A sequence that is cut off by another character does not take that away")
  func cutSequences() {
    #expect(Self.keys(Array("\(Self.esc)[1é".utf8)) == ["é"])
    #expect(Self.keys(Array("\(Self.esc)[\r".utf8)) == [.enter])
    #expect(Self.keys(Array("\(Self.esc)Oé".utf8)) == ["é"])
  }

  @Test("The function keys of the Linux console are swallowed")
  func consoleKeys() {
    #expect(Self.keys(Array("\(Self.esc)[[A\(Self.esc)[[Ex".utf8)) == ["x"])
  }
}
