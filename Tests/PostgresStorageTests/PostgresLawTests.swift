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
#endif
