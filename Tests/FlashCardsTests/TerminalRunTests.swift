import Foundation
import LineageTestSupport
import Testing

@Suite("FlashCards in a terminal", .hangGuard)
struct TerminalRunTests {
  let drawer: Drawer

  init() throws { drawer = try Drawer() }

  private func start(
    _ arguments: String..., variables: [String: String] = [:]
  ) throws -> PseudoTerminal {
    try PseudoTerminal(["--data", drawer.url.path] + arguments, variables)
  }

  /// Starts the program, and opens a form for a new card.
  private func startForm() throws -> PseudoTerminal {
    let terminal = try start()
    try terminal.waits(for: "a add a sample")
    terminal.type("a")
    try terminal.waits(for: "enter open")
    terminal.type("\rn")
    try terminal.waits(for: "New card")
    return terminal
  }

  @Test("Killed while somebody types, it returns to the same form, and has lost at most the end")
  func kills() throws {
    let seed = SplitMix64.seed(1)
    var random = SplitMix64(seed: seed)
    // What has just been opened may be lost, too. So the form is saved once.
    var terminal = try startForm()
    terminal.end(by: SIGTERM)
    terminal = try start()
    try terminal.waitsForForm()
    let letters = Array("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ")
    var text = ""
    for round in 0..<rounds(50) {
      // The characters, each with the time at which it was typed. The first one tells the round.
      var typed: [(Character, Date)] = []
      for number in 0..<random.below(25) + 1 {
        let character = number == 0 ? letters[round % letters.count] : Character("\(number % 10)")
        terminal.type(String(character))
        typed.append((character, Date()))
        terminal.read(for: CInt(random.below(30)))
      }
      let whole = text + String(typed.map(\.0))
      // In every other round, the kill comes only when all is in the folder.
      let isStored = !round.isMultiple(of: 2)
      if isStored { try waitUntilStored(whole, in: drawer.file("screens")) }
      terminal.end(by: SIGKILL)
      let killed = Date()
      terminal = try start()
      try terminal.waitsForForm()
      let line = try #require(
        terminal.screen.text.split(separator: "\n").first { $0.contains("Question:") })
      let shown = String(line.trimmingPrefix("  Question:").drop { $0 == " " })
      try #require(
        whole.hasPrefix(shown) && shown.count >= (isStored ? whole : text).count,
        "seed \(seed), round \(round): \(shown) of \(whole), \(isStored)")
      // It saves after 0.25 s; a busy machine may take longer.
      let lost = typed.suffix(whole.count - shown.count)
      #expect(lost.allSatisfy { killed.timeIntervalSince($0.1) < 10 })
      text = shown
      if text.count > 30 {
        // The field is emptied, and that is saved.
        terminal.type("\u{15}")
        try terminal.waits { !$0.text.contains(shown) }
        text = ""
        #expect(terminal.end(by: SIGTERM) == 0)
        terminal = try start()
        try terminal.waitsForForm()
      }
    }
    #expect(terminal.screen.mistakes.isEmpty)
  }

  @Test("SIGTERM, SIGHUP, control-C and the end of input save all, and give the terminal back")
  func endings() throws {
    var terminal = try startForm()
    for ending in 0..<5 {
      terminal.type("\(ending)")
      try terminal.waits(for: "\(ending)")
      switch ending {
      case 0: terminal.send(SIGTERM)
      case 1: terminal.send(SIGHUP)
      case 2: terminal.send(SIGINT)
      case 3: terminal.type("\u{3}")
      default: terminal.hangUp()
      }
      #expect(terminal.end() == 0)
      #expect(!terminal.screen.isAlternate || ending == 4)
      terminal = try start()
      try terminal.waits(for: "Question: " + (0...ending).map(String.init).joined())
    }
  }

  @Test("Control-Z stops it with the terminal given back, and it goes on with a whole frame")
  func stops() throws {
    let terminal = try startForm()
    terminal.type("before\u{1a}")
    while !terminal.isStopped { terminal.read(for: 5) }
    terminal.read(for: 20)
    #expect(!terminal.screen.isAlternate)
    // The shell has written over the screen.
    terminal.resize(width: 60, height: 20)
    terminal.send(SIGCONT)
    try terminal.waits(for: "Question: before")
    #expect(terminal.screen.isAlternate)
    terminal.type(" after")
    try terminal.waits(for: "Question: before after")
    // So does the signal that a shell sends.
    terminal.send(SIGTSTP)
    while !terminal.isStopped { terminal.read(for: 5) }
    terminal.read(for: 20)
    #expect(!terminal.screen.isAlternate)
    terminal.send(SIGCONT)
    try terminal.waits { $0.isAlternate && $0.text.contains("Question: before after") }
    // Stopped from outside, it has had no time to give the terminal back.
    terminal.send(SIGSTOP)
    while !terminal.isStopped { terminal.read(for: 5) }
    terminal.send(SIGCONT)
    terminal.type("!")
    try terminal.waits(for: "Question: before after!")
    #expect(terminal.end(by: SIGTERM) == 0)
  }

  @Test("Sent into the background of a shell it stops, and goes on in the foreground")
  func background() throws {
    let terminal = try PseudoTerminal(
      ["--norc", "--noprofile", "--noediting", "-i"], ["PS1": "ready> "], program: "/bin/bash")
    func type(_ keys: String, until text: String) {
      let start = terminal.written.count
      terminal.type(keys)
      while !String(decoding: terminal.written[start...], as: UTF8.self).contains(text) {
        terminal.read(for: 20)
      }
    }
    type("", until: "ready>")
    type("'\(FlashCards.program)' --data '\(drawer.url.path)'\r", until: "yet.")
    type("\u{1a}", until: "Stopped")
    let before = terminal.written.count
    type("bg\r", until: "ready>")
    // The shell tells of a job that has stopped before it asks for the next line.
    while !String(decoding: terminal.written[before...], as: UTF8.self).contains("Stopped") {
      type("echo next\r", until: "ready>")
    }
    #expect(!String(decoding: terminal.written[before...], as: UTF8.self).contains("yet."))
    type("fg\r", until: "yet.")
    type("q", until: "ready>")
    type("echo status $?\r", until: "status 0")
    terminal.type("'\(FlashCards.program)' --data '\(drawer.url.path)' &\r")
    type("fg\r", until: "yet.")
    type("q", until: "ready>")
  }

  @Test("SIGABRT and SIGSEGV give the terminal back, and end the process as ever")
  func crashes() throws {
    // A sanitizer has an action of its own for the second one.
    for signal in isSanitized ? [SIGABRT] : [SIGABRT, SIGSEGV] {
      let terminal = try start()
      try terminal.waits(for: "Decks")
      #expect(terminal.screen.isAlternate)
      #expect(terminal.end(by: signal) == -signal)
      #expect(!terminal.screen.isAlternate)
    }
  }

  @Test("A paste of 100 KB is one text, is kept, and a key after it is shown")
  func paste() throws {
    let terminal = try startForm()
    terminal.type("\u{1b}[200~" + String(repeating: "0123456789", count: 10_240) + "\u{1b}[201~")
    try terminal.waits(for: "0123456789")
    terminal.type("!")
    try terminal.waits(for: "6789!")
    terminal.type("\r\r")
    try terminal.waits(for: "n new")
    #expect(terminal.end(by: SIGTERM) == 0)
    let bytes = try Data(contentsOf: drawer.file("cards.sqlite"))
    let wal = try? Data(contentsOf: drawer.file("cards.sqlite-wal"))
    #expect(bytes.count + (wal?.count ?? 0) > 100_000)
  }

  @Test("It shows the first frame before a slow store is open, and takes keys meanwhile")
  func slowStore() throws {
    try startForm().end(by: SIGTERM)
    let terminal = try start("--slow-store", "2")
    try terminal.waits(for: "Opening the cards")
    terminal.type("typed early")
    try terminal.waits { $0.text.contains("typed early") && $0.text.contains("Opening") }
    try terminal.waits { $0.text.contains("typed early") && !$0.text.contains("Opening") }
    #expect(terminal.end(by: SIGTERM) == 0)
  }

  @Test("A store that cannot be opened is opened by another try, under the same half-typed form")
  func retry() throws {
    try startForm().end(by: SIGTERM)
    let (cards, aside) = (drawer.file("cards.sqlite"), drawer.file("aside"))
    try FileManager.default.moveItem(at: cards, to: aside)
    try Data("this is not a database, and long enough to be looked at".utf8).write(to: cards)
    let terminal = try start()
    try terminal.waits(for: "The cards could not be opened")
    try FileManager.default.removeItem(at: cards)
    try FileManager.default.moveItem(at: aside, to: cards)
    terminal.type("r")
    try terminal.waits(for: "New card")
    terminal.type("\u{1b}")
    try terminal.waits(for: "› the branch")
    #expect(terminal.end(by: SIGTERM) == 0)
  }

  @Test(
    "Two at once share the cards; the screen of a deck deleted elsewhere leaves, and no text is lost"
  )
  func two() throws {
    let first = try startForm()
    let second = try start("--fresh")
    try second.waits(for: "6 cards")
    first.type("the fruit\rla fruta\r")
    try second.waits(for: "7 cards")
    first.type("n")
    try first.waits(for: "New card")
    first.type("half typed")
    try first.waits(for: "half typed")
    second.type("d")
    try second.waits(for: "No decks yet.")
    first.type("\r\r")
    try first.waits(for: "It was deleted meanwhile.")
    #expect(first.screen.text.contains("half typed"))
    first.type("\u{1b}")
    try first.waits(for: "No decks yet.")
    second.type("u")
    try second.waits(for: "7 cards")
    try first.waits(for: "7 cards")
    for terminal in [first, second] {
      #expect(terminal.end(by: SIGTERM) == 0)
      #expect(terminal.screen.mistakes.isEmpty)
    }
  }

  @Test(
    "A form keeps its text when its deck is deleted elsewhere, and says so",
    arguments: [true, false])
  func formOfDeletedDeck(_ isEdited: Bool) throws {
    let first = try start()
    try first.waits(for: "a add a sample")
    first.type("a")
    try first.waits(for: "6 cards")
    first.type("e")
    try first.waits(for: "Rename deck")
    if isEdited {
      first.type("!")
      try first.waits(for: "a sample!")
    }
    let second = try start("--fresh")
    try second.waits(for: "6 cards")
    second.type("d")
    try second.waits(for: "No decks yet.")
    first.type("123\r")
    try first.waits { $0.text.contains("123") && $0.text.contains("deleted") }
    first.type("\u{1b}")
    try first.waits(for: "No decks yet.")
    for terminal in [first, second] {
      #expect(terminal.end(by: SIGTERM) == 0)
      #expect(terminal.screen.mistakes.isEmpty)
    }
  }

  @Test("A second process shows the half-typed text of a new card, too")
  func secondForm() throws {
    let first = try startForm()
    first.type("half typed")
    try first.waits(for: "half typed")
    try waitUntilStored("half typed", in: drawer.file("screens"))
    let second = try start()
    try second.waitsForForm()
    #expect(second.screen.text.contains("half typed"))
    second.type("!\rits answer\r")
    try second.waits(for: "half typed!  its answer")
    first.type("?")
    try first.waits(for: "half typed?")
    for terminal in [first, second] { #expect(terminal.end(by: SIGTERM) == 0) }
  }

  @Test("While nobody types, it uses no tick of the processor")
  func idle() throws {
    let terminal = try startForm()
    // What the last keys have caused ends first, such as a save and threads without work.
    let isIdle = (0..<20).contains { _ in
      let before = terminal.ticks
      terminal.read(for: 4_000)
      return before > 0 && terminal.ticks == before
    }
    #expect(isIdle)
  }

  @Test("A new size has a whole new frame")
  func resize() throws {
    let terminal = try startForm()
    for (width, height) in [(40, 12), (1, 1), (200, 60), (80, 24)] {
      terminal.resize(width: width, height: height)
      try terminal.waits { width < 20 || $0.text.contains("Question:") }
    }
    #expect(terminal.screen.mistakes.isEmpty)
    #expect(terminal.end(by: SIGTERM) == 0)
  }

  @Test("Without colours none are used, and a dumb terminal gets plain lines")
  func plain() throws {
    let colourless = try start(variables: ["NO_COLOR": "1"])
    try colourless.waits(for: "a add a sample")  // the store is open
    colourless.type("n\r")
    try colourless.waits(for: "name must not be empty")
    colourless.end(by: SIGTERM)
    #expect(!String(decoding: colourless.written, as: UTF8.self).contains("[0;31m"))
    let dumb = try start("--fresh", variables: ["TERM": "dumb"])
    while !String(decoding: dumb.written, as: UTF8.self).contains("n new") {
      dumb.read(for: 10)
    }
    #expect(dumb.end(by: SIGTERM) == 0)
    #expect(!dumb.written.contains(0x1b))
  }
}
