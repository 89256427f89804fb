import Foundation
import LineageTestSupport
import Testing

@Suite("FlashCards when something goes wrong", .hangGuard)
struct FaultTests {
  let drawer: Drawer
  let cards: SharedCards

  init() throws {
    drawer = try Drawer()
    cards = SharedCards(folder: drawer.url)
  }

  /// Starts two programs, and opens the form of the same card in both.
  private func startTwoForms() throws -> (PseudoTerminal, PseudoTerminal) {
    let (first, second) = (try cards.startWithSample(), try cards.start("second"))
    for terminal in [first, second] {
      try terminal.waits(for: "6 cards")
      try terminal.type("\r", until: "› the branch")
      try terminal.type("\r", until: "Edit card")
    }
    return (first, second)
  }

  // MARK: Conflicts

  /// The next act of the user of the second form after the conflict, with the question that comes of it.
  enum Way: String, CaseIterable {
    case keepMine = "the branchB"
    case takeTheirs = "the branchA"
    case mix = "the branchB+A"
  }

  @Test(
    "A conflict in a form is told with the other text, nothing is lost, and there are three ways on",
    arguments: Way.allCases)
  func conflict(_ way: Way) throws {
    let (first, second) = try startTwoForms()
    try first.type("A", until: "the branchA")
    try second.type("B", until: "the branchB")
    try first.type("\u{13}", until: "› the branchA  la rama")
    try second.type(
      "\u{13}", until: "It was changed meanwhile. Save again to replace it: the branchA  la rama")
    #expect(second.screen.text.contains("Question: the branchB"))
    switch way {
    case .keepMine: second.type("\u{13}")
    case .takeTheirs: second.type("\u{1b}")
    case .mix:
      try second.type("+A", until: "the branchB+A")
      second.type("\u{13}")
    }
    for terminal in [first, second] { try terminal.waits(for: "› \(way.rawValue)  la rama") }
    cards.end(first, second)
  }

  @Test("If the others change it once more, that is told, too, and not replaced unseen")
  func conflictAfterConflict() throws {
    let (first, second) = try startTwoForms()
    try second.type("B", until: "the branchB")
    for text in ["the branchA", "the branchAA"] {
      if text == "the branchAA" { try first.type("\r", until: "Edit card") }
      try first.type("A", until: text)
      try first.type("\u{13}", until: "› \(text)  la rama")
      try second.type("\u{13}", until: "Save again to replace it: \(text)  la rama")
    }
    try second.type("\u{13}", until: "› the branchB  la rama")
    try first.waits(for: "› the branchB  la rama")
    cards.end(first, second)
  }

  @Test("A conflict is told again after kill -9, and the text is there")
  func conflictAfterKill() throws {
    var (first, second) = try startTwoForms()
    try second.type("B", until: "the branchB")
    try first.type("A", until: "the branchA")
    try first.type("\u{13}", until: "› the branchA  la rama")
    try second.type("\u{13}", until: "Save again to replace it: the branchA")
    try waitUntilStored("the branchB", in: cards.state("second"))
    second.end(by: SIGKILL)
    second = try cards.start("second")
    try second.waitsForForm(with: "Question: the branchB")
    try second.type("\u{13}", until: "Save again to replace it: the branchA")
    try second.type("\u{13}", until: "› the branchB  la rama")
    try first.waits(for: "› the branchB  la rama")
    cards.end(first, second)
    first = try cards.start("first")
    try first.waits(for: "› the branchB  la rama")
  }

  @Test("Edits of different properties are merged, and so are the counts of a study")
  func merge() throws {
    let (first, second) = try startTwoForms()
    try second.type("\tB", until: "la ramaB")
    try first.type("A", until: "the branchA")
    try first.type("\u{13}", until: "› the branchA  la rama")
    try first.type("s", until: "space show the answer")
    // The study asks the card that was known least often, of equal ones the oldest.
    try first.type(" ", until: "r I was right")
    try first.type("r", until: "1 right, 0 wrong")
    try first.type("\u{1b}", until: "› the branchA")
    try second.type("\u{13}", until: "› the branchA  la ramaB")
    for terminal in [first, second] {
      try terminal.waits {
        $0.text.split(separator: "\n").contains {
          $0.hasPrefix("› the branchA  la ramaB") && $0.hasSuffix("1 right, 0 wrong")
        }
      }
    }
    cards.end(first, second)
  }

