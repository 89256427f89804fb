import Foundation
import LineageTestSupport
import Testing

@Suite("FlashCards in plain lines", .hangGuard)
struct PlainTests {
  let drawer: Drawer

  init() throws { drawer = try Drawer() }

  @Test("Each key is answered with the lines that it has changed, and of a list with one row")
  func lines() throws {
    let terminal = try PseudoTerminal(["--data", drawer.url.path, "--plain"])
    var heard = 0
    /// Types keys, and returns the lines up to one that contains a text.
    func hear(_ keys: String, until text: String) throws -> [String] {
      terminal.type(keys)
      try terminal.waits { _ in
        String(decoding: terminal.written[heard...], as: UTF8.self).contains(text)
      }
      terminal.read(for: 50)
      defer { heard = terminal.written.count }
      return String(decoding: terminal.written[heard...], as: UTF8.self)
        .components(separatedBy: "\r\n").dropLast()
        .map { $0.split(separator: " ").joined(separator: " ") }
    }
    let first = try hear("", until: "No decks yet.")
    #expect(first.starts(with: ["Decks", "Opening the cards …"]))
    _ = try hear("a", until: "6 cards")
    let deck = try hear("\r", until: "right")
    #expect(deck.contains("Spanish, a sample"))
    #expect(deck.filter { $0.contains("right") } == ["› the branch la rama 0 right, 0 wrong"])
    #expect(try hear("\u{1b}[B", until: "chain") == ["› the chain la cadena 0 right, 0 wrong"])
    let form = try hear("n", until: "escape cancel")
    #expect(form.starts(with: ["New card", "Question:", "Answer:"]))
    #expect(try hear("why", until: "why").last == "Question: why")
    _ = try hear("\u{15}\r", until: "enter save")
    #expect(try hear("\r", until: "empty") == ["Not saved: question must not be empty."])
    #expect(terminal.end(by: SIGTERM) == 0)
    #expect(!terminal.written.contains(0x1b))
  }
}
