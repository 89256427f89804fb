import Foundation

/// Returns the cases of the suite *app*: FlashCards as its user sees it, over a pseudo-terminal.
@MainActor func appCases() -> [BenchmarkCase] {
  let folders = CardFolders()
  return [(100, Effort.quick, 1.5, 35e6), (100_000, .standard, 2, 60e6)].flatMap {
    let cards = FlashCardsRun(cards: $0, folders: folders)
    return cards.cases(effort: $1, keyLimit: $2, memoryLimit: $3)
  }
}

/// FlashCards with a deck of a number of cards.
@MainActor struct FlashCardsRun {
  let cards: Int
  let folders: CardFolders

  func cases(effort: Effort, keyLimit: Double, memoryLimit: Double) -> [BenchmarkCase] {
    let (loop, app) = ("poll loop", "FlashCards")
    func make(
      _ name: String, _ unit: Unit, baseline: String, _ subjects: [Subject], _ bars: [Bar]
    ) -> BenchmarkCase {
      BenchmarkCase(
        suite: .app, name: name, parameters: [Parameter("cards", cards)], unit: unit,
        effort: effort, baseline: baseline, subjects: subjects, bars: bars)
    }
    return [
      make(
        "key to frame", .microseconds, baseline: loop,
        [
          Subject(name: loop) { keys(try startLoop(), ["\u{1b}[B", "\u{1b}[A"]) },
          Subject(name: app) { keys(try startDeck(), ["\u{1b}[B", "\u{1b}[A"]) },
        ], [.leastRatio(of: app, to: loop, atMost: keyLimit).because(Self.keyReason)]),
      make(
        "search key", .microseconds, baseline: "plain key",
        [
          Subject(name: "plain key") {
            keys(try startDeck(), ["\u{1b}[B", "\u{1b}[A"], pause: Self.searchPause)
          },
          Subject(name: app) { search(try startSearch()) },
        ],
        [
          .ratio(of: app, to: "plain key", atMost: 10),
          .p99(of: Self.held, by: app, atMost: 5_000),
        ]),
      make(
        "first frame", .milliseconds, baseline: loop,
        [
          Subject(name: loop) { starts { try startLoop() } },
          Subject(name: app) {
            let folder = try folders.folder(cards)
            return starts { try start(in: folder) }
          },
        ], []),
      make(
        "memory", .bytes, baseline: loop,
        [
          Subject(name: loop) { memory(try startLoop()) },
          Subject(name: app) { memory(try startDeck()) },
        ], [.median(of: app, atMost: memoryLimit).because(Self.memoryReason)]),
    ]
  }

  private static let keyReason = """
    the loop only moves a mark; FlashCards sends the key up the tree, asks which keys there are now and \
    which objects the rows have, and compares all rows
    """
  private static let memoryReason = """
    19 MB are the objects of the list, which has all rows, and 9 MB are pages of the store's file
    """

  private func startLoop() throws -> ShownProgram {
    try ShownProgram("Benchmarks", [PollLoop.argument])
  }

  private func start(in folder: URL) throws -> ShownProgram {
    try ShownProgram("flashcards", ["--data", folder.path])
  }

  /// Starts FlashCards, which shows the deck, with the same row selected.
  private func startDeck() throws -> ShownProgram {
    let program = try start(in: folders.folder(cards))
    program.settleFully()
    return program
  }

  private func startSearch() throws -> ShownProgram {
    let program = try startDeck()
    try program.type("/", until: "Search:")
    program.settleFully()
    return program
  }

  /// The silence in milliseconds after which the next search begins. A processor that has rested needs
  /// three times as long for a key. So the plain keys of the comparison wait as long.
  private static let searchPause: CInt = 100

  /// Types keys in turn, each after a silence since the frame for the one before.
  private func keys(_ program: ShownProgram, _ keys: [String], pause: CInt = 0) -> Trial {
    Trial(
      operations: keys.count,
      answer: {
        for key in keys { _ = try program.time(key) }
        return ["frames": keys.count]
      },
      sample: { iterations in
        var total = 0.0
        for key in repeatElement(keys, count: iterations).joined() {
          total += try program.time(key)
          program.settle(for: pause)
        }
        return total
      })
  }