  @Test("What was edited here and deleted elsewhere is put back only if the user saves again")
  func deletedElsewhere() throws {
    let (first, second) = try startTwoForms()
    try second.type("B", until: "the branchB")
    try first.type("\u{1b}", until: "› the branch")
    try first.type("d", until: "› the chain")
    try second.type("\u{13}", until: "It was deleted meanwhile. Save again to put it back.")
    #expect(second.screen.text.contains("Question: the branchB"))
    second.type("\u{13}")
    for terminal in [first, second] { try terminal.waits(for: "the branchB  la rama") }
    cards.end(first, second)
  }

  // MARK: A full disk

  @Test("If no file can grow, a form keeps its texts and says why, and saves when there is room")
  func limit() throws {
    let terminal = try cards.startWithSample()
    try terminal.type("\r", until: "› the branch")
    try terminal.type("\r", until: "Edit card")
    try terminal.type("A", until: "the branchA")
    try terminal.limitFiles(to: 0)
    for text in ["the branchA", "the branchAB"] {
      try terminal.type("\u{13}", until: "Not saved: the disk is full.")
      #expect(terminal.screen.text.contains("Question: \(text)"))
      try terminal.type("B", until: text + "B")
    }
    try terminal.limitFiles(to: nil)
    try terminal.type("\u{13}", until: "› the branchABB  la rama")
    cards.end(terminal)
  }

  @Test("A deletion that cannot be undone on a full disk is undone when there is room")
  func undo() throws {
    let terminal = try cards.startWithSample()
    try terminal.type("\r", until: "› the branch")
    try terminal.type("d", until: "› the chain")
    try terminal.limitFiles(to: 0)
    try terminal.type("u", until: "Not saved: the disk is full.")
    #expect(!terminal.screen.text.contains("la rama"))
    try terminal.limitFiles(to: nil)
    try terminal.type("u", until: "the branch  la rama")
    cards.end(terminal)
  }

  /// Checks it with the screens on another disk, and on the full one, too. There they can take what
  /// SQLite frees for a moment while it opens a database whose program was killed. Then the store
  /// cannot be opened before there is room.
  @Test(
    "After kill -9 on a full disk, the form is back, and saves when there is room",
    arguments: [false, true])
  func fullDisk(_ isShared: Bool) throws {
    guard let disk = try SmallDisk(kilobytes: 4096) else { return }
    let cards = SharedCards(folder: disk.url, screens: isShared ? nil : drawer.url)
    var terminal = try cards.startWithSample()
    try terminal.type("\r", until: "› the branch")
    try terminal.type("\r", until: "Edit card")
    try terminal.type("A", until: "the branchA")
    try waitUntilStored("the branchA", in: cards.state("first"))
    disk.fill()
    try terminal.type("\u{13}", until: "Not saved: the disk is full.")
    let failure = "cards.sqlite: the disk is full"
    func isOpen() -> Bool { !terminal.screen.text.contains(failure) }
    for _ in 0..<2 {
      terminal.end(by: SIGKILL)
      terminal = try cards.start("first")
      try terminal.waitsForForm(with: "Question: the branchA", or: isShared ? failure : nil)
      guard isOpen() else { continue }
      try terminal.type("\u{13}", until: "Not saved: the disk is full.")
      #expect(terminal.screen.text.contains("Question: the branchA"))
    }
    disk.empty()
    if !isOpen() { terminal.type("r") }
    try terminal.waitsForForm(with: "Question: the branchA")
    try terminal.type("\u{13}", until: "› the branchA  la rama")
    cards.end(terminal)
    terminal = try cards.start("first")
    try terminal.waits(for: "› the branchA  la rama")
    cards.end(terminal)
  }

