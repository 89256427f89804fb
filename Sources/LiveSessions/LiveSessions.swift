import Foundation
import Lineage
import Synchronization

/// A program that holds many live sessions on one store, and measures what they cost.
@main
struct LiveSessions {
  static func main() async throws {
    let usage = "usage: LiveSessions FILE|memory [--sessions 1000] [--edits 200]"
    guard let place = CommandLine.arguments.dropFirst().first else { fail(usage) }
    if place == "--help" { fail(usage) }
    let (count, edits) = (number("--sessions") ?? 1_000, number("--edits") ?? 200)
    let makeContext = try await contexts(of: place)
    let context = makeContext()
    for number in 0..<100 { try context.insert(Card(question: "card \(number)")) }
    try context.save()

    let (before, shown) = (residentMemory, Shown())
    var start = ContinuousClock.now
    func milliseconds() -> Double { tenths(start.duration(to: .now) / .milliseconds(1)) }
    let sessions = try (0..<count).map { _ in
      try Session(in: makeContext(), client: shown.add)
    }
    let (opening, opened) = (milliseconds(), residentMemory)
    for session in sessions { Task { await session.run() } }

    // One session after the other saves a card, and all show it.
    var times: [Double] = []
    for edit in 0..<edits {
      start = .now
      try await sessions[edit % count].add("one by one, \(edit)")
      try await shown.wait(for: (edit + 1) * count)
      times.append(milliseconds())
    }
    times.sort()

    // Many sessions save a card at once, and then all show all cards.
    start = .now
    try await withThrowingDiscardingTaskGroup { group in
      for edit in 0..<edits {
        group.addTask { try await sessions[edit % count].add("at once, \(edit)") }
      }
    }
    try await shown.wait(for: 2 * edits * count)
    let perSecond = Double(edits) * 1_000 / milliseconds()

    let rows = try makeContext().values(Card.self, sort: { $0.question }).map(\.question)
    for session in sessions {
      guard await session.rows == rows else { fail("A session shows other rows than the store.") }
    }
    let each = tenths((opened - before) * 1_024 / Double(count))
    print(
      """
      memory      \(each) KB a session: \(before) MB before, \(opened) MB after, \
      \(residentMemory) MB at the end
      opening     \(opening) ms for all sessions
      an edit     \(times[edits / 2]) ms until all show it, p99 \(times[(edits * 99 - 1) / 100]) ms
      many edits  \(Int(perSecond)) a second, until all sessions show all of them
      check       \(count) sessions show the same \(rows.count) rows
      """)
  }
}

/// The number of new rows that all sessions together have shown.
final class Shown: Sendable {
  private let count = Atomic(0)

  func add(_ rows: Int) { count.add(rows, ordering: .relaxed) }

  /// Waits for a number of rows, or ends the program after a minute.
  func wait(for rows: Int) async throws {
    let deadline = ContinuousClock.now + .seconds(60)
    while count.load(ordering: .relaxed) < rows {
      guard .now < deadline else { fail("Not all sessions show all rows.") }
      try await Task.sleep(for: .microseconds(50))
    }
  }
}

/// Opens a store, and returns a function that makes contexts of it.
private func contexts(of place: String) async throws -> @Sendable () -> ObjectContext {
  if place == "memory" { return try MemoryStore([Card.self]).makeContext }
  return try await SQLiteStore.open(at: URL(filePath: place), [Card.self]).makeContext
}

/// Returns the number after an option, which is positive; nil if the option is missing.
private func number(_ option: String) -> Int? {
  CommandLine.arguments.drop { $0 != option }.dropFirst().first.map { max(Int($0) ?? 1, 1) }
}

/// The resident memory of this process in megabytes; zero if the system has no `/proc`.
private var residentMemory: Double {
  let pages = try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8).split(separator: " ")
  return tenths((pages.flatMap { Double($0[1]) } ?? 0) * Double(getpagesize()) / 1_048_576)
}

private func tenths(_ number: Double) -> Double { (number * 10).rounded() / 10 }

/// Prints a message and ends the program with the code 1.
private func fail(_ message: String) -> Never {
  print(message)
  exit(1)
}
