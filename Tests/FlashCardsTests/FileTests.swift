import Foundation
import LineageTestSupport
import Testing

@Suite("FlashCards imports, exports and moves", .hangGuard)
struct FileTests {
  let drawer: Drawer

  init() throws { drawer = try Drawer() }

  private func run(_ script: String) throws -> [String] {
    try FlashCards.run(script, in: drawer.url)
  }

  /// Writes a file, and returns the line of a script that types its path.
  private func file(_ name: String, _ bytes: some Sequence<UInt8>) throws -> String {
    try Data(bytes).write(to: drawer.file(name))
    return typed(name)
  }

  private func typed(_ name: String) -> String { "paste \(drawer.file(name).path)" }

  @Test("A text is imported into the deck with its name, again into the same deck")
  func text() throws {
    let text = try file("Capitals.tsv", "\u{feff}France?\tParis\r\n\r\nItaly?\t\n日本?\tTokyo".utf8)
    let frames = try run("i\n\(text)\nenter\nframe\ni\n\(text)\nenter\nenter\nframe")
    #expect(frames[1].contains("3 cards were imported.") && frames[1].contains("› Capitals"))
    #expect(frames[1].contains("3 cards\n"))
    #expect(frames[2].components(separatedBy: "France?  Paris").count == 3)
    #expect(frames[2].components(separatedBy: "日本?  Tokyo").count == 3)
  }

  @Test("A mistake in a text is told with its line, and nothing is imported")
  func mistakes() throws {
    let lines: [(String, [UInt8])] = [
      ("line 2 is not UTF-8.", Array("a\tb\n".utf8) + [0xff, 9, 65]),
      ("line 1 has 0 tabs instead of one, and 2 more mistakes.", Array("a\nb\nc\n".utf8)),
      ("line 3 has 2 tabs instead of one.", Array("a\tb\n\na\tb\tc".utf8)),
      ("line 1 has no question.", Array("\tb".utf8)),
    ]
    for (number, (words, bytes)) in lines.enumerated() {
      let text = try file("x\(number).txt", bytes)
      let frames = try run("i\n\(text)\nenter\nframe\nescape\nframe")
      #expect(frames[1].contains("x\(number).txt: \(words)"), "\(frames[1])")
      #expect(frames[2].contains("No decks yet."))
    }
  }

  @Test("What cannot be read is told, and the screen stays with its text")
  func unreadable() throws {
    mkfifo(drawer.file("pipe.txt").path, 0o600)
    let names = ["none.txt", "none.cards", "pipe.txt", "pipe.cards", ".", "damaged.cards"]
    _ = try file("damaged.cards", "no archive".utf8)
    for name in names {
      let frames = try run("i\n\(typed(name))\nenter\nframe\nescape")
      #expect(frames[1].contains("Import") && frames[1].contains("File: "))
      let message = frames[1].split(separator: "\n", omittingEmptySubsequences: false)[22]
      #expect(message.hasSuffix("."), "\(frames[1])")
    }
    #expect(try run("i\nenter\nframe\nescape")[1].contains("Type the name of a file."))
  }

  @Test("Texts of an import never control the terminal")
  func enemies() throws {
    let text = try file("x.tsv", "\u{1b}[31mred\u{202e}\t\u{9b}2J\u{7}".utf8)
    let frames = try run("i\n\(text)\nenter\nenter\nframe")
    #expect(frames[1].contains("�[31mred�  �2J�"))
  }

  @Test("A deck that was exported is imported again, as an archive with its counts, or as text")
  func roundTrip() throws {
    let frames = try run(
      """
      a
      s
      space
      r
      escape
      x
      \(typed("all.cards"))
      enter
      frame
      x
      \(typed("all.txt"))
      enter
      i
      \(typed("all.cards"))
      enter
      i
      \(typed("all.txt"))
      enter
      frame
      end
      up
      enter
      frame
      """)
    #expect(frames[1].contains("6 cards were exported."))
    #expect(frames[2].contains("Spanish, a sample 2") && frames[2].contains("all "))
    #expect(frames[2].components(separatedBy: "6 cards").count == 5, "\(frames[2])")
    #expect(frames[3].contains("the branch  la rama") && frames[3].contains("1 right, 0 wrong"))
    let text = try String(contentsOf: drawer.file("all.txt"), encoding: .utf8)
    #expect(text.hasPrefix("the branch\tla rama\nthe chain\tla cadena\n"))
  }

  @Test("An export replaces no file")
  func existing() throws {
    let name = try file("x.txt", "mine".utf8)
    let frames = try run("a\nx\n\(name)\nenter\nframe")
    #expect(frames[1].contains("x.txt: there is such a file already."))
    #expect(try String(contentsOf: drawer.file("x.txt"), encoding: .utf8) == "mine")
  }

  @Test("A card is moved to another deck")
  func move() throws {
    let frames = try run(
      """
      a
      n
      type Other
      enter
      down
      enter
      m
      frame
      enter
      frame
      escape
      home
      enter
      frame
      """)
    #expect(frames[1].contains("Move “the branch” to") && frames[1].contains("› Other"))
    #expect(!frames[2].contains("the branch") && frames[2].contains("the chain"))
    #expect(frames[3].contains("the branch  la rama"))
  }

  @Test("An import that is killed comes back as the screen with the name of the file")
  func comesBack() throws {
    _ = try run("i\npaste /some/file.txt")
    let frames = try run("")
    #expect(frames[0].contains("Import") && frames[0].contains("File: /some/file.txt"))
  }
}
