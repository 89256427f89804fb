#if Postgres
import Foundation
import LineageTestSupport
import ObjectGraph
import PostgresStorage
import Testing

@Suite("The log of commits", .enabled(if: TestServer.isThere), .hangGuard)
struct LogTests {
  @Test("is cleaned of rows that every store has read")
  func cleaned() async throws {
    try await TestServer.withSchema { options in
      var options = options
      options.cleaningInterval = 0.1
      let store = try await PostgresStore.open(options, Library.entities)
      defer { store.close() }
      let context = store.makeContext()
      let log = "\"\(options.schema)_lineage\".log"
      var (made, left) = (0, 0)
      while left >= made {
        try context.insert(Card("a"))
        try context.save()
        made += 1
        left = try Int(TestServer.texts("SELECT count(*) FROM \(log)")[0]) ?? 0
      }
    }
  }

  @Test("tells everything to a store that has not polled for so long that rows are gone")
  func overtaken() async throws {
    try await TestServer.withSchema { options in
      let store = try await PostgresStore.open(options, Library.entities)
      defer { store.close() }
      let inbox = Inbox()
      store.subscribe(inbox)
      try TestServer.cleanLog(of: options.schema)
      // A commit is refused at first, because its row could be gone before it is read.
      let context = store.makeContext()
      try context.insert(Card("a"))
      try context.save()
      #expect(inbox.take().isEverything)
      #expect(try store.makeContext().count(Card.self) == 1)
    }
  }

  @Test("is emptied when its tables were restored on another server")
  func restored() async throws {
    try await TestServer.withSchema { options in
      let own = "\"\(options.schema)_lineage\""
      try await PostgresStore.open(options, Library.entities).close()
      let epoch = try TestServer.texts("SELECT id FROM \(own).epoch")
      try TestServer.run(
        "UPDATE \(own).state SET system = 1, horizon = '9000000000'; INSERT INTO \(own).log (xid, id)"
          + " VALUES ('9000000001', gen_random_uuid())")
      let store = try await PostgresStore.open(options, Library.entities)
      defer { store.close() }
      #expect(try TestServer.texts("SELECT 1 FROM \(own).log").isEmpty)
      #expect(try TestServer.texts("SELECT id FROM \(own).epoch") != epoch)
      let inbox = Inbox()
      store.subscribe(inbox)
      #expect(try store.makeContext().count(Card.self) == 0)
      #expect(inbox.isEmpty)
    }
  }
}
#endif
