#if Postgres
import Foundation
import LineageTestSupport
import ObjectGraph
import PostgresStorage
import Synchronization
import Testing

@Suite("A store on a server tells", .enabled(if: TestServer.isThere), .hangGuard)
struct PostgresEventTests {
  /// The events of a store, as sentences.
  private final class Told: Sendable {
    private let all = Mutex<[PostgresEvent]>([])

    func add(_ event: PostgresEvent) { all.withLock { $0.append(event) } }
    var sentences: [String] { all.withLock { $0.map(\.description) } }
    func has(_ words: String) -> Bool { sentences.contains { $0.contains(words) } }
  }

  private func withStore(
    _ change: (inout PostgresOptions) -> Void = { _ in },
    _ body: (PostgresStore, Told, PostgresOptions) async throws -> Void
  ) async throws {
    try await TestServer.withSchema { options in
      let told = Told()
      var options = options
      options.onEvent = told.add
      change(&options)
      let store = try await PostgresStore.open(options, Library.entities)
      defer { store.close() }
      try await body(store, told, options)
    }
  }

  @Test("of a connection that it makes, and of one that is lost")
  func connections() async throws {
    try await withStore { store, told, _ in
      let context = store.makeContext()
      #expect(try context.count(Card.self) == 0)
      let processes = told.sentences.compactMap { sentence in
        sentence.hasPrefix("connected to the server's process ")
          ? sentence.split(separator: " ").last : nil
      }
      #expect(processes.count >= 2)
      #expect(!told.has("a connection was lost"))
      try context.read {
        _ = try context.count(Card.self)
        for process in processes {
          try TestServer.run("SELECT pg_terminate_backend(\(process))")
        }
        #expect(throws: GraphError.self) { try context.count(Card.self) }
      }
      #expect(told.has("a connection was lost: "))
      #expect(try context.count(Card.self) == 0)
    }
  }

  @Test("of a connection that it cannot make")
  func noServer() async throws {
    let told = Told()
    var options = PostgresOptions("host=127.0.0.1 port=1 user=ada")
    options.onEvent = told.add
    #expect(await PostgresStore.opening(options, Library.entities).store == nil)
    #expect(told.has("a connection was lost: "))
  }

  @Test("of a read that has waited for a connection")
  func waiting() async throws {
    let change: (inout PostgresOptions) -> Void = { options in
      (options.maximumConnections, options.acquireTimeout) = (1, 0.1)
    }
    try await withStore(change) { store, told, _ in
      let (keeping, other) = (store.makeContext(), store.makeContext())
      #expect(try other.count(Card.self) == 0)
      #expect(!told.has("a read waited"))
      try keeping.read {
        _ = try keeping.count(Card.self)
        // The other one waits for the only connection until its time is over.
        #expect(throws: GraphError.self) { try other.count(Card.self) }
      }
      #expect(told.has("a read waited for a connection for "))
    }
  }

  @Test("of a statement that takes long, and on the main thread of one that holds it")
  @MainActor func slow() async throws {
    let held = "the main thread waited for "
    try await withStore({ $0.slowTrip = 600 }) { store, told, _ in
      _ = try store.makeContext().rows("SELECT pg_sleep(0.06)::text", String?.self)
      #expect(!told.has("the server took "))
      #expect(told.has(held))
    }
    try await withStore({ $0.slowTrip = 0.1 }) { store, told, _ in
      let context = store.makeContext()
      _ = try context.rows("SELECT pg_sleep(0.12)::text", String?.self)
      #expect(told.has("the server took ") && told.has("pg_sleep(0.12)"))
      let count = told.sentences.count { $0.hasPrefix(held) }
      _ = try await store.background { context, _ in
        try context.rows("SELECT pg_sleep(0.07)::text", String?.self)
      }
      #expect(told.sentences.count { $0.hasPrefix(held) } == count)
    }
  }

  @Test("of a save that the server has undone in favour of another one")
  func repeated() async throws {
    try await withStore { store, told, options in
      let context = store.makeContext()
      let card = try context.insert(Card("a"))
      try context.save()
      // The first save that follows fails as in a deadlock. A sequence does not forget that.
      let schema = "\"\(options.schema)\""
      try TestServer.run(
        """
        CREATE SEQUENCE \(schema).turns;
        CREATE FUNCTION \(schema).refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
          IF nextval('\(schema).turns') = 1 THEN
            RAISE EXCEPTION 'undone' USING ERRCODE = '40P01';
          END IF;
          RETURN NEW; END $$;
        CREATE TRIGGER refuse BEFORE UPDATE ON \(schema)."Card"
          FOR EACH ROW EXECUTE FUNCTION \(schema).refuse()
        """)
      card.question = "b"
      try context.save()
      #expect(told.sentences.count { $0 == "a save is begun again: undone" } == 1)
      #expect(try store.makeContext().fetch(Card.self).map(\.question) == ["b"])
    }
  }

  @Test("of what may surprise at the opening, and only then")
  func warnings() async throws {
    try await withStore { store, told, options in
      // `.ci/postgres` starts a server that does not wait for the disk, unless it is `--durable`.
      let isSafe = try TestServer.texts("SHOW fsync") == ["on"]
      #expect(told.has("power cut") != isSafe)
      #expect(!told.has("triggers") && !told.has("the role may have"))
      let schema = "\"\(options.schema)\""
      let role = "few_\(options.schema)"
      try TestServer.run(
        """
        CREATE FUNCTION \(schema).nothing() RETURNS trigger LANGUAGE plpgsql AS
          $$ BEGIN RETURN NEW; END $$;
        CREATE TRIGGER nothing BEFORE UPDATE ON \(schema)."Card"
          FOR EACH ROW EXECUTE FUNCTION \(schema).nothing();
        CREATE ROLE \(role) SUPERUSER LOGIN CONNECTION LIMIT 4
        """)
      defer { try? TestServer.run("DROP ROLE \(role)") }
      var others = options
      others.address += " user=\(role)"
      try await PostgresStore.open(others, Library.entities).close()
      #expect(told.has("the role may have 4 connections, and the store may need 6"))
      #expect(told.has("nobody is told of it: Card.nothing"))
    }
  }
}
#endif
