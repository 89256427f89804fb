import Foundation
import Lineage
import LineageTestSupport
import Testing

/// The samples of the articles, copied exactly except for their indentation. `ArticleSampleTests`
/// checks the copies. Each sample runs, and the lines after it check what its article says.
///
/// Each module has files of its own for its articles.
@Suite("The articles", .hangGuard)
@MainActor
struct ArticleTests {
  struct Card: Entity {
    var question = ""
    var rightCount = 0
    var due: Date?
    var kind = Kind.plain
    var deck: Ref<Deck>?

    enum Kind: String { case plain, cloze }

    var problems: [Problem] {
      question.isEmpty ? [Problem("question", "must not be empty")] : []
    }

    static let schema = Schema<Card>("Card") {
      Attribute("question", \.question)
      Attribute("rightCount", \.rightCount, indexed: true)
      Attribute("due", \.due)
      Attribute("kind", \.kind)
      ToOne("deck", \.deck)
    }
  }

  struct Deck: Entity {
    var name = ""
    var cards: Many<Card> { Many(\.deck) }
    static let schema = Schema<Deck>("Deck") {
      Attribute("name", \.name, unique: true)
      ToMany("cards", \.cards, onDelete: .cascade)
    }
  }

  let folder: Drawer
  var url: URL { folder.file("cards.sqlite") }

  init() throws { folder = try Drawer() }

  /// Makes a store and a context with one saved card in a deck.
  func filled() throws -> (MemoryStore, ObjectContext, Object<Card>) {
    let store = try MemoryStore([Card.self, Deck.self])
    let context = store.makeContext()
    let card = try context.insert(Card(question: "2 + 2?"))
    card.deck = Object(Deck(name: "Sums"))
    try context.save()
    return (store, context, card)
  }
}
