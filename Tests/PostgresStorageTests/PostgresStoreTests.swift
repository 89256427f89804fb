#if Postgres
import Foundation
import LineageTestSupport
import ObjectGraph
import PostgresStorage
import Synchronization
import Testing

/// An entity with long texts, and with unique values of few kinds.
private struct Page: Entity {
  var title = ""
  var body = ""
  var isFirst = false

  static let schema = Schema<Page>("Page") {
    Attribute("title", \.title, indexed: true)
    Attribute("body", \.body)
    Attribute("isFirst", \.isFirst)
  }
}

private struct Light: Entity {
  var isOn = false
  static let schema = Schema<Light>("Light") { Attribute("isOn", \.isOn, unique: true) }
}

@Suite("A store on a server, under use", .enabled(if: TestServer.isThere), .hangGuard)
struct PostgresStoreTests {
  @Test("works with a single connection, which idle contexts lend to each other")
  func oneConnection() async throws {
    try await TestServer.withSchema { options in
      var options = options
      options.maximumConnections = 1
      let store = try await PostgresStore.open(options, Library.entities)
      defer { store.close() }
      let contexts = (0..<5).map { _ in store.makeContext() }
      for (number, context) in contexts.enumerated() {
        try context.insert(Card("c\(number)"))
        try context.save()
        #expect(try context.count(Card.self) == number + 1)
      }
      for context in contexts { #expect(try context.count(Card.self) == 5) }
    }
  }

  @Test("finds all rows of a merge, although other contexts take the connection after each read")
  func takenConnection() async throws {
    try await TestServer.withSchema { options in
      var options = options
      options.maximumConnections = 1
      let store = try await PostgresStore.open(options, Library.entities)
      defer { store.close() }
      let takers = (0..<16).map { _ in
        Task {
          // The end of the store ends the loop.
          try await TestServer.waiting {
            while (try? store.makeContext().count(Card.self)) != nil {}
          }
        }
      }
      let writing = store.makeContext()
      let cards = try (0..<400).map { try writing.insert(Card("c\($0)")) }
      try writing.save()
      let context = store.makeContext()
      let shown = try context.fetch(Card.self)
      for round in 1...8 {
        for card in cards { card.rightCount = round }
        try writing.save()
        try context.merge()
        try #require(shown.allSatisfy { !$0.isDeleted && $0.rightCount == round })
      }
      store.close()
      for taker in takers { try await taker.value }
    }
  }

  @Test("tells how many connections are kept when a read waits for too long")
  func noConnection() async throws {
    try await TestServer.withSchema { options in
      var options = options
      (options.maximumConnections, options.acquireTimeout) = (1, 0.1)
      let store = try await PostgresStore.open(options, Library.entities)
      defer { store.close() }
      let keeping = store.makeContext()
      try keeping.read {
        _ = try keeping.count(Card.self)
        let error = #expect(throws: GraphError.self) { try store.makeContext().count(Card.self) }
        #expect("\(error, default: "")".contains("1 of them by moments"))
      }
      keeping.discard()
      #expect(try store.makeContext().count(Card.self) == 0)
    }
  }

  @Test("keeps a cursor of a moment that has failed from touching the cursors of the next moment")
  func failedMoment() async throws {
    try await TestServer.withSchema { options in
      let store = try await PostgresStore.open(options, Library.entities)
      defer { store.close() }
      let writing = store.makeContext()
      for number in 0..<3_000 { try writing.insert(Card("c\(number)")) }
      try writing.save()
      let reader = try store.makeReader()
      let cards = Query(entity: try #require(store.model.index(named: "Card")))
      let read = try reader.cursor(cards)
      let closed = try reader.cursor(cards)
      #expect(try read.next() != nil && closed.next() != nil)
      #expect(throws: GraphError.self) { try reader.readRows(of: [.sql("no statement")]) }
      let later = try (0..<2).map { _ in try reader.cursor(cards) }
      closed.close()
      let error = #expect(throws: GraphError.self) { while try read.next() != nil {} }
      #expect("\(error, default: "")".contains("another read failed"))
      for cursor in later {
        var count = 0
        while try cursor.next() != nil { count += 1 }
        #expect(count == 3_000)
      }
    }
  }

  /// Saves, and again if others were faster seven times in a row, as on a slow machine.
  private static func save(_ context: ObjectContext) throws {
    while true {
      do {
        return try context.save()
      } catch let error as GraphError {
        guard case .overtaken = error.reason else { throw error }
      }
    }
  }

  @Test("loses no increment of eight writers")
  func increments() async throws {
    try await TestServer.withSchema { options in
      let first = try await PostgresStore.open(options, Library.entities)
      defer { first.close() }
      let context = first.makeContext()
      let ids = try (0..<4).map { try context.insert(Card("c\($0)")).id }
      try context.save()
      try await withThrowingTaskGroup(of: Void.self) { group in
        for number in 0..<8 {
          let store = try await PostgresStore.open(options, Library.entities)
          group.addTask {
            defer { store.close() }
            try await store.background { context, _ in
              context.conflictPolicy = .resolve { conflict in
                guard let base = conflict.base as? Card, let mine = conflict.mine as? Card,
                  var theirs = conflict.theirs as? Card
                else { return .theirs }
                theirs.rightCount += mine.rightCount - base.rightCount
                return .value(theirs)
              }
              for round in 0..<25 {
                try context.object(with: ids[(number + round) % 4]).rightCount += 1
                if round.isMultiple(of: 3) {
                  try context.object(with: ids[(number + round + 1) % 4]).rightCount += 1
                }
                try Self.save(context)
              }
            }
          }
        }
        try await group.waitForAll()
      }
      let count = try first.makeContext().fetch(Card.self).map(\.rightCount).reduce(0, +)
      #expect(count == 8 * (25 + 9))
    }
  }

  @Test("ends a long read when its task is cancelled")
  func cancelled() async throws {
    try await TestServer.withSchema { options in
      let store = try await PostgresStore.open(options, Library.entities)
      defer { store.close() }
      let reading = Task {
        try await store.background { context, _ in
          _ = try context.rows("SELECT pg_sleep(60)::text", String?.self)
        }
      }
      // The server runs the statement.
      while try !TestServer.texts("SELECT wait_event FROM pg_stat_activity").contains("PgSleep") {}
      reading.cancel()
      await #expect(throws: CancellationError.self) { try await reading.value }
    }
  }

  @Test("reads pages of about 4 MB, also of a table that was not read before")
  func pages() async throws {
    try await TestServer.withSchema { options in
      let writing = try await PostgresStore.open(options, [Page.self])
      let context = writing.makeContext()
      let body = String(repeating: "x", count: 1_000_000)
      for number in 0..<40 { try context.insert(Page(title: "\(number)", body: body)) }
      try context.save()
      writing.close()
      let store = try await PostgresStore.open(options, [Page.self])
      defer { store.close() }
      // A figure is a small row, and tells nothing about the size of others.
      let known = try await store.background { context, _ in try context.count(Page.self) }
      #expect(known == 40)
      let before = store.trips
      let count = try await store.background { context, _ in
        try context.fetch(Page.self).map(\.body).filter { $0 == body }.count
      }
      #expect(count == 40)
      #expect(store.trips - before >= 10)
    }
  }

  @Test("takes large values and large commits; the largest with LINEAGE_LAWS=full")
  func large() async throws {
    let factor = ProcessInfo.processInfo.environment["LINEAGE_LAWS"] == "full" ? 1 : 50
    try await TestServer.withSchema { options in
      let store = try await PostgresStore.open(options, [Page.self])
      defer { store.close() }
      let body = String(repeating: "0123456789", count: 20_000_000 / factor)
      let id = try await store.background { context, _ in
        try context.insert(Page(title: "large", body: body)).id
      }
      #expect(try store.makeContext().object(with: id).body == body)
      let count = 1_000_000 / factor
      let (all, first) = try await store.background { context, _ in
        for number in 0..<count { try context.insert(Page(title: "\(number)")) }
        try context.save()
        return (try context.count(Page.self), try context.count(Page.self) { $0.title == "0" })
      }
      #expect(all == count + 1 && first == 1)
    }
  }

  @Test("names the object and the property of a value that is too long for an index")
  func tooLong() async throws {
    try await TestServer.withSchema { options in
      let store = try await PostgresStore.open(options, [Page.self])
      defer { store.close() }
      let context = store.makeContext()
      try context.insert(Page(title: "short"))
      var random = SplitMix64(seed: 1)
      let long = String(
        (0..<20_000).map { _ in Character(UnicodeScalar(UInt8(97 + random.below(26)))) })
      let page = try context.insert(Page(title: long))
      let error = #expect(throws: GraphError.self) { try context.save() }
      #expect("\(error, default: "")".contains("title has 20000 bytes"))
      page.title = "short"
      page.body = long
      try context.save()
      #expect(try store.makeContext().fetch(Page.self).map(\.body.count).sorted() == [0, 20_000])
    }
  }

  @Test("hands over the two values of a unique Bool")
  func bools() async throws {
    try await TestServer.withSchema { options in
      let store = try await PostgresStore.open(options, [Light.self])
      defer { store.close() }
      let context = store.makeContext()
      let (one, two) = (try context.insert(Light()), try context.insert(Light(isOn: true)))
      try context.save()
      (one.isOn, two.isOn) = (true, false)
      try context.save()
      let fresh = store.makeContext()
      #expect(try fresh.object(with: one.id).isOn)
      #expect(try !fresh.object(with: two.id).isOn)
    }
  }

  @Test("keeps long values and texts with U+0000, and finds them")
  func values() async throws {
    try await TestServer.withSchema { options in
      let store = try await PostgresStore.open(options, [Page.self])
      defer { store.close() }
      let context = store.makeContext()
      let odd = "a\u{0}b\u{1}\u{2}\u{3}\u{1}\u{2}\u{2}c"
      try context.insert(Page(title: odd, body: String(repeating: "ä", count: 10_000_000)))
      try context.insert(Page(title: "a\u{1}"))
      try context.insert(Page(title: "a\u{4}"))
      try context.save()
      let fresh = store.makeContext()
      let found = try fresh.fetch(Page.self, where: { $0.title.contains("\u{0}b") })
      #expect(found.map(\.title) == [odd])
      #expect(found.first?.body.utf8.count == 20_000_000)
      #expect(
        try fresh.fetch(Page.self, sort: { $0.title }).map(\.title) == [odd, "a\u{1}", "a\u{4}"])
      #expect(try fresh.fetch(Page.self, where: { $0.title.hasPrefix("a\u{0}") }).count == 1)
    }
  }

  @Test("is told of another program's commits, whatever it reads")
  func news() async throws {
    try await TestServer.withSchema { options in
      let (mine, theirs) = (
        try await PostgresStore.open(options, Library.entities),
        try await PostgresStore.open(options, Library.entities)
      )
      defer {
        mine.close()
        theirs.close()
      }
      let context = mine.makeContext()
      let list = try LiveList(FetchRequest<Card>(sort: { $0.question }), in: context)
      let others = theirs.makeContext()
      for number in 0..<20 {
        try others.insert(Card("c\(number + 100)"))
        try others.save()
        try context.merge()
        #expect(list.count == number + 1)
      }
      // A loop hears without asking.
      var heard = mine.commits.makeAsyncIterator()
      let card = try others.insert(Card("late"))
      try others.save()
      let commit = await heard.next()
      #expect(commit?.saved(Card.self) == [card.id])
    }
  }

  @Test("names the server's run again after a crash, also if nobody waits for news")
  func epoch() async throws {
    try await TestServer.withSchema { options in
      let store = try await PostgresStore.open(options, Library.entities)
      defer { store.close() }
      let epoch = "\"\(options.schema)_lineage\".epoch"
      // A crash empties the table.
      try TestServer.run("DELETE FROM \(epoch)")
      let context = store.makeContext()
      while try TestServer.texts("SELECT id FROM \(epoch)").isEmpty {
        _ = try context.count(Card.self)
      }
    }
  }

  @Test("refuses a program's statement that reads an undeclared table, or writes")
  func statements() async throws {
    try await TestServer.withSchema { options in
      let store = try await PostgresStore.open(options, Library.entities)
      defer { store.close() }
      let context = store.makeContext()
      try context.insert(Card("a", rightCount: 3))
      try context.save()
      let count = try context.rows(
        "SELECT count(*), max(\(Card.self).\"rightCount\") FROM \(Card.self) WHERE question = \("a")",
        Int.self, Int?.self)
      #expect(count.map(\.0) == [1] && count.map(\.1) == [3])
      let name = "\"\(options.schema)\".\"Card\""
      for sql in [
        "SELECT id FROM \(name)", "DELETE FROM \(name) RETURNING id", "SELECT 1; SELECT 2",
      ] {
        let reader = try store.makeReader()
        defer { reader.end() }
        #expect(throws: GraphError.self) {
          let rows = try reader.readRows(of: [.sql(sql)])
          _ = try rows.next()
        }
      }
      #expect(try store.makeContext().count(Card.self) == 1)
    }
  }
}
#endif
