#if Postgres
import Foundation
import LineageTestSupport
import ObjectGraph
import PostgresStorage
import Synchronization
import Testing

@Suite("Sixteen writers and one who listens", .enabled(if: TestServer.isThere), .hangGuard)
struct FleetTests {
  @Test("each commit is heard once, and soon")
  func heard() async throws {
    let seed = UInt64.random(in: 0..<1_000_000)
    let commits = TestServer.isLong ? 50_000 : 5_000
    print("Sixteen writers: seed \(seed)")
    try await TestServer.withSchema { options in
      var options = options
      options.cleaningInterval = 2
      let listener = try await PostgresStore.open(options, Library.entities)
      defer { listener.close() }
      let counts = Mutex<[Int64: (count: Int, time: Date)]>([:])
      let everything = Mutex(0)
      let inbox = Inbox()
      listener.subscribe(inbox)
      let owner = Owner()
      let entity = try #require(listener.model.index(named: "Card"))
      inbox.onPost(for: owner) { [weak inbox] in
        guard let news = inbox?.take() else { return }
        if news.isEverything { everything.withLock { $0 += 1 } }
        let now = Date()
        counts.withLock { counts in
          for id in news.touched[entity] ?? [] {
            counts[id] = ((counts[id]?.count ?? 0) + 1, counts[id]?.time ?? now)
          }
        }
      }
      let token = listener.observeForeignCommits()
      defer { withExtendedLifetime(token) {} }
      // A transaction that stays open while all others commit.
      let long = Thread {
        try? TestServer.run("BEGIN; SELECT pg_current_xact_id(); SELECT pg_sleep(6); COMMIT")
      }
      long.start()
      let made = Times()
      try await withThrowingTaskGroup(of: Void.self) { group in
        for writer in 0..<16 {
          let store = try await PostgresStore.open(options, Library.entities)
          group.addTask {
            defer { store.close() }
            try await store.background { context, _ in
              var random = SplitMix64(seed: seed &+ UInt64(writer))
              var left = commits / 16
              while left > 0 {
                let card = try context.insert(Card("\(writer)-\(left)"))
                if random.below(10) == 0 {
                  // The server refuses the commit, because the name is taken.
                  try context.insert(Deck("same"))
                  try context.insert(Deck("same"))
                  #expect(throws: GraphError.self) { try context.save() }
                  context.discard()
                  continue
                }
                if random.below(50) == 0 { Thread.sleep(forTimeInterval: 0.02) }
                try context.save()
                made.all.withLock { $0[card.id.key] = Date() }
                left -= 1
              }
            }
          }
        }
        try await group.waitForAll()
      }
      let all = made.all.withLock { $0 }
      for _ in 0..<300 where counts.withLock({ $0.count }) < all.count {
        try await Task.sleep(for: .milliseconds(20))
      }
      let heard = counts.withLock { $0 }
      #expect(everything.withLock { $0 } == 0)
      #expect(all.keys.filter { heard[$0] == nil }.isEmpty)
      #expect(heard.filter { $0.value.count != 1 }.isEmpty)
      let waits = all.compactMap { id, time in heard[id].map { $0.time.timeIntervalSince(time) } }
        .sorted()
      if !waits.isEmpty {
        let (median, p99) = (waits[waits.count / 2], waits[waits.count * 99 / 100])
        print("Sixteen writers: heard after \(median) s, p99 \(p99) s, of \(waits.count) commits")
      }
    }
  }

  private final class Owner: Sendable {}

  /// The times at which the writers' commits had returned, by card.
  private final class Times: Sendable {
    let all = Mutex<[Int64: Date]>([:])
  }
}
#endif
