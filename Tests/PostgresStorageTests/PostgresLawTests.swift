#if Postgres
import Foundation
import LineageTestSupport
import ObjectGraph
import PostgresStorage
import Testing

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
