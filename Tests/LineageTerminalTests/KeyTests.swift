import LineageTestSupport
import LineageTerminal
import Testing

@Suite("Keys of a terminal, and what they mean")
struct KeyTests {
  private static func keys(_ bytes: [UInt8]) -> [Key] {
    var parser = KeyParser()
    return parser.read(bytes) + parser.flush()
  }

  private static func keys(_ text: String) -> [Key] { keys(Array(text.utf8)) }

  @Test("Each key has its meaning")
  func meanings() {
    let escape = "\u{1b}"
    let known: [(String, [Key])] = [
      ("a", ["a"]), ("é日👍", ["é", "日", "👍"]), ("\r\n", [.enter, .enter]), ("\t", [.tab]),
      ("\u{7f}\u{8}", [.backspace, .backspace]), ("\u{3}", [.control("c")]), (escape, [.escape]),
      (escape + escape, [.escape, .escape]), (escape + "[A" + escape + "OB", [.up, .down]),
      (escape + "[1;5C", [.right]), (escape + "[Z", [.backTab]), (escape + "[3~", [.delete]),
      (escape + "[5~" + escape + "[6~", [.pageUp, .pageDown]),
      (escape + "[1~" + escape + "OF", [.home, .end]),
      (escape + "[200~a\nb" + escape + "[201~c", [.paste("a\nb"), "c"]),
      // Answers of a terminal, keys with Alt, and sequences that nobody knows.
      (escape + "]11;rgb:0/0/0\u{7}a", ["a"]), (escape + "]0;x" + escape + "\\a", ["a"]),
      (escape + "x" + escape + "éa", ["a"]), (escape + "[999;1Xa", ["a"]),
      (escape + "[12" + escape + "[A", [.up]), (escape + "[20" + "1~", []),
    ]
    for (text, keys) in known { #expect(Self.keys(text) == keys, "\(text.debugDescription)") }
    #expect(
      Self.keys([0xff, 0x61, 0xc3, 0x28, 0xe2, 0x82]) == [
        "\u{fffd}", "a", "\u{fffd}", "(", "\u{fffd}",
      ])
    #expect(Self.keys([0xc0, 0x80, 0xed, 0xa0, 0x80]).allSatisfy { $0 == "\u{fffd}" })
  }

  @Test("Any bytes are read, and a plain key after them is understood")
  func noise() {
    let seed = SplitMix64.seed(1)
    var random = SplitMix64(seed: seed)
    for round in 0..<rounds(20_000) {
      var parser = KeyParser()
      for _ in 0..<4 {
        let bytes = (0..<random.below(12)).map { _ in
          random.chance(60)
            ? random.pick(Array("\u{1b}[O]200~;1AéP\\".utf8)) : UInt8(random.below(256))
        }
        _ = parser.read(bytes)
      }
      // The end of a paste, if one has begun, and the pause after an escape.
      _ = parser.read(Array("\u{7}\u{1b}[201~".utf8))
      _ = parser.flush()
      #expect(parser.read(Array("k".utf8)) == ["k"], "seed \(seed), round \(round)")
      #expect(!parser.isWaiting)
    }
  }

  @Test("A large paste is one key, in linear time, however it is cut", .hangGuard)
  func largePaste() {
    let paste = String(repeating: "0123456789\u{1b}[20", count: 20_000)
    let bytes = Array("\u{1b}[200~\(paste)\u{1b}[201~".utf8)
    for size in [1, 7, 4096, bytes.count] {
      var parser = KeyParser()
      var keys: [Key] = []
      for start in stride(from: 0, to: bytes.count, by: size) {
        keys += parser.read(Array(bytes[start..<min(start + size, bytes.count)]))
      }
      #expect(keys == [.paste(paste)])
    }
  }

  @Test("A sequence without an end does not take keys for ever")
  func endless() {
    var parser = KeyParser()
    _ = parser.read(Array(("\u{1b}]" + String(repeating: "x", count: 5_000)).utf8))
    #expect(parser.read([0x61]) == ["a"])
  }
}
