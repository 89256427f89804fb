#if Postgres
import Foundation
import LineageTestSupport
import ObjectGraph
import PostgresStorage
import Testing

/// An item that a source names by a code, and a shop by a number of its own.
private struct Item: Entity {
  var code = 0
  var shop = 0
  var number = 0
  var count = 0

  init() {}

  init(code: Int, shop: Int = 0, number: Int = 0) {
    (self.code, self.shop, self.number) = (code, shop, number)
  }

  static let schema = Schema<Item>("Item") {
    Attribute("code", \.code, unique: true)
    Attribute("shop", \.shop)
    Attribute("number", \.number)
    Attribute("count", \.count)
    Unique(\.shop, \.number)
  }
}

/// Each trip to a server takes a millisecond or more, so their number is what a read costs.
@Suite("The trips to a server", .enabled(if: TestServer.isThere), .hangGuard)
struct PostgresTripTests {
  /// Returns the trips for work in a new context. The end of a moment is none, because nobody waits for it.
  private func trips(
    _ store: PostgresStore, _ work: (ObjectContext) throws -> Void
  ) throws -> Int {
    let (before, context) = (store.trips, store.makeContext())
    try context.read { try work(context) }
    return store.trips - before
  }

  @Test("of a moment with its first read are one")
  func moment() async throws {
    try await TestServer.withSchema { options in
      let store = try await PostgresStore.open(options, Library.entities)
      defer { store.close() }
      let writing = store.makeContext()
      let cards = try (0..<3).map { try writing.insert(Card("c\($0)")) }
      try writing.save()
      writing.discard()
      let id = cards[1].id
      // A new connection asks whether there is a pooler.
      _ = try store.makeContext().count(Card.self)
      var count = try trips(store) { try #expect($0.object(with: id).question == "c1") }
      #expect(count == 1)
      count = try trips(store) { try #expect($0.fetch(Card.self).count == 3) }
      #expect(count == 1)
      count = try trips(store) {
        let values = try $0.values(Card.self, where: { $0.question > "c0" })
        #expect(values.map(\.question) == ["c1", "c2"])
      }
      #expect(count == 1)
      // Further reads of the same moment take one trip each.
      count = try trips(store) { context in
        for _ in 0..<5 { try #expect(context.fetch(Card.self).count == 3) }
      }
      #expect(count == 5)
      // Those of a moment that is still kept count, too.
      let kept = store.makeContext()
      try kept.read {
        let before = store.trips
        _ = try kept.count(Card.self)
        #expect(store.trips > before)
      }
    }
  }

  @Test("repeat the statements that the server has prepared")
  func preparedStatements() async throws {
    try await TestServer.withSchema { options in
      var options = options
      options.maximumConnections = 1
      let store = try await PostgresStore.open(options, Library.entities)
      defer { store.close() }
      let writing = store.makeContext()
      for number in 0..<2_500 { try writing.insert(Card("c\(number)")) }
      try writing.insert(Deck("d"))
      try writing.save()
      /// Reads in a moment of its own, and returns the number of statements that are prepared.
      func read(_ times: Int) throws -> Int {
        let context = store.makeContext()
        return try context.read {
          for number in 0..<times {
            #expect(try context.fetch(Card.self, where: { $0.question > "c" }).count == 2_500)
            #expect(try context.count(Card.self, where: { $0.question == "c\(number)" }) == 1)
            _ = try context.fetch(Deck.self)
          }
          return try context.rows("SELECT count(*) FROM pg_prepared_statements", Int.self)[0]
        }
      }
      _ = try read(1)
      let few = try read(1)
      #expect(try (few, read(20), read(1)) == (few, few, few))
      // The server prepares all statements again after a change of the path.
      let context = store.makeContext()
      try context.read {
        _ = try context.rows("SELECT set_config('search_path', 'pg_catalog', true)", String.self)
        #expect(try context.fetch(Deck.self).count == 1)
        #expect(try context.fetch(Card.self, where: { $0.question > "c" }).count == 2_500)
      }
    }
  }

  @Test("end a moment with the next one, or by themselves if there is none")
  func releasedMoments() async throws {
    try await TestServer.withSchema { options in
      var named = options
      named.address += " application_name=\(options.schema)"
      let store = try await PostgresStore.open(named, Library.entities)
      defer { store.close() }
      for number in 1...3 {
        let writing = store.makeContext()
        try writing.insert(Card("c\(number)"))
        try writing.save()
        let context = store.makeContext()
        try context.read {
          #expect(try context.count(Card.self) == number)
          let settings = try ["isolation", "read_only"].flatMap { name in
            try context.rows("SELECT current_setting('transaction_' || \(name))", String.self)
          }
          #expect(settings == ["repeatable read", "on"])
        }
      }
      let underWay = "SELECT 1 FROM pg_stat_activity WHERE application_name = '\(options.schema)'"
      try await TestServer.waiting {
        while try !TestServer.texts("\(underWay) AND xact_start IS NOT NULL").isEmpty {}
      }
    }
  }

  @Test("are one more when 200 statements are forgotten, also in one moment")
  func manyStatements() async throws {
    try await TestServer.withSchema { options in
      let store = try await PostgresStore.open(options, Library.entities)
      defer { store.close() }
      // A new connection asks whether there is a pooler.
      _ = try store.makeContext().count(Card.self)
      let context = store.makeContext()
      try context.read {
        let before = store.trips
        var filter = Filter<Card> { $0.question == "" }
        for number in 0..<220 {
          filter = filter || Filter { $0.question == "\(number)" }
          try #expect(context.fetch(FetchRequest(filter: filter)).isEmpty)
        }
        #expect(store.trips - before == 221)
      }
    }
  }

  @Test("go on after a failed read, however many statements are prepared")
  func failedReads() async throws {
    try await TestServer.withSchema { options in
      var options = options
      options.maximumConnections = 1
      let store = try await PostgresStore.open(options, Library.entities)
      defer { store.close() }
      let reader = try store.makeReader()
      let cells = CellRow(count: 3)
      for number in 0..<450 {
        // A failed moment does not change the next one.
        let rows = try reader.readRows(of: [
          .sql("SELECT \(number), current_setting('transaction_isolation')"),
          .sql(", current_setting('transaction_read_only')"),
        ])
        #expect(try rows.next())
        rows.load(into: cells)
        #expect(cells[1].stored == .text("repeatable read") && cells[2].stored == .text("on"))
        rows.close()
        #expect(throws: GraphError.self) { try reader.readRows(of: [.sql("no statement")]) }
      }
    }
  }

  @Test("of a many-to-many property are two, also if it is prefetched")
  func through() async throws {
    try await TestServer.withSchema { options in
      let store = try await PostgresStore.open(
        options, Library.entities + [Tally.self, Slip.self])
      defer { store.close() }
      let writing = store.makeContext()
      var tallies: [Object<Tally>] = []
      for number in 0..<20 {
        let tally = try writing.insert(Tally("t\(number)"))
        for place in 0..<10 {
          try tally.cards.append(try writing.insert(Card("c\(number * 10 + place)")))
        }
        tallies.append(tally)
      }
      try writing.save()
      let id = tallies[7].id
      // The first rows of a table with texts tell how large its rows are.
      _ = try writing.fetch(Card.self)
      _ = try writing.fetch(Tally.self)
      writing.discard()
      var count = try trips(store) { context in
        let cards = try context.object(with: id).cards
        #expect(cards.map(\.question) == (70..<80).map { "c\($0)" })
      }
      #expect(count == 1 + 2)
      count = try trips(store) { context in
        let found = try context.fetch(
          FetchRequest<Tally>(sort: { $0.name }, prefetch: { $0.cards }))
        #expect(found.count == 20)
      }
      #expect(count == 1 + 2)
    }
  }

  @Test("of an upsert are one for a thousand keys, besides the beginning of its moment")
  func upsert() async throws {
    try await TestServer.withSchema { options in
      let store = try await PostgresStore.open(options, [Item.self])
      defer { store.close() }
      let context = store.makeContext()
      let items = (0..<2_500).map { Item(code: $0, shop: $0 % 7, number: $0) }
      for item in items.prefix(1_500) { try context.insert(item) }
      try context.save()
      let first = try trips(store) { context in
        let found = try context.upsert(items, by: \.code) { $0.count += 1 + $1.count }
        #expect(found.count == 2_500 && found.prefix(1_500).allSatisfy { $0.count == 1 })
        #expect(Set(found.map(\.id)).count == 2_500)
      }
      // Of the two thousand keys with rows, each thousand needs two pages of the result at most.
      #expect(first <= 1 + 3 + 2)
      let second = try trips(store) { context in
        let found = try context.upsert(items, by: \.shop, \.number) { $0.count += 1 + $1.count }
        #expect(found.count == 2_500 && found.prefix(1_500).allSatisfy { $0.count == 1 })
      }
      #expect(second <= 1 + 3 + 2)
    }
  }
}
#endif
