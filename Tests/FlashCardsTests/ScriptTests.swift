import Foundation
import LineageTestSupport
import Testing

@Suite("FlashCards by scripts", .hangGuard)
struct ScriptTests {
  let drawer: Drawer

  init() throws { drawer = try Drawer() }

  private func run(_ script: String, _ arguments: String...) throws -> [String] {
    try FlashCards.run(script, in: drawer.url, arguments)
  }

  @Test("The first frame does not wait for the cards")
  func firstFrame() throws {
    let frames = try run("")
    #expect(frames[0].contains("Decks\n  Opening the cards"))
    #expect(frames[1].contains("No decks yet."))
    #expect(!frames[1].contains("Opening"))
  }

  @Test("Equal scripts print equal frames")
  func deterministic() throws {
    let script = "a\nframe\nenter\ndown down\nframe\n/\ntype la\nframe\nenter\nd\nframe\nu\nframe"
    let (one, other) = (try Drawer(), try Drawer())
    let first = try FlashCards.run(script, in: one.url)
    #expect(try FlashCards.run(script, in: other.url) == first)
    #expect(first.count == 7)
  }

  @Test("A deck and a card are made, changed, deleted and put back")
  func wholeWay() throws {
    let frames = try run(
      """
      n
      type Capitals
      enter
      frame
      enter
      n
      type France?
      enter
      type Paris
      enter
      frame
      enter
      tab
      type !
      control-s
      frame
      d
      frame
      u
      frame
      escape
      d
      frame
      u
      enter
      frame
      """)
    #expect(frames[1].contains("› Capitals") && frames[1].contains("0 cards"))
    #expect(frames[2].contains("› France?  Paris ") && frames[2].contains("0 right, 0 wrong"))
    #expect(frames[3].contains("› France?  Paris! "))
    #expect(frames[4].contains("No cards."))
    #expect(frames[5].contains("› France?  Paris! "))
    #expect(frames[6].contains("No decks yet."))
    #expect(frames[7].contains("Capitals") && frames[7].contains("› France?  Paris! "))
  }

  @Test("All deletions are undone in turn, the last one first")
  func undo() throws {
    let frames = try run("a\nenter\nd\nd\nd\nframe\nu\nframe\nu\nu\nframe")
    let cards = frames.map { frame in frame.split(separator: "\n").count { $0.hasSuffix("wrong") } }
    #expect(cards.suffix(4).prefix(3) == [3, 4, 6])
    #expect(!frames[3].contains("u undo"))
  }

