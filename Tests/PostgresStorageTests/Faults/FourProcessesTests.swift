#if Postgres
import Foundation
import LineageTestSupport
import ObjectGraph
import PostgresStorage
import Testing

@Suite("Four processes that move units between cards", .enabled(if: TestServer.isThere), .hangGuard)
struct FourProcessesTests {
  @Test("lose none, although some are killed at any moment")
  func conserved() async throws {
    let seed = UInt64.random(in: 0..<1_000_000)
    let seconds = TestServer.isLong ? 600.0 : 15
    print("Four processes: seed \(seed)")
    try await TestServer.withSchema { options in
      let store = try await PostgresStore.open(options, Library.entities)
      defer { store.close() }
      let context = store.makeContext()
      for number in 0..<8 { try context.insert(Card("\(number)", rightCount: 1_000)) }
      try context.save()
      let (schema, end) = (options.schema, Date() + seconds)
      let kills = await withTaskGroup(of: Int.self) { group in
        for process in 0..<4 {
          group.addTask { await Self.run(schema, seed &+ UInt64(process), until: end) }
        }
        return await group.reduce(0, +)
      }
      let counts = try store.makeContext().fetch(Card.self).map(\.rightCount)
      #expect(counts.reduce(0, +) == 8_000)
      // The context has heard of all that the others have saved.
      try context.merge()
      #expect(try context.fetch(Card.self).map(\.rightCount).reduce(0, +) == 8_000)
      let commits = try TestServer.texts(
        "SELECT count(*) FROM \"\(schema)_lineage\".log WHERE length(ids) > 0")
      #expect(commits != ["0"])
      print("Four processes: \(commits) commits, \(kills) kills")
    }
  }

  /// Runs one process after the other, and returns how many were killed.
  private static func run(_ schema: String, _ seed: UInt64, until end: Date) async -> Int {
    var random = SplitMix64(seed: seed)
    var kills = 0
    while Date() < end {
      let seed = random.next()
      if random.below(3) == 0 {
        kills += 1
        await #expect(processExitsWith: .signal(SIGKILL)) {
          [schema = schema as String, seed = seed as UInt64] in
          // Some processes are killed while they open the store.
          let delay = 0.2 + Double(seed % 1_000) / 1_000
          Thread {
            Thread.sleep(forTimeInterval: delay)
            kill(getpid(), SIGKILL)
          }.start()
          try await Self.move(schema, seed, for: 60)
          try await Task.sleep(for: .seconds(60))
        }
      } else {
        await #expect(processExitsWith: .success) {
          [schema = schema as String, seed = seed as UInt64] in
          try await Self.move(schema, seed, for: 1)
        }
      }
    }
    return kills
  }

  /// Moves units between cards for some seconds. Others move units between the same cards meanwhile.
  private static func move(_ schema: String, _ seed: UInt64, for seconds: Double) async throws {
    var options = PostgresOptions(TestServer.address ?? "")
    options.schema = schema
    let store = try await PostgresStore.open(options, Library.entities)
    defer { store.close() }
    try await store.background { context, _ in
      context.conflictPolicy = .resolve { conflict in
        guard let base = conflict.base as? Card, let mine = conflict.mine as? Card,
          var theirs = conflict.theirs as? Card
        else { return .theirs }
        theirs.rightCount += mine.rightCount - base.rightCount
        return .value(theirs)
      }
      var random = SplitMix64(seed: seed)
      let cards = try context.fetch(Card.self)
      let end = Date() + seconds
      while Date() < end {
        let (from, to) = (random.below(8), random.below(8))
        let units = 1 + random.below(5)
        // The rules of a card refuse large negative counts.
        guard cards[from].rightCount >= units else { continue }
        cards[from].rightCount -= units
        cards[to].rightCount += units
        var isOver = false
        while !isOver {
          do {
            try context.save()
            isOver = true
          } catch let error as GraphError {
            if case .overtaken = error.reason { continue }
            // A limit of time has passed. The move was made, or it was not.
            context.discard()
            isOver = true
          }
        }
      }
    }
  }
}
#endif
