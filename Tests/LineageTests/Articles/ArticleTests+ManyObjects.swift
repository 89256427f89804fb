import Foundation
import Lineage
import Testing

extension ArticleTests {
  @Test("Changing many objects")
  func manyObjects() async throws {
    struct FeedCard: Entity {
      var code = ""
      var question = ""

      static let schema = Schema<FeedCard>("FeedCard") {
        Attribute("code", \.code, unique: true)
        Attribute("question", \.question)
      }
    }
    let store = try MemoryStore([FeedCard.self])
    let context = store.makeContext()
    let feed = ["a", "b", "a"].map { FeedCard(code: $0, question: "\($0)?") }

    let cards = try context.upsert(feed, by: \.code) { existing, new in
      existing.question = new.question
    }
    try context.save()

    #expect(cards.map(\.question) == ["a?", "b?", "a?"])
    do {
      let card = try context.upsert(FeedCard(code: "a"), by: \.code) { _, _ in }
      #expect(card === cards[0] && card.question == "a?")
    }
  }

  @Test("Deleting and updating many objects")
  func changingMany() async throws {
    let store = try MemoryStore([Card.self, Deck.self])
    let context = store.makeContext()
    for count in 0..<12 {
      let card = try context.insert(Card(question: "?", rightCount: count))
      card.deck = try context.fetch(Deck.self).first ?? context.insert(Deck(name: "Sums"))
    }
    try context.save()

    try context.delete(context.fetch(Card.self, where: { $0.rightCount > 9 }))
    try context.save()

    try await store.background { context, _ in
      for card in try context.fetch(Card.self, where: { $0.deck.name == "Sums" }) {
        card.rightCount = 0
        card.due = nil
      }
    }

    try context.merge()
    let found = try context.fetch(Card.self)
    #expect(found.count == 10 && found.allSatisfy { $0.rightCount == 0 })
    context.group {
      for card in found { card.rightCount = 0 }
    }
    #expect(!context.hasUnsavedChanges)
  }

  @Test("Pairs that are unique, and dates that are set at each save")
  func rulesAndDates() throws {
    struct Lesson: Entity {
      var deck: Ref<Deck>?
      var title = ""
      var due = Date.distantPast

      static let schema = Schema<Lesson>("Lesson") {
        ToOne("deck", \.deck)
        Attribute("title", \.title)
        Attribute("due", \.due)
        Unique(\.deck, \.title)
        Index(\.deck, \.due)
      }
    }
    let lessons = try MemoryStore([Lesson.self, Deck.self, Card.self]).makeContext()
    let deck = try lessons.insert(Deck(name: "Sums"))
    for _ in 0..<2 { try lessons.insert(Lesson(deck: deck.id, title: "One")) }
    let error = #expect(throws: GraphError.self) { try lessons.save() }
    #expect("\(error!)".contains("another Lesson has the same deck, title as Lesson/"))
    lessons.discard()

    struct Entry: WillSave {
      var text = ""
      var created = Date.distantPast
      var modified = Date.distantPast

      mutating func willSave(_ save: SaveMoment<Entry>) {
        if save.isNew { created = save.date }
        if save.changes(\.text) { modified = save.date }
      }

      static let schema = Schema<Entry>("Entry") {
        Attribute("text", \.text)
        Attribute("created", \.created)
        Attribute("modified", \.modified)
      }
    }
    let context = try MemoryStore([Entry.self]).makeContext()
    let noon = Date(timeIntervalSinceReferenceDate: 12 * 3_600)
    let old = try context.insert(Entry(text: "old"))
    try context.save(hooks: .off)
    let store = try MemoryStore([Entry.self], now: { noon })  // or StoreOptions(now: { noon })
    let other = store.makeContext()
    let entry = try other.insert(Entry(text: "new"))
    try other.save()
    #expect(entry.created == noon && old.created == .distantPast)
  }
}
