import Foundation
import LineageTestSupport
import ObjectGraph
import SQLiteStorage
import Testing

/// One entity in several versions.
private enum Card {
  struct Plain: Entity {
    var deck: Ref<Plain>?
    var question = ""
    var due = 0
    static let schema = Schema<Plain>("Card") {
      ToOne("deck", \.deck)
      Attribute("question", \.question)
      Attribute("due", \.due)
    }
  }
  struct Ruled: Entity {
    var deck: Ref<Ruled>?
    var question = ""
    var due = 0
    static let schema = Schema<Ruled>("Card") {
      ToOne("deck", \.deck)
      Attribute("question", \.question)
      Attribute("due", \.due)
      Unique(\.deck, \.question)
      Index(\.deck, \.due)
    }
  }
  struct Unruled: Entity {
    var deck: Ref<Unruled>?
    var question = ""
    var due: Int? = 0
    static let schema = Schema<Unruled>("Card") {
      ToOne("deck", \.deck)
      Attribute("question", \.question)
      Attribute("due", \.due)
    }
  }
  struct Renamed: Entity {
    var deck: Ref<Renamed>?
    var text: String? = ""
    var due = 0
    static let schema = Schema<Renamed>("Card") {
      ToOne("deck", \.deck)
      Attribute("text", \.text, formerly: "question")
      Attribute("due", \.due)
      Unique(\.deck, \.text)
      Index(\.deck, \.due)
    }
  }
  struct Short: Entity {
    var deck: Ref<Short>?
    var due = 0
    static let schema = Schema<Short>("Card") {
      ToOne("deck", \.deck)
      Attribute("due", \.due)
      Index(\.deck, \.due)
    }
  }
  struct Other: Entity {
    var deck: Ref<Other>?
    var question = ""
    var due = 0
    static let schema = Schema<Other>("Sheet") {
      ToOne("deck", \.deck)
      Attribute("question", \.question)
      Attribute("due", \.due)
      Unique(\.deck, \.question)
    }
  }
}

@Suite("Migrations of rules and indexes over several properties") struct RuleMigrationTests {
  private let folder: Drawer

  init() throws { folder = try Drawer() }

  private var indexes: String {
    get throws {
      try folder.sqlite3("SELECT name FROM sqlite_schema WHERE type = 'index' ORDER BY name")
    }
  }

  /// Makes a file of the first version with cards of the deck `Card/1`.
  private func make(_ questions: String...) async throws {
    let store = try await SQLiteStore.open(at: folder.file(), [Card.Plain.self])
    var writes: [Write] = [.insert(Ref(key: 1), Card.Plain(), in: store.model)]
    for (index, question) in questions.enumerated() {
      let card = Card.Plain(deck: Ref(key: 1), question: question)
      writes.append(.insert(Ref(key: Int64(index + 2)), card, in: store.model))
    }
    try store.commit(writes, from: nil)
    store.close()
  }

  private func opening(
    _ entity: any Entity.Type, _ migrations: [Migration] = []
  ) async -> Opening<SQLiteStore> {
    await SQLiteStore.opening(at: folder.file(), [entity], migrations: migrations)
  }

  private func steps(_ entity: any Entity.Type, _ migrations: [Migration] = []) async throws
    -> [String]
  {
    let opening = await opening(entity, migrations)
    guard case .migrated(let store, let migrated) = opening else { throw Unexpected(opening) }
    store.close()
    return migrated.steps
  }

  @Test("They are added and removed without a step, and rows are kept") func addedAndRemoved()
    async throws
  {
    try await make("a", "b")
    #expect(
      try await steps(Card.Ruled.self) == ["index Card.deck.question", "index Card.deck.due"])
    #expect(try indexes == "Card.deck\nCard.deck.due\nCard.deck.question")
    guard case .ready(let store) = await opening(Card.Ruled.self) else {
      throw Unexpected("not ready")
    }
    let third = Card.Ruled(deck: Ref(key: 1), question: "a")
    let error = #expect(throws: GraphError.self) {
      try store.commit([.insert(Ref(key: 9), third, in: store.model)], from: nil)
    }
    #expect(
      error?.description
        == "could not save Card/9: another Card has the same deck, question as Card/2")
    store.close()
    #expect(
      try await steps(Card.Unruled.self) == [
        "drop the index of Card.deck.question", "drop the index of Card.deck.due",
        "change what Card may hold",
      ])
    #expect(try indexes == "Card.deck")
  }

  @Test("Rows with equal values refuse the opening, and the file is unchanged") func equalRows()
    async throws
  {
    try await make("a", "b", "a")
    let bytes = try Data(contentsOf: folder.file())
    let opening = await opening(Card.Ruled.self)
    guard case .changed(let changes) = opening else { throw Unexpected(opening) }
    #expect(
      changes.map(\.description) == [
        "Card.deck, question are to be unique together, but rows have the same values"
      ])
    #expect(try Data(contentsOf: folder.file()) == bytes)
  }

  @Test("A renamed property, a looser one, and a step that renames or removes keep or make them")
  func renamed() async throws {
    try await make("a", "b")
    _ = try await steps(Card.Ruled.self)
    let renaming = try await steps(Card.Renamed.self)
    #expect(renaming.contains("rename Card.question to text"))
    #expect(try indexes == "Card.deck\nCard.deck.due\nCard.deck.text")
    let removing = Migration(to: 2, "no text") { try $0.removeProperty("text", of: "Card") }
    #expect(try await steps(Card.Short.self, [removing]) == ["no text"])
    #expect(try indexes == "Card.deck\nCard.deck.due")
    #expect(try folder.sqlite3("SELECT count(*) FROM Card") == "3")
  }

  @Test("A step that renames the entity and a property") func renamedEntity() async throws {
    try await make("a", "b")
    _ = try await steps(Card.Ruled.self)
    let migration = Migration(to: 2, "sheets") { file in
      try file.renameProperty("due", of: "Card", to: "later")
      try file.renameProperty("later", of: "Card", to: "due")
      try file.renameEntity("Card", to: "Sheet")
    }
    _ = try await steps(Card.Other.self, [migration])
    #expect(try indexes == "Sheet.deck\nSheet.deck.question")
  }

  @Test("A file without them has the same schema and hash as before") func unchanged() async throws
  {
    try await make("a")
    let schema = try folder.sqlite3("SELECT value FROM lineage_store WHERE key = 'schema'")
    #expect(!schema.contains("indexes"))
  }

  @Test("A rule that another program has added to the file is told with its properties")
  func foreign() async throws {
    try await make("a")
    try folder.sqlite3("CREATE UNIQUE INDEX mine ON Card (question)")
    let store = try await SQLiteStore.open(at: folder.file(), [Card.Plain.self])
    defer { store.close() }
    let error = #expect(throws: GraphError.self) {
      try store.commit(
        [.insert(Ref(key: 9), Card.Plain(question: "a"), in: store.model)], from: nil)
    }
    #expect(error?.description == "could not save Card/9: another Card has the same question")
  }
}
