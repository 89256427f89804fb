#if Postgres
import Foundation
import LineageTestSupport
import ObjectGraph
import PostgresStorage
import Synchronization
import Testing

@Suite("Opening a store on a server", .enabled(if: TestServer.isThere), .hangGuard)
struct PostgresOpeningTests {
  private func reason<Store>(_ opening: Opening<Store>) -> String { "\(opening)" }

  @Test("creates the tables once, whoever comes first")
  func creation() async throws {
    try await TestServer.withSchema { options in
      let outcomes = await withTaskGroup(of: Opening<PostgresStore>.self) { group in
        for _ in 0..<6 {
          group.addTask { await PostgresStore.opening(options, Library.entities) }
        }
        return await group.reduce(into: []) { $0.append($1) }
      }
      let created = outcomes.filter { if case .created = $0 { true } else { false } }
      #expect(created.count == 1)
      let stores = outcomes.compactMap(\.store)
      #expect(stores.count == 6 && Set(stores.map(\.id)).count == 1)
      let context = stores[0].makeContext()
      try context.insert(Card("a"))
      try context.save()
      #expect(try stores[5].makeContext().fetch(Card.self).map(\.question) == ["a"])
      for store in stores { store.close() }
      let again = await PostgresStore.opening(options, Library.entities)
      guard case .ready(let store) = again else {
        Issue.record("\(again)")
        return
      }
      store.close()
      #expect(throws: GraphError.self) { try store.makeContext().fetch(Card.self) }
    }
  }

  @Test("of another schema is refused in words")
  func otherSchema() async throws {
    try await TestServer.withSchema { options in
      try await PostgresStore.open(options, Library.entities).close()
      let opening = await PostgresStore.opening(options, StoreLaw.entities)
      guard case .changed(let changes) = opening else {
        Issue.record("\(opening)")
        return
      }
      #expect(!changes.isEmpty)
    }
  }

  @Test("needs no right to create anything, if somebody else has run the script")
  func script() async throws {
    try await TestServer.withSchema { options in
      var own = options
      own.schemaManagement = .assumeExists
      let missing = await PostgresStore.opening(own, Library.entities)
      #expect(reason(missing) == reason(Opening<PostgresStore>.missing))
      let role = "poor_\(options.schema)"
      let script = try PostgresStore.script(
        for: Library.entities, schema: options.schema, role: role)
      try TestServer.run("CREATE ROLE \(role) LOGIN")
      defer {
        try? TestServer.run("DROP OWNED BY \(role)")
        try? TestServer.run("DROP ROLE \(role)")
      }
      try TestServer.run(script)
      own.address += " user=\(role)"
      let store = try await PostgresStore.open(own, Library.entities)
      defer { store.close() }
      let context = store.makeContext()
      let deck = try context.insert(Deck("d"))
      let card = try context.insert(Card("a"))
      card.deck = deck
      try context.save()
      card.rightCount = 3
      try context.save()
      try context.delete(deck)
      try context.save()
      #expect(try store.makeContext().count(Deck.self) == 0)
      try TestServer.run("REVOKE DELETE ON \"\(options.schema)\".\"Card\" FROM \(role)")
      let refused = await PostgresStore.opening(own, Library.entities)
      #expect(reason(refused).contains("DELETE is missing"))
    }
  }

  /// A change by somebody else, and a part of the words by which the store is then refused.
  struct Spoiling: CustomTestStringConvertible, Sendable {
    let sql: String
    let words: String
    /// Whether a program that may change tables mends it.
    var isMended = false
    var testDescription: String { words }
  }

