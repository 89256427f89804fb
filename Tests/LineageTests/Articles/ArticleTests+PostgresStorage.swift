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
}
#endif
