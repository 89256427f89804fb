#if Postgres
import Foundation
import LineageTestSupport
import ObjectGraph
import PostgresStorage
import Testing

@Suite("A commit whose connection breaks", .enabled(if: TestServer.isThere), .hangGuard)
struct BrokenCommitTests {
  /// Returns the options for a schema of the test's server, through a proxy.
  private func through(_ proxy: FaultyProxy, _ options: PostgresOptions) -> PostgresOptions {
    var options = options
    options.address =
      "host=127.0.0.1 port=\(proxy.port) user=\(TestServer.user) dbname=postgres sslmode=disable"
    return options
  }

  @Test("is decided, and never wrongly")
  func decided() async throws {
    let port = try #require(TestServer.port)
    let seed = UInt64.random(in: 0..<1_000_000)
    print("Breaks around COMMIT: seed \(seed)")
    try await TestServer.withSchema { options in
      let proxy = try FaultyProxy(to: port)
      let store = try await PostgresStore.open(through(proxy, options), Library.entities)
      defer { store.close() }
      var random = SplitMix64(seed: seed)
      var (made, refused, unknown) = (0, 0, 0)
      for number in 0..<(TestServer.isLong ? 300 : 30) {
        let context = store.makeContext()
        let mark = "break-\(number)-"
        try context.insert(Card(mark))
        let kind = FaultyProxy.Break.allCases[number % FaultyProxy.Break.allCases.count]
        proxy.plan(kind, at: mark, delay: Double(random.below(40)) / 1_000)
        var isMade: Bool?
        do {
          try context.save()
          (isMade, made) = (true, made + 1)
        } catch let error as GraphError {
          if error.leavesOutcomeUnknown {
            unknown += 1
          } else {
            (isMade, refused) = (false, refused + 1)
          }
        }
        #expect(proxy.hasBroken)
        // A request may still be on its way to the server.
        if kind == .late { try await Task.sleep(for: .milliseconds(100)) }
        let rows = try TestServer.texts(
          "SELECT count(*) FROM \"\(options.schema)\".\"Card\" WHERE question = '\(mark)'")
        if let isMade { #expect(rows == [isMade ? "1" : "0"], "\(kind), step \(number)") }
      }
      let log = try TestServer.texts(
        "SELECT count(*) FROM \"\(options.schema)_lineage\".log WHERE length(ids) > 0")
      if unknown == 0 { #expect(log == ["\(made)"]) }
      print("Breaks around COMMIT: \(made) made, \(refused) not made, \(unknown) unknown")
      #expect(unknown == 0)
    }
  }

  @Test("is unknown if the log was cleaned meanwhile")
  func cleaned() async throws {
    let port = try #require(TestServer.port)
    try await TestServer.withSchema { options in
      let proxy = try FaultyProxy(to: port)
      let store = try await PostgresStore.open(through(proxy, options), Library.entities)
      defer { store.close() }
      let context = store.makeContext()
      try context.insert(Card("mark-1"))
      let schema = options.schema
      proxy.plan(.late, at: "mark-1", delay: 8) {
        #expect(throws: Never.self) { try TestServer.cleanLog(of: schema) }
      }
      let error = #expect(throws: GraphError.self) { try context.save() }
      #expect(error?.leavesOutcomeUnknown == true, "\(String(describing: error))")
      // The request that came late was refused as well.
      try await Task.sleep(for: .milliseconds(8_500))
      #expect(
        try TestServer.texts("SELECT count(*) FROM \"\(options.schema)\".\"Card\"") == ["0"])
    }
  }

  @Test("ends in time on a network that stalls, and goes on when it is fine again")
  func stalled() async throws {
    let port = try #require(TestServer.port)
    try await TestServer.withSchema { options in
      let proxy = try FaultyProxy(to: port)
      var limited = through(proxy, options)
      (limited.connectTimeout, limited.statementTimeout, limited.lockTimeout) = (0.3, 0.3, 0.3)
      let store = try await PostgresStore.open(limited, Library.entities)
      defer { store.close() }
      let context = store.makeContext()
      try context.insert(Card("a"))
      try context.save()
      #expect(try context.count(Card.self) == 1)
      proxy.weather = .stalled
      let fresh = store.makeContext()
      #expect(throws: GraphError.self) { try fresh.count(Card.self) }
      proxy.weather = .fine
      proxy.cut()
      #expect(try store.makeContext().count(Card.self) == 1)
      proxy.weather = .slow(0.01)
      #expect(try store.makeContext().count(Card.self) == 1)
    }
  }

  @Test("a cut of all connections ends a kept moment, and the next one sees everything")
  func cut() async throws {
    let port = try #require(TestServer.port)
    try await TestServer.withSchema { options in
      let proxy = try FaultyProxy(to: port)
      let store = try await PostgresStore.open(through(proxy, options), Library.entities)
      defer { store.close() }
      let context = store.makeContext()
      try context.insert(Card("a"))
      try context.save()
      #expect(throws: GraphError.self) {
        try context.read {
          _ = try context.count(Card.self)
          proxy.cut()
          _ = try context.count(Card.self)
        }
      }
      #expect(try context.count(Card.self) == 1)
      try context.insert(Card("b"))
      proxy.cut()
      try context.save()
      #expect(try context.count(Card.self) == 2)
    }
  }
}
#endif