  private static let spoilings = [
    Spoiling(sql: "ALTER TABLE $.\"Card\" ENABLE ROW LEVEL SECURITY", words: "row-level security"),
    Spoiling(sql: "ALTER TABLE $.\"Learner\" SET UNLOGGED", words: "UNLOGGED"),
    Spoiling(
      sql: "ALTER TABLE $.\"Card\" ALTER COLUMN question TYPE text COLLATE \"POSIX\"",
      words: "COLLATE"),
    Spoiling(
      sql: "ALTER TABLE $.\"Card\" ALTER COLUMN question TYPE varchar(9)", words: "must be text"),
    Spoiling(sql: "ALTER TABLE $.\"Card\" ADD COLUMN more int NOT NULL", words: "allows no null"),
    Spoiling(sql: "ALTER TABLE $.\"Card\" DROP COLUMN answer", words: "has no column"),
    Spoiling(sql: "DROP TABLE $.\"Card\" CASCADE", words: "has no table"),
    Spoiling(
      sql: "ALTER TABLE $.\"Card\" ALTER CONSTRAINT \"Card.deck\" INITIALLY IMMEDIATE",
      words: "too early"),
    Spoiling(
      sql: "ALTER TABLE $.\"Card\" DROP CONSTRAINT \"Card.deck\"", words: "does not refer to Deck"),
    Spoiling(
      sql: "ALTER TABLE $.\"Card\" DROP CONSTRAINT \"Card.deck\", ADD FOREIGN KEY (deck)"
        + " REFERENCES $.\"Deck\" DEFERRABLE INITIALLY DEFERRED NOT VALID",
      words: "was never checked (NOT VALID)", isMended: true),
    Spoiling(
      sql: "ALTER TABLE $.\"Card\" DROP CONSTRAINT \"Card.deck\", ADD FOREIGN KEY (deck)"
        + " REFERENCES $.\"Deck\" ON DELETE CASCADE DEFERRABLE INITIALLY DEFERRED",
      words: "has a rule of the server's"),
    Spoiling(sql: "DROP INDEX $.\"Deck.name\"", words: "has no unique index", isMended: true),
    Spoiling(
      sql: "DROP INDEX $.\"Deck.name\"; CREATE UNIQUE INDEX ON $.\"Deck\" (name) WHERE name > 'a'",
      words: "has no unique index", isMended: true),
    Spoiling(
      sql: "DROP INDEX $.\"Deck.name\"; ALTER TABLE $.\"Deck\" ADD UNIQUE (name) DEFERRABLE",
      words: "checked too late (DEFERRABLE)"),
  ]

  @Test("refuses tables that would lose or hide rows", arguments: spoilings)
  func spoiled(_ spoiling: Spoiling) async throws {
    try await TestServer.withSchema { options in
      try await PostgresStore.open(options, Library.entities).close()
      try TestServer.run(spoiling.sql.replacing("$", with: "\"\(options.schema)\""))
      var options = options
      if spoiling.isMended { options.schemaManagement = .assumeExists }
      let opening = await PostgresStore.opening(options, Library.entities)
      #expect(opening.store == nil)
      #expect(reason(opening).contains(spoiling.words), "\(opening)")
    }
  }

  @Test("shows no secret, in no error")
  func secrets() async throws {
    let addresses = [
      "postgresql://ada:secret@/x%zz", "host=localhost password='secret", "secret=secret",
      "postgresql://ada:secret@127.0.0.1:1/cards",
      "host=127.0.0.1 port=1 user=ada password=secret dbname=cards connect_timeout=x",
      // Passwords that libpq takes for a host, a port, or a database.
      "postgresql://ada:x@secret@127.0.0.1:1/cards", "postgresql://ada:secret/x@127.0.0.1:1/cards",
      "postgresql://ada:1/secret@127.0.0.1:1/cards",
    ]
    for address in addresses {
      var options = PostgresOptions(address)
      options.connectTimeout = 2
      do {
        _ = try await PostgresStore.open(options, Library.entities)
        Issue.record("opened \(address)")
      } catch {
        #expect(!"\(error)".contains("secret"), "\(error)")
      }
      #expect(!options.url.absoluteString.contains("secret"))
      var texts = "\(options) \(String(reflecting: options))"
      dump(options, to: &texts)
      #expect(!texts.contains("secret"), "\(texts)")
    }
  }

  @Test("ends in time if nobody answers")
  func silence() async throws {
    // A socket that accepts connections, and never says a word.
    let listener = try SilentListener()
    var options = PostgresOptions("host=127.0.0.1 port=\(listener.port) user=ada")
    options.connectTimeout = 0.2
    let opening = await PostgresStore.opening(options, Library.entities)
    #expect(reason(opening).contains("0.2 s") || reason(opening).contains("in time"), "\(opening)")
  }

  @Test("takes the first of several hosts that answers")
  func hosts() async throws {
    guard let port = TestServer.port else { return }
    let silent = try SilentListener()
    try await TestServer.withSchema { options in
      var several = options
      several.address =
        "host=127.0.0.1,127.0.0.1 port=1,\(port) user=\(TestServer.user) dbname=postgres"
        + " target_session_attrs=read-write"
      try await PostgresStore.open(several, Library.entities).close()
      several.address =
        "host=127.0.0.1,127.0.0.1 port=\(silent.port),\(port) user=\(TestServer.user) dbname=postgres"
      try await PostgresStore.open(several, Library.entities).close()
      several.address = "postgresql://\(TestServer.user)@[::1]:\(port)/postgres"
      try await PostgresStore.open(several, Library.entities).close()
    }
  }

  @Test("tells what happens")
  func events() async throws {
    try await TestServer.withSchema { options in
      var options = options
      let told = Mutex<[String]>([])
      options.slowTrip = 0
      options.onEvent = { event in told.withLock { $0.append("\(event)") } }
      try await PostgresStore.open(options, Library.entities).close()
      #expect(told.withLock { $0.contains { $0.hasPrefix("connected") } })
      #expect(told.withLock { $0.contains { $0.contains("the server took") } })
    }
  }
}
#endif