  @Test(
    "An export that finds no room leaves no file, and succeeds when there is room",
    arguments: ["x.txt", "x.cards"])
  func exportWithoutRoom(_ name: String) throws {
    let terminal = try cards.startWithSample()
    let path = drawer.file(name).path
    try terminal.type("x", until: "Export")
    terminal.paste(path.utf8)
    try terminal.waits(for: name)
    try terminal.limitFiles(to: 0)
    try terminal.type(
      "\r",
      until: name == "x.txt" ? "x.txt: it cannot be written." : "Not saved: the disk is full.")
    #expect(try drawer.names == ["data", "first"])
    try terminal.limitFiles(to: nil)
    try terminal.type("\r", until: "6 cards were exported.")
    #expect(try drawer.names == ["data", "first", name])
    cards.end(terminal)
  }

  // MARK: Names that are taken

  @Test("A name that is taken is told, cancel leaves nothing, and later saves work")
  func duplicate() throws {
    let frames = try FlashCards.run(
      """
      a
      n
      type Spanish, a sample
      enter
      enter
      frame
      escape
      frame
      n
      type Other
      enter
      frame
      down
      up
      e
      control-u
      type Spanish, a sample
      enter
      frame
      escape
      frame
      """, in: drawer.url)
    let taken = "Not saved: there is another Deck with the same name."
    #expect(frames[1].contains("New deck\n\n  Name: Spanish, a sample\n"))
    #expect(frames[1].contains(taken))
    #expect(frames[2].hasPrefix("  Decks\n\n› Spanish, a sample"))
    #expect(frames[2].components(separatedBy: "cards").count == 2)
    #expect(frames[3].hasPrefix("  Decks\n\n  Other"), "\(frames[3])")
    #expect(frames[4].contains("Rename deck\n\n  Name: Spanish, a sample\n"))
    #expect(frames[4].contains(taken))
    let decks = frames[5].split(separator: "\n").filter { $0.contains("cards") }
    #expect(decks.count == 2 && decks[0].contains("Other") && decks[1].contains("Spanish"))
    // The next run has no form, and no other deck.
    #expect(try FlashCards.run("", in: drawer.url)[1] == frames[5])
  }

  @Test("A name that another program takes while it is typed here is told, and can be changed")
  func duplicateElsewhere() throws {
    let (first, second) = (try cards.startWithSample(), try cards.start("second"))
    try second.waits(for: "6 cards")
    for terminal in [first, second] {
      try terminal.type("n", until: "New deck")
      try terminal.type("Same", until: "Name: Same")
    }
    try first.type("\u{13}", until: "Same  ")
    try second.type("\u{13}", until: "Not saved: there is another Deck with the same name.")
    #expect(second.screen.text.contains("Name: Same"))
    try second.type(" 2", until: "Name: Same 2")
    second.type("\u{13}")
    for terminal in [first, second] {
      try terminal.waits {
        let rows = $0.text.split(separator: "\n").map { $0.dropFirst(2) }
        return rows.contains { $0.hasPrefix("Same  ") } && rows.contains { $0.hasPrefix("Same 2 ") }
      }
    }
    cards.end(first, second)
  }

  // MARK: Decks that are deleted elsewhere

  /// A screen whose deck another program deletes.
  struct DeckCase: CustomTestStringConvertible {
    let name: String
    /// The keys that lead to the screen, each with a text to wait for.
    let way: [(String, String)]
    /// The text that the screen keeps after the deletion; nil if the screen leaves.
    var kept: String?

    var testDescription: String { name }

