import Foundation
import Lineage
import Synchronization
import Testing

extension ArticleTests {
  @Test("SQLiteStore, and its tables")
  func file() async throws {
    let url = url

    let store = try await SQLiteStore.open(at: url, [Card.self, Deck.self])
    let context = store.makeContext()

    let card = try context.insert(Card(question: "2 + 2?"))
    card.due = Date(timeIntervalSince1970: 1_795_262_400)
    try context.save()
    let damages = try await store.check()
    #expect(damages == [])
    store.close()
    let found = Mutex<[String]>([])
    let look = Migration(to: 2, "look") { file in
      let rows = try file.rows(
        "SELECT sql FROM sqlite_schema WHERE tbl_name = 'Card' AND sql IS NOT NULL"
          + " UNION ALL SELECT datetime(due + 978307200, 'unixepoch') FROM Card")
      found.withLock { $0 = rows.map { if case .text(let sql) = $0[0] { sql } else { "" } } }
    }
    _ = try await SQLiteStore.open(at: url, [Card.self, Deck.self], migrations: [look])
    let sql = found.withLock { $0 }
    #expect(sql.last == "2026-11-21 12:00:00")
    let article = try ArticleSampleTests.lines(
      of: "SQLiteStorage/SQLiteStorage.docc/TheFile.md", "sql")
    #expect(article == ArticleSampleTests.lines(sql.dropLast().joined(separator: ";\n") + ";"))
  }

  @Test("Opening")
  func opening() async throws {
    var said: [String] = []
    func welcome(_ store: SQLiteStore) { said.append("welcome") }
    func show(_ store: SQLiteStore) { said.append("show") }
    func tell(_ message: String) { said.append(message) }
    func offerBackup(_ message: String) { said.append("damaged") }
    let url = url
    for _ in 0..<2 {
      switch await SQLiteStore.opening(at: url, [Card.self, Deck.self]) {
      case .created(let store): welcome(store)
      case .ready(let store), .migrated(let store, _), .readOnly(let store): show(store)
      case .newer: tell("Please update this program.")
      case .damaged(let message): offerBackup(message)
      case let refusal: tell("\(refusal)")
      }
    }
    #expect(said == ["welcome", "show"])
  }

  enum Former {
    struct Card: Entity {
      var question = ""
      var rightCount = 0
      var kind = ArticleTests.Card.Kind.plain
      var deck: Ref<Deck>?
      var hint: Ref<Hint>?
      static let schema = Schema<Card>("Card") {
        Attribute("question", \.question)
        Attribute("rightCount", \.rightCount, indexed: true)
        Attribute("kind", \.kind)
        ToOne("deck", \.deck)
        ToOne("hint", \.hint)
      }
    }

    struct Deck: Entity {
      var name = ""
      static let schema = Schema<Deck>("Deck") { Attribute("name", \.name, unique: true) }
    }

    struct Hint: Entity {
      var text = ""
      static let schema = Schema<Hint>("Hint") { Attribute("text", \.text) }
    }
  }

  @Test("Migrations")
  func migrating() async throws {
    @Sendable func firstDue(after count: Int64) -> Date {
      Date(timeIntervalSinceReferenceDate: Double(count) * 86_400)
    }
    let url = url
    let former = try await SQLiteStore.open(
      at: url, [Former.Card.self, Former.Deck.self, Former.Hint.self])
    let context = former.makeContext()
    try context.insert(Former.Card(question: "2 + 2?", rightCount: 3))
    try context.save()
    former.close()
    guard case .changed(let changes) = await SQLiteStore.opening(at: url, [Card.self, Deck.self])
    else {
      Issue.record("not refused")
      return
    }
    #expect(changes.count == 2)

    let migrations = [
      Migration(to: 2, "when each card is due") { file in
        try file.execute("ALTER TABLE Card ADD COLUMN due REAL")
        for row in try file.rows("SELECT id, rightCount FROM Card") {
          guard case .integer(let count) = row[1] else { continue }
          let due = firstDue(after: count).timeIntervalSinceReferenceDate
          try file.execute("UPDATE Card SET due = ?1 WHERE id = ?2", [.real(due), row[0]])
        }
      },
      Migration(to: 3, "forget hints") { file in
        try file.removeProperty("hint", of: "Card")
        try file.removeEntity("Hint")
      },
    ]
    let store = try await SQLiteStore.open(at: url, [Card.self, Deck.self], migrations: migrations)

    let card = try #require(try store.makeContext().values(Card.self).first)
    #expect(card.rightCount == 3 && card.due == firstDue(after: 3))
  }
}
