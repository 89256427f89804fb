import Foundation
import LineageTestSupport
import Testing

@Suite("FlashCards with hostile texts and files", .hangGuard)
struct HostileTextTests {
  let drawer: Drawer
  let cards: SharedCards

  init() throws {
    drawer = try Drawer()
    cards = SharedCards(folder: drawer.url)
  }

  /// Bytes that would control a terminal or turn texts around, line breaks, and broken UTF-8.
  private static let hostile =
    Array("\u{1b}[31mred\u{1b}[2J\u{202e}back\0nul\r\nline\rcr\n\nlf\u{1b}]0;title\u{7}".utf8)
    + [0xff, 0xfe] + Array("bad".utf8) + [0xc3] + Array("( \u{1b}[200~nested".utf8) + [0xf0, 0x9f]

  @Test("A hostile paste of 100 KB is one text without line breaks, which survives kill -9")
  func paste() throws {
    var terminal = try cards.startWithSample()
    try terminal.type("\r", until: "› the branch")
    try terminal.type("n", until: "New card")
    let bytes = Self.hostile + Array(String(repeating: "0123456789", count: 10_240).utf8)
    terminal.paste(bytes + Array("END".utf8))
    try terminal.waits(for: "6789END")
    try waitUntilStored(Data("6789END".utf8), in: cards.state("first"))
    terminal.end(by: SIGKILL)
    terminal = try cards.start("first")
    try terminal.waitsForForm(with: "6789END")
    try terminal.type(
      "\u{1b}[H", until: "Question: �[31mred�[2J�back�nul line cr lf�]0;title���bad�( �")
    try terminal.type("\u{13}", until: "m move")
    #expect(terminal.screen.text.contains(" �[31mred�[2J�back�nul line cr lf"))
    terminal.end(by: SIGKILL)
    // The first program may have been killed before it has stored that its form has left.
    terminal = try cards.start("second")
    try terminal.waits(for: "7 cards")
    try terminal.type("\r", until: " �[31mred�[2J�back�nul line cr lf")
    terminal.type("\u{1b}")
    try terminal.waits(for: "7 cards")
    let file = drawer.file("x.txt")
    try terminal.type("x", until: "Export")
    terminal.paste(file.path.utf8)
    try terminal.waits(for: "x.txt")
    try terminal.type("\r", until: "7 cards were exported.")
    let whole = String(decoding: bytes, as: UTF8.self) + "END"
    let line = whole.split(whereSeparator: \.isNewline).joined(separator: " ") + "\t\n"
    let text = try String(decoding: Data(contentsOf: file), as: UTF8.self)
    #expect(text.utf8.count > 102_400 && text.hasPrefix(line))
    cards.end(terminal)
  }

  /// A file to import, and the words that tell the result.
  struct FileCase: Sendable, CustomTestStringConvertible {
    let name: String
    let words: String
    /// The closure that returns the bytes of the file; nil if it is no file, or a link.
    var bytes: (@Sendable () -> [UInt8])?

    init(_ name: String, _ words: String, _ bytes: (@Sendable () -> [UInt8])? = nil) {
      (self.name, self.words, self.bytes) = (name, words, bytes)
    }

    init(_ name: String, _ words: String, _ text: String) {
      self.init(name, words) { Array(text.utf8) }
    }

    private static let longLine: @Sendable () -> [UInt8] = {
      Array(repeating: UInt8(ascii: "q"), count: 10 << 20)
    }

    var testDescription: String { name }

    static let none = "there is no file with this name."

    static let all: [FileCase] = [
      FileCase("escape.txt", "1 cards were imported.", "\u{1b}[31mred\u{1b}[2J\tb\u{7}ell\n"),
      FileCase("order.txt", "1 cards were imported.", "a\u{202e}b\t\u{2066}c\u{0}\n"),
      FileCase("broken.txt", "line 1 is not UTF-8, and 1 more mistakes.", { [0xff, 10, 0xc3] }),
      FileCase("utf16.txt", "line 1 is not UTF-8", { [0xff, 0xfe, 97, 0, 9, 0, 98, 0, 10, 0] }),
      FileCase(
        "long.txt", "1 cards were imported.", { longLine() + Array("\tanswer".utf8) }),
      FileCase(
        "long2.txt", "line 1 has 0 tabs instead of one.", longLine),
      FileCase("crlf.txt", "2 cards were imported.", "\u{feff}a\tb\r\nc\td\r\n"),
      FileCase("end.txt", "2 cards were imported.", "a\tb\nc\td"),
      FileCase("empty.txt", "0 cards were imported.", ""),
      FileCase("mark.txt", "0 cards were imported.", "\u{feff}"),
      FileCase("breaks.txt", "0 cards were imported.", "\n\r\n\n"),
      FileCase("empty.cards", "the archive is damaged: it is empty.", ""),
      FileCase("long.cards", "it is not a graph archive.", longLine),
      FileCase("link-to-text.txt", "1 cards were imported."),
      FileCase("folder.txt", none), FileCase("folder.cards", none),
      FileCase("pipe.txt", none), FileCase("pipe.cards", none),
      FileCase("zero.txt", none), FileCase("zero.cards", none), FileCase("/dev/zero", none),
      FileCase("/dev/tty", none), FileCase("/", none),
      FileCase("loop.txt", none), FileCase("loop.cards", none),
      // Reading the first page of a process fails.
      FileCase("memory.txt", "memory.txt: it cannot be read."),
    ]

