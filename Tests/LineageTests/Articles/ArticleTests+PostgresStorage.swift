import Foundation
import Lineage
import Testing

/// The session of *On a server* whose code may wait.
private enum Waiting {
  actor Session {
    private let lane: StoreLane
    private let application = Application()
    nonisolated var unownedExecutor: UnownedSerialExecutor { lane.asUnownedSerialExecutor() }

    init(on threads: StoreThreads) { lane = threads.lane() }
  }
}

extension Waiting.Session {
  fileprivate func isAtHome() -> Bool { lane.isIsolatingCurrentContext() == true }
}

extension ArticleTests {
  @Test("Threads that may wait")
  func threads() async {
    #expect(await Waiting.Session(on: StoreThreads(maximum: 2)).isAtHome())
  }
}

#if Postgres
extension ArticleTests {
  /// Whether the tests have a server, which `.ci/postgres` starts.
  nonisolated static let address = ProcessInfo.processInfo.environment["LINEAGE_POSTGRES"]

  @Test("A store on PostgreSQL", .enabled(if: ArticleTests.address != nil))
  func postgres() async throws {
    let (address, schema) = (Self.address ?? "", "a\(UUID().uuidString.lowercased())")
    let file = try await SQLiteStore.open(at: url, [Card.self, Deck.self])
    let context = file.makeContext()
    let card = try context.insert(Card(question: "2 + 2?"))
    try context.save()
    var said: [String] = []
    @Sendable func logger(_ text: String) {}
    var options = PostgresOptions(address)
    options.schema = schema
    options.onEvent = { event in logger("\(event)") }
    let empty = try await PostgresStore.open(options, [Card.self, Deck.self])
    try await copy(file, to: empty)
    #expect(try empty.makeContext().object(with: card.id).question == "2 + 2?")
    #expect(empty.id == file.id)
    func print(_ text: String) { said.append(text) }
    print(try PostgresStore.script(for: [Card.self, Deck.self], role: "cards"))
    #expect(said[0].contains("GRANT SELECT"))
  }

  private func copy(_ file: SQLiteStore, to store: PostgresStore) async throws {
    try await file.copy(to: store)
  }

  /// Compiles the samples that use the schema `public`, which tests share. It is not called.
  private func samples(_ address: String, _ application: Application) async throws {
    do {
      let store = try await PostgresStore.open(
        PostgresOptions("postgresql://cards@db.example.org/cards"), [Card.self, Deck.self])
      let context = store.makeContext()
      _ = context
    }
    let store = try await PostgresStore.open(PostgresOptions(address), [Card.self, Deck.self])
    _ = store
    application.openStore(PostgresOptions(address), [Card.self, Deck.self])
  }

  /// Compiles the sample with migrations, which needs a store of an older version. It is not called.
  private func migrating(_ address: String, _ migrations: [Migration]) async throws {
    let store = try await PostgresStore.open(
      PostgresOptions(address), [Card.self, Deck.self], migrations: migrations)
    _ = store
  }

  /// The version of ``Card`` before the first step of *From one machine to many*.
  private struct Undated: Entity {
    var question = ""
    var rightCount = 0
    var kind = ArticleTests.Card.Kind.plain
    var deck: Ref<Former.Deck>?
    static let schema = Schema<Undated>("Card") {
      Attribute("question", \.question)
      Attribute("rightCount", \.rightCount, indexed: true)
      Attribute("kind", \.kind)
      ToOne("deck", \.deck)
    }
  }

  @Test("Deployments that roll", .enabled(if: ArticleTests.address != nil))
  func rolling() async throws {
    var own = PostgresOptions(Self.address ?? "")
    own.schema = "a\(UUID().uuidString.lowercased())"
    let (options, today) = (own, 1_000.5)
    let former = try await PostgresStore.open(options, [Undated.self, Former.Deck.self])
    let context = former.makeContext()
    try context.insert(Undated(question: "2 + 2?", rightCount: 3))
    try context.save()
    former.close()

    let migrations = [
      Migration(to: 2, "when each card is due") { store in
        try store.execute(#"ALTER TABLE "Card" ADD COLUMN due float8"#)
        try store.execute(#"UPDATE "Card" SET due = ?1 + "rightCount" * 86400"#, [.real(today)])
      }
    ]
    let store = try await PostgresStore.open(
      options, [Card.self, Deck.self], migrations: migrations)
    defer { store.close() }
    let due = try store.makeContext().values(Card.self).map(\.due)
    #expect(due == [Date(timeIntervalSinceReferenceDate: 1_000.5 + 3 * 86_400)])
  }
}
#endif