  @Test("The keys that fit are shown at the bottom, and the help shows all of them")
  func keys() throws {
    let frames = try run("a\nenter\nd\nframe\nresize 30 24\nframe\n?\nframe")
    #expect(
      frames[1].hasSuffix(
        "  ? help  u undo  n new  enter edit  m move  d delete  s study  / search"))
    #expect(frames[2].hasSuffix("  ? help  u undo  n new"), "\(frames[2])")
    for key in ["n: new", "enter: edit", "escape: back", "/: search", "u: undo"] {
      #expect(frames[3].contains("  \(key)\n"), "\(key)")
    }
  }

  @Test("Study counts, asks no card twice in a row, and the counts stay")
  func study() throws {
    let frames = try run(
      "a\ns\nframe\nspace\nframe\nr\nframe\nspace\nw\nframe\nescape\nenter\nframe")
    #expect(frames[1].contains("the branch") && !frames[1].contains("la rama"))
    #expect(frames[2].contains("la rama"))
    #expect(frames[3].contains("the chain") && frames[3].contains("1 right, 0 wrong"))
    #expect(frames[4].contains("1 right, 1 wrong") && !frames[4].contains("the chain"))
    let rows = frames[5].split(separator: "\n")
    #expect(rows.contains { $0.contains("the branch") && $0.hasSuffix("1 right, 0 wrong") })
    #expect(rows.contains { $0.contains("the chain") && $0.hasSuffix("0 right, 1 wrong") })
  }

  @Test("A refused form keeps its texts, and cancel leaves nothing")
  func refused() throws {
    let frames = try run(
      """
      a
      n
      enter
      frame
      type Spanish, a sample
      enter
      frame
      type 2
      enter
      frame
      n
      type Spanish, a sample
      enter
      escape
      frame
      """)
    #expect(frames[1].contains("name must not be empty"))
    #expect(frames[2].contains("New deck") && frames[2].contains("Name: Spanish, a sample"))
    #expect(frames[2].contains("there is another Deck with the same name"))
    #expect(frames[3].contains("Spanish, a sample2"))
    #expect(frames[4].components(separatedBy: "Spanish, a sample").count == 3)
  }

  @Test("The next run has the same screen, selection, search and half-typed texts")
  func nextRun() throws {
    _ = try run(
      "a\nenter\n/\ntype la\ndown down\nenter\nn\ntype half \nleft left\ntype y\ntab\ntype x")
    let frames = try run("frame\ntab\ntype +\nframe\nescape\nframe")
    #expect(frames[0].contains("New card\n  Opening") && frames[0].contains("Question: halyf"))
    #expect(frames[0].contains("Answer:   x"))
    #expect(frames[2].contains("Question: haly+f"))
    #expect(frames[3].contains("Search: la") && frames[3].contains("› the child"))
    let fresh = try run("", "--fresh")
    #expect(fresh[0].contains("Decks") && fresh[1].contains("› Spanish, a sample"))
  }

  @Test("Texts of users are shown, but never control the terminal")
  func enemies() throws {
    let frames = try run(
      "n\npaste \u{1b}[31mred\u{202e} \u{7}\u{9b}2J \u{0}日本 👩‍👩‍👧‍👦 e\u{301}\nenter\nframe")
    #expect(frames[1].contains("› �[31mred� ��2J �"))
    #expect(frames[1].contains("日本 👩‍👩‍👧‍👦 e\u{301}"))
    #expect(frames.allSatisfy { !$0.contains("\u{1b}") && !$0.contains("\u{202e}") })
  }

  @Test("Any size has a frame")
  func sizes() throws {
    let sizes = [(1, 1), (2, 3), (5, 4), (12, 5), (1000, 2), (3, 200)]
    let steps = sizes.map { "resize \($0.0) \($0.1)\nframe\n" }.joined()
    let screens = ["", "a\nenter\n", "/\n", "type xx\n", "escape\ns\nspace\n", "?\n"]
    let file = drawer.file("script")
    try Data((screens.map { $0 + steps }.joined()).utf8).write(to: file)
    let result = try ChildProcess.run(
      FlashCards.program, ["--data", drawer.url.path, "--script", file.path], FlashCards.variables)
    #expect(result.status == 0, "\(result.output)")
  }

  @Test("Without --data, cards and screens are in the folders of the environment")
  func folders() throws {
    let script = drawer.file("script")
    try Data("a".utf8).write(to: script)
    let (data, state) = (drawer.file("data"), drawer.file("state"))
    let variables = ["XDG_DATA_HOME": data.path, "XDG_STATE_HOME": state.path]
    let result = try ChildProcess.run(
      FlashCards.program, ["--script", script.path],
      variables.merging(FlashCards.variables) { one, _ in one })
    #expect(result.status == 0 && result.output.contains("› Spanish"))
    let files = FileManager.default
    #expect(files.fileExists(atPath: data.path + "/flashcards/flashcards.sqlite"))
    #expect(files.fileExists(atPath: state.path + "/flashcards/state-0"))
    let facts = try files.attributesOfItem(atPath: data.path + "/flashcards")
    #expect((facts[.posixPermissions] as? NSNumber)?.intValue == 0o700)
  }

  @Test("A store that cannot be opened is a screen with the reason")
  func failure() throws {
    let cards = drawer.file("cards.sqlite")
    try Data("this is not a database, and long enough to be looked at".utf8).write(to: cards)
    let frames = try run("frame\nr\nframe")
    #expect(frames[1].contains("The cards could not be opened"))
    #expect(frames[1].contains(cards.path.suffix(20)))
    #expect(frames[2].contains("The cards could not be opened"))
    try FileManager.default.removeItem(at: cards)
    #expect(try run("")[1].contains("No decks yet."))
  }

  @Test("A damaged state is told in a line, and the program starts without it")
  func damaged() throws {
    _ = try run("a\nenter\nn\ntype half")
    let state = drawer.file("screens")
    for name in try FileManager.default.contentsOfDirectory(atPath: state.path)
    where name.hasPrefix("state") {
      try Data("this is no state".utf8).write(to: state.appending(path: name))
    }
    let frames = try run("")
    #expect(frames[0].contains("Decks") && frames[1].contains("› Spanish, a sample"))
    #expect(frames[1].contains("state-0 was not used. "), "\(frames[1])")
  }

  @Test("Mistakes in arguments and scripts are said, and nothing is done")
  func mistakes() throws {
    for (arguments, words) in [
      (["--dta", "x"], "no argument, see --help: --dta \n"),
      (["--data"], "no argument, see --help: --data \n"),
      (["--slow-store", "soon"], "no argument, see --help: --slow-store soon\n"),
      (["--script", "/none"], "/none cannot be read\n"), (["--script", "/"], "/ cannot be read\n"),
    ] {
      let result = try ChildProcess.run(FlashCards.program, arguments, FlashCards.variables)
      #expect(result.status == 2, "\(arguments)")
      #expect(result.output == "flashcards: \(words)")
    }
    let error = #expect(throws: Mishap.self) { try run("a\njump\n") }
    #expect("\(error, default: "")".contains("means nothing: jump"))
    #expect(try drawer.names.allSatisfy { $0.hasPrefix("script") })
    #expect(
      try ChildProcess.run(FlashCards.program, ["--help"], FlashCards.variables).output.hasPrefix(
        "usage:"))
  }

  @Test("A pipe is a script", arguments: [[], ["--script", "/dev/stdin"]])
  func pipe(arguments: [String]) throws {
    let process = try ChildProcess(
      FlashCards.program, ["--data", drawer.url.path] + arguments, FlashCards.variables)
    try process.input.write(contentsOf: Data("a\nenter".utf8))
    try process.input.close()
    #expect(process.end().contains("› the branch  la rama"))
    #expect(process.wait() == 0)
  }
}