    /// Makes the file, or what stands at its place. Returns its path.
    func make(in drawer: Drawer) throws -> String {
      if name.hasPrefix("/") { return name }
      let (path, files) = (drawer.file(name).path, FileManager.default)
      let targets = ["zero": "/dev/zero", "memory": "/proc/self/mem", "loop": path]
      if let bytes {
        try Data(bytes()).write(to: drawer.file(name))
      } else if name.hasPrefix("folder") {
        try files.createDirectory(atPath: path, withIntermediateDirectories: true)
      } else if name.hasPrefix("pipe") {
        mkfifo(path, 0o600)
      } else if let target = targets[name.prefix { $0 != "." }.description] {
        try files.createSymbolicLink(atPath: path, withDestinationPath: target)
      } else {
        try Data("a\tb".utf8).write(to: drawer.file("target"))
        try files.createSymbolicLink(
          atPath: path, withDestinationPath: drawer.file("target").path)
      }
      return path
    }
  }

  @Test(
    "An import of any file ends with a sentence, and its texts are shown harmlessly",
    arguments: FileCase.all)
  func imports(_ file: FileCase) throws {
    let path = try file.make(in: drawer)
    let frames = try FlashCards.run(
      "i\npaste \(path)\nenter\nframe\nescape\nframe\nenter\nframe\nenter\nframe", in: drawer.url)
    #expect(frames[1].contains(file.words), "\(frames[1])")
    if file.words.contains("imported") {
      let name = file.name.prefix { $0 != "." }
      #expect(frames[1].contains("› \(name)"))
      #expect(frames[3].hasPrefix("  \(name)\n"))
      #expect(frames[4].contains(file.words.hasPrefix("0") ? "No cards." : "Edit card"))
    } else {
      #expect(frames[1].hasPrefix("  Import"))
      #expect(frames[2].contains("No decks yet."))
    }
    if file.words.hasPrefix("2") {
      #expect(frames[3].contains("› a  b ") && frames[3].contains("\n  c  d "), "\(frames[3])")
    }
    for frame in frames {
      #expect(!frame.unicodeScalars.contains { $0 < " " && $0 != "\n" || $0 == "\u{202e}" })
    }
  }

  @Test("A card of ten million characters can be edited, and another program shows the edit")
  func longCard() throws {
    let text = String(repeating: "0123456789", count: 1 << 20)
    try Data("\(text)END\tanswer".utf8).write(to: drawer.file("long.txt"))
    let terminal = try cards.start("first")
    try terminal.waits(for: "a add a sample")
    try terminal.type("i", until: "Import")
    terminal.paste(drawer.file("long.txt").path.utf8)
    try terminal.waits(for: "long.txt")
    try terminal.type("\r", until: "› long")
    try terminal.type("\r", until: "› 0123456789")
    try terminal.type("\r", until: "6789END")
    try terminal.type("!", until: "6789END!")
    try terminal.type("\u{13}", until: "› 0123456789")
    let second = try cards.start("second")
    try second.waits(for: "› long")
    try second.type("\r", until: "› 0123456789")
    try second.type("\r", until: "6789END!")
    cards.end(terminal, second)
  }

  @Test("An export to a folder that is not there is told, and can be repeated")
  func exportToNowhere() throws {
    for name in ["x.txt", "x.cards"] {
      let path = drawer.file("nowhere").appending(path: name).path
      let frames = try FlashCards.run(
        "\(name == "x.txt" ? "a\n" : "")x\npaste \(path)\nenter\nframe\nescape", in: drawer.url)
      #expect(frames[1].contains("File: ") && frames[1].contains("written."), "\(frames[1])")
    }
  }
}
