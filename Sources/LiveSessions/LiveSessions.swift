import Foundation
import Lineage
import Synchronization

/// A program that holds many live sessions on one store, and measures what they cost. Several such
/// programs may run at once, with `--votes`, on one store.
@main
struct LiveSessions {
  static func main() async throws {
    let usage = """
      usage: LiveSessions FILE|memory|postgresql://… [--sessions 1000] [--edits 200 | --votes 200]
      """
    guard let name = CommandLine.arguments.dropFirst().first, name != "--help" else { fail(usage) }
    let (count, place) = (number("--sessions") ?? 1_000, try await Place(name))
    let context = place.makeContext()
    if try context.count(Card.self) == 0 {
      for number in 0..<100 { try context.insert(Card(question: "card \(number)")) }
      try context.save()
    }

    let (before, shown, threads) = (residentMemory, Shown(), StoreThreads(maximum: place.threads))
    let start = ContinuousClock.now
    let sessions = try (0..<count).map { _ in
      try Session(in: place.makeContext(), on: threads.lane(), client: shown.add)
    }
    let (opening, opened) = (milliseconds(since: start), residentMemory)
    for session in sessions { Task { await session.run() } }
    let each = tenths((opened - before) * 1_024 / Double(count))
    print(
      """
      memory      \(each) KB a session: \(before) MB before, \(opened) MB after
      opening     \(opening) ms for all sessions
      """)
    if let votes = number("--votes") {
      try await vote(votes, sessions, shown, place)
    } else {
      try await edit(number("--edits") ?? 200, sessions, shown, place)
    }
    print("the end     \(residentMemory) MB")
  }

  /// Lets the sessions add cards, and measures after what time all of them show all cards.
  static func edit(_ edits: Int, _ sessions: [Session], _ shown: Shown, _ place: Place) async throws
  {
    let count = sessions.count
    // One session after the other saves a card, and all show it.
    var times: [Double] = []
    for edit in 0..<edits {
      let start = ContinuousClock.now
      try await sessions[edit % count].add("one by one, \(edit)")
      try await wait { shown.rows >= (edit + 1) * count }
      times.append(milliseconds(since: start))
    }

    // Many sessions save a card at once, and then all show all cards.
    let start = ContinuousClock.now
    try await withThrowingDiscardingTaskGroup { group in
      for edit in 0..<edits {
        group.addTask { try await sessions[edit % count].add("at once, \(edit)") }
      }
    }
    try await wait { shown.rows >= 2 * edits * count }
    let perSecond = Double(edits) * 1_000 / milliseconds(since: start)

    let rows = try place.makeContext().values(Card.self, sort: { $0.question }).map(\.question)
    for session in sessions {
      guard await session.rows == rows else { fail("A session shows other rows than the store.") }
    }
    print(
      """
      an edit     \(summary(times, "until all show it"))
      many edits  \(Int(perSecond)) a second, until all sessions show all of them
      check       \(count) sessions show the same \(rows.count) rows
      """)
  }

  /// Lets the sessions vote, and measures after what time each session shows each vote, also those
  /// of other programs.
  static func vote(_ votes: Int, _ sessions: [Session], _ shown: Shown, _ place: Place) async throws
  {
    // A new context shows what the others have saved by now.
    func sum() throws -> Int { try place.makeContext().values(Card.self).map(\.votes).reduce(0, +) }
    let (first, trips) = (try sum(), place.trips?())
    for vote in 0..<votes {
      // Ten cards, so that the votes of several programs meet.
      try await sessions[vote % sessions.count].vote(for: vote % 10)
      try await Task.sleep(for: .milliseconds(50))
    }
    // The others may go on for a while.
    var last = -1
    while try sum() > last {
      last = try sum()
      try await Task.sleep(for: .seconds(2))
    }
    // `wait` gives each session time to merge the last votes.
    for session in sessions { try await wait { await session.votes == last } }
    let made = Double((place.trips?() ?? 0) - (trips ?? 0)) / Double(last - first)
    print(
      """
      a vote      \(summary(shown.times, "until a session shows it"))
      trips       \(trips == nil ? "none" : "\(tenths(made / Double(sessions.count))) to the server for each session and vote")
      votes       \(votes) of this program, \(last) in all
      """)
  }
}

/// The rows and votes that all sessions together have shown.
final class Shown: Sendable {
  private let count = Atomic(0)
  private let delays = Mutex<[Double]>([])

  /// The milliseconds from votes to the sessions that show them.
  var times: [Double] { delays.withLock { $0 } }

  func add(_ insertions: Int, voted: [Double]) {
    count.add(insertions, ordering: .relaxed)
    let now = Date.now.timeIntervalSince1970
    delays.withLock { $0 += voted.map { tenths((now - $0) * 1_000) } }
  }

  /// The number of rows.
  var rows: Int { count.load(ordering: .relaxed) }
}

/// A store of any kind.
struct Place: Sendable {
  let makeContext: @Sendable () -> ObjectContext
  /// The number of trips to the server so far; nil if there is no server.
  var trips: (@Sendable () -> Int)?
  /// A thread for each processor; more if threads wait for a server.
  var threads = ProcessInfo.processInfo.activeProcessorCount

  init(_ name: String) async throws {
    if name.hasPrefix("postgresql:") {
      #if Postgres
      let store = try await PostgresStore.open(PostgresOptions(name), [Card.self])
      (makeContext, trips, threads) = (store.makeContext, { store.trips }, 16)
      #else
      fail("This program was built without the trait Postgres.")
      #endif
    } else if name == "memory" {
      makeContext = try MemoryStore([Card.self]).makeContext
    } else {
      makeContext = try await SQLiteStore.open(at: URL(filePath: name), [Card.self]).makeContext
    }
  }
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

private func milliseconds(since start: ContinuousClock.Instant) -> Double {
  tenths(start.duration(to: .now) / .milliseconds(1))
}

private func tenths(_ number: Double) -> Double { (number * 10).rounded() / 10 }

/// Returns the median and the 99th percentile of times, in words.
private func summary(_ times: [Double], _ words: String) -> String {
  let times = times.isEmpty ? [0] : times.sorted()
  return "\(times[times.count / 2]) ms \(words), p99 \(times[(times.count * 99 - 1) / 100]) ms"
}

/// Waits until all sessions show what the store has, or ends the program after a minute.
private func wait(until isShown: () async -> Bool) async throws {
  let deadline = ContinuousClock.now + .seconds(60)
  while await !isShown() {
    guard .now < deadline else { fail("Not all sessions show what the store has.") }
    try await Task.sleep(for: .microseconds(50))
  }
}

/// Prints a message and ends the program with the code 1.
private func fail(_ message: String) -> Never {
  print(message)
  exit(1)
}