    static let all: [DeckCase] = [
      DeckCase(name: "cards", way: [("\r", "› the branch")]),
      DeckCase(
        name: "a search", way: [("\r", "› the branch"), ("/", "Search:"), ("la", "Search: la")]),
      DeckCase(name: "study", way: [("s", "space show the answer")]),
      DeckCase(
        name: "study of cards", way: [("\r", "› the branch"), ("s", "space show the answer")]),
      DeckCase(
        name: "a shown answer", way: [("s", "space show the answer"), (" ", "r I was right")]),
      DeckCase(name: "move", way: [("\r", "› the branch"), ("m", "Move “the branch” to")]),
      DeckCase(name: "export", way: [("x", "Export Spanish"), ("name", "File: name")]),
      DeckCase(
        name: "new card", way: [("\r", "› the branch"), ("n", "New card")], kept: "New card"),
      DeckCase(
        name: "typed card",
        way: [("\r", "› the branch"), ("n", "New card"), ("why", "Question: why")],
        kept: "Question: why"),
      DeckCase(
        name: "card", way: [("\r", "› the branch"), ("\r", "Edit card")],
        kept: "Question: the branch"),
      DeckCase(
        name: "edited card",
        way: [("\r", "› the branch"), ("\r", "Edit card"), ("!", "Question: the branch!")],
        kept: "Question: the branch!"),
      DeckCase(name: "name", way: [("e", "Rename deck")], kept: "Name: Spanish, a sample"),
      DeckCase(
        name: "edited name", way: [("e", "Rename deck"), ("!", "a sample!")],
        kept: "Name: Spanish, a sample!"),
    ]
  }

  private func deleteElsewhere() throws {
    let other = try cards.start("other")
    try other.waits(for: "6 cards")
    try other.type("d", until: "No decks yet.")
    cards.end(other)
  }

  /// Goes to a screen.
  private func show(_ screen: DeckCase, in terminal: PseudoTerminal) throws {
    for (keys, text) in screen.way { try terminal.type(keys, until: text) }
  }

  /// Checks that a screen without its deck has left with a sentence, or keeps its text until escape.
  private func check(_ screen: DeckCase, in terminal: PseudoTerminal) throws {
    if let kept = screen.kept {
      if screen.name != "new card" {
        try terminal.type("?", until: kept + "?")
        try terminal.type("\u{13}", until: "It was deleted meanwhile.")
        #expect(terminal.screen.text.contains(kept + "?"))
      }
      terminal.type("\u{1b}")
    }
    try terminal.waits {
      let isSaid = $0.text.contains("” was deleted meanwhile.") || screen.name.hasSuffix("name")
      return $0.text.hasPrefix("  Decks") && $0.text.contains("No decks yet.") && isSaid
        && $0.text.contains("q quit")
    }
    cards.end(terminal)
  }

  @Test(
    "A screen whose deck is deleted elsewhere leaves with a sentence, but no text is lost",
    arguments: DeckCase.all)
  func deletedWhileOpen(_ screen: DeckCase) throws {
    let terminal = try cards.startWithSample()
    try show(screen, in: terminal)
    try deleteElsewhere()
    try check(screen, in: terminal)
  }

  @Test(
    "A screen whose deck was deleted while the program was dead leaves, but no text is lost",
    arguments: DeckCase.all)
  func deletedWhileDead(_ screen: DeckCase) throws {
    let terminal = try cards.startWithSample()
    try show(screen, in: terminal)
    cards.end(terminal)
    try deleteElsewhere()
    let again = try cards.start("first")
    if let kept = screen.kept { try again.waitsForForm(with: kept) }
    try check(screen, in: again)
    // Nothing half is left of it.
    let third = try cards.start("first")
    try third.waits { $0.text.hasPrefix("  Decks") && $0.text.contains("No decks yet.") }
    cards.end(third)
  }

  @Test("A second program that shall forget the screens shows none of the first one's")
  func fresh() throws {
    let first = try cards.startWithSample()
    try first.type("\r", until: "› the branch")
    try first.type("n", until: "New card")
    try first.type("half", until: "Question: half")
    try waitUntilStored("half", in: cards.state("first"))
    let second = try cards.start("first", "--fresh")
    try second.waits(for: "The stored state was not erased")
    try second.waits(for: "6 cards")
    #expect(second.screen.text.hasPrefix("  Decks"))
    try second.type("n", until: "New deck")
    try second.type("Mine", until: "Name: Mine")
    try second.type("\u{13}", until: "Mine  ")
    #expect(first.screen.text.contains("Question: half"))
    cards.end(first, second)
  }
}