  /// Searches for a digit that the selected card does not have, and then for nothing again. The
  /// measured time ends with the frame for the digit. In one sample of five, keys are typed until the
  /// search is over, because a key waits as long as the search holds the tree.
  private func search(_ program: ShownProgram) -> Trial {
    var (first, held): ([Double], [Double]) = ([], [])
    var (samples, selected) = (0, "")
    func find(untilComplete: Bool) throws -> Double {
      let digit = selected == "7" ? "3" : "7"
      let time = try program.time(digit)
      // The second row shows a card that was found.
      first.append(time + (try program.time(until: "\u{1b}[6;")))
      var isComplete = false
      repeat {
        // The cursor goes to the left of the digit, or back.
        for (key, place) in [("\u{1b}[D", "\u{1b}[3;11H"), ("\u{1b}[C", "\u{1b}[3;12H")] {
          // When a long list is complete, a row of it is selected.
          isComplete = isComplete || program.hasWritten("\u{1b}[0;7m")
          held.append(try program.time(key, until: place))
        }
      } while untilComplete && cards > 1_000 && !isComplete && held.count < 100_000
      if untilComplete { selected = digit }
      _ = try program.time("\u{7f}")
      program.settle(for: Self.searchPause)
      return time
    }
    return Trial(
      answer: {
        _ = try find(untilComplete: true)
        return ["frames": 2]
      },
      sample: { iterations in
        samples += 1
        return try (0..<iterations).reduce(0) { total, _ in
          total + (try find(untilComplete: samples % 5 == 1))
        }
      },
      besides: {
        [Besides(Self.firstFind, .microseconds, first), Besides(Self.held, .microseconds, held)]
      })
  }

  private static let firstFind = "first find"
  private static let held = "key during a search"

  private func starts(_ start: @escaping @MainActor () throws -> ShownProgram) -> Trial {
    Trial(
      answer: {
        try start().end()
        return ["frames": 1]
      },
      sample: { iterations in
        var total = 0.0
        for _ in 0..<iterations {
          let begin = ContinuousClock.now
          let program = try start()
          total += Stopwatch.nanoseconds(since: begin)
          program.end()
        }
        return total
      })
  }

  private func memory(_ program: ShownProgram) -> Trial {
    Trial(
      answer: { ["programs": 1] },
      sample: { _ in program.residentBytes })
  }
}

/// Folders with decks, in a temporary folder that `deinit` removes. FlashCards itself has made them.
@MainActor final class CardFolders {
  private let parent = FileManager.default.temporaryDirectory
    .appending(path: "lineage-app-\(UUID().uuidString)")
  private var filled: [Int: URL] = [:]

  deinit { try? FileManager.default.removeItem(at: parent) }

  /// Returns a new folder in which FlashCards shows a deck of so many cards when it starts.
  func folder(_ cards: Int) throws -> URL {
    let new = parent.appending(path: UUID().uuidString)
    try FileManager.default.copyItem(at: filledFolder(cards), to: new)
    return new
  }

  private func filledFolder(_ cards: Int) throws -> URL {
    if let folder = filled[cards] { return folder }
    let folder = parent.appending(path: "\(cards)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    let text = folder.appending(path: "numbers.tsv")
    let lines = (0..<cards).map { "Question \(100_000 + $0)\tAnswer \($0)\n" }
    try Data(lines.joined().utf8).write(to: text)
    let program = try ShownProgram("flashcards", ["--data", folder.path])
    // Without cards, there is nothing to import into. The next word is written when they are open.
    _ = try program.time(until: "decks")
    try program.type("i", until: "File:")
    try program.type(text.path + "\r", until: "imported.")
    // The screen follows the commit in slices.
    program.settleFully()
    try program.type("\r", until: "100001")
    program.settleFully()
    filled[cards] = folder
    return folder
  }
}
