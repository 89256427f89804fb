#if Postgres
import Foundation
import LineageTestSupport
import ObjectGraph
import PostgresStorage
import Testing

@Suite("The tests of stores on a server")
struct TestServerTests {
  @Test("have a server, at least under CI")
  func server() {
    guard !TestServer.isThere else { return }
    let words = "No server was tested: run .ci/postgres swift test --traits Postgres"
    if ProcessInfo.processInfo.environment["CI"] == nil {
      print(words)
    } else {
      Issue.record("\(words)")
    }
  }
}

@Suite("A store on a server", .enabled(if: TestServer.isThere))
struct PostgresLawTests {
  @Test("obeys the laws of stores", arguments: StoreLaw.all)
  func obeys(_ law: StoreLaw) async throws {
    try await TestServer.withSchema { options in
      let store = try await PostgresStore.open(options, StoreLaw.entities)
      defer { store.close() }
      try law.check(store)
    }
  }
}

@Suite("A store behind a pooler", .enabled(if: TestServer.pooler != nil))
struct PoolerLawTests {
  @Test("obeys the laws of stores", arguments: StoreLaw.all)
  func obeys(_ law: StoreLaw) async throws {
    try await TestServer.withSchema { options in
      var options = options
      options.address = TestServer.pooler ?? ""
      let store = try await PostgresStore.open(options, StoreLaw.entities)
      defer { store.close() }
      try law.check(store)
    }
  }

  @Test("hears of commits of programs with and without a pooler, and they of its own")
  func news() async throws {
    try await TestServer.withSchema { options in
      var pooled = options
      pooled.address = TestServer.pooler ?? ""
      let direct = try await PostgresStore.open(options, Library.entities)
      let behind = try await PostgresStore.open(pooled, Library.entities)
      defer {
        direct.close()
        behind.close()
      }
      for (writer, listener) in [(direct, behind), (behind, direct)] {
        var heard = listener.commits.makeAsyncIterator()
        let context = writer.makeContext()
        let card = try context.insert(Card("news"))
        try context.save()
        #expect(await heard.next()?.saved(Card.self) == [card.id])
      }
    }
  }
}
#endif
