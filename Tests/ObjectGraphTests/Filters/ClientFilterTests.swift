import LineageTestSupport
import Testing

@Suite("Filters in a client's program", .hangGuard, .callsCompiler)
struct ClientFilterTests {
  private static let preamble = """
    import Foundation
    import ObjectGraph
    enum Kind: String, Sendable { case plain, cloze }
    struct Card: Entity {
      var question = ""
      var answer: String?
      var rightCount = 0
      var score: Double?
      var due: Date?
      var kind = Kind.plain
      var isKnown = false
      var tags: [String]? = nil
      var list: [String] = []
      var deck: Ref<Deck>?
      var title: String { question.uppercased() }
      static let schema = Schema<Card>("Card") {
        Attribute("question", \\.question)
        Attribute("answer", \\.answer)
        Attribute("rightCount", \\.rightCount)
        Attribute("score", \\.score)
        Attribute("due", \\.due)
        Attribute("kind", \\.kind)
        Attribute("isKnown", \\.isKnown)
        Attribute("tags", json: \\.tags)
        Attribute("list", json: \\.list)
        ToOne("deck", \\.deck)
      }
    }
    struct Deck: Entity {
      var name = ""
      var cards: Many<Card> { Many(\\.deck) }
      static let schema = Schema<Deck>("Deck") {
        Attribute("name", \\.name)
        ToMany("cards", \\.cards)
      }
    }

    """

  @Test("Long filters need few steps of the type checker, and client operators stay what they are")
  func effort() throws {
    let source = """
      func use(deck: Object<Deck>, card: Object<Card>, ref: Ref<Deck>, now: Date) {
        let cards = FetchRequest<Card>(
          where: {
            $0.rightCount < 3 && $0.deck == deck && $0.question.contains("x", .caseInsensitive)
              && $0.due <= now && $0.score != nil && $0.kind == .cloze
              || $0.isKnown == true && $0.deck.name != "y" && !($0.answer == nil)
              || $0.score.isIn(1...2.5) && $0.kind.isIn([.plain, .cloze]) && $0.deck == card.deck
              || $0.rightCount >= 2 * 3 + 1 && $0.deck != ref && $0.deck == nil && $0.tags != nil
              || $0.id != card && $0.id.isIn([card, card]) && $0.question == $0.deck.name
          },
          sort: {
            $0.rightCount.descending
            $0.deck.name
          })
        let decks = FetchRequest<Deck>(where: {
          $0.cards.contains { $0.rightCount > 1 && $0.kind != .plain } || $0.cards.count > 3
            || $0.cards.isEmpty || $0.cards.allSatisfy { $0.isKnown == false && $0.score > -1 }
        })
        let plain = [1, 2].contains { $0 == 1 } && cards == cards && 3 < 4 && ref == deck.id
        _ = (cards, decks, plain, 1 != 2, "a" < "b", !plain)
      }
      """
    // The limit is a number of the solver's scopes. Unlike seconds, it is the same on each machine.
    try ClientCompiler.expectAcceptance(
      of: Self.preamble + source, arguments: ["-Xfrontend", "-solver-scope-threshold=3000"])
  }

  @Test("Ten terms with bare Bools and optional columns need few steps of the type checker")
  func tenTerms() throws {
    let source = """
      func ten() {
        _ = Filter<Card> {
          $0.isKnown && $0.rightCount < 3 && !$0.isKnown || $0.isKnown && $0.question == "x"
            || !($0.isKnown || $0.score != nil) && $0.isKnown && $0.rightCount >= 2 * 3 + 1
            && $0.kind == .cloze || $0.answer == $0.question || !$0.isKnown && $0.deck.name != "y"
        }
        _ = Filter<Card> {
          $0.isKnown && $0.isKnown && $0.isKnown && $0.isKnown && $0.isKnown || $0.isKnown
            || $0.isKnown || $0.isKnown || $0.isKnown || !$0.isKnown
        }
        _ = Filter<Card> {
          $0.rightCount == 1 || $0.rightCount == 2 || $0.rightCount == 3 || $0.rightCount == 4
            || $0.question == "a" || $0.question == "b" || $0.answer == "c" || $0.answer != nil
            || $0.rightCount < 3 || $0.kind == .plain
        }
      }
      """
    try ClientCompiler.expectAcceptance(
      of: Self.preamble + source, arguments: ["-Xfrontend", "-solver-scope-threshold=3000"])
  }

  @Test("Each form of a read compiles, and none of its closures needs a self")
  func forms() throws {
    let source = """
      final class Screen {
        let context: ObjectContext
        var bound = 3
        var isHard = true
        var stored: Filter<Card>? = nil
        init(_ context: ObjectContext) { self.context = context }

        // Each without `self.`, since no closure escapes.
        func all() throws {
          _ = try context.fetch(Card.self)
          _ = try context.fetch(Card.self, limit: 1)
          _ = try context.fetch(Card.self, limit: 1, offset: 2)
          _ = try context.fetch(Card.self, where: { $0.rightCount < bound })
          _ = try context.fetch(Card.self, where: { $0.rightCount < bound }, limit: 2)
          _ = try context.fetch(Card.self, where: { $0.isKnown })
          _ = try context.fetch(Card.self, where: { !$0.isKnown })
          _ = try context.fetch(Card.self, where: { $0.isKnown && $0.rightCount < bound })
          _ = try context.fetch(Card.self, where: { $0.rightCount < bound && $0.isKnown })
          _ = try context.fetch(Card.self, where: { $0.isKnown || !$0.isKnown && $0.isKnown })
          _ = try context.fetch(Card.self, where: { _ in .all() })
          _ = try context.fetch(Card.self, where: { isHard ? $0.isKnown == true : .all(false) })
          _ = try context.fetch(Card.self, where: { $0.rightCount < bound }, sort: { $0.question })
          _ = try context.fetch(
            Card.self, where: { $0.isKnown },
            sort: {
              $0.rightCount.descending
              if isHard { $0.question }
            }, limit: bound)
          _ = try context.fetch(Card.self, sort: { $0.question })
          _ = try context.fetch(Card.self, sort: { $0.isKnown }, limit: bound, offset: 1)
          _ = try context.fetch(Card.self) { $0.rightCount < bound }
          _ = try context.fetch(Card.self) { $0.isKnown }
          _ = try context.fetch(Card.self) { $0.rightCount < bound } sort: { $0.question }
          _ = try context.fetch(Card.self) { $0.isKnown } sort: { $0.isKnown.descending }
          _ = try context.fetch(Card.self) { card in
            let few = card.rightCount < bound
            return few && card.isKnown
          }
          _ = try context.fetch(Card.self, where: { _ in stored ?? .all() })
          _ = try context.fetch(Card.self, where: { _ in .all() }, sort: { _ in Ordering() })
          _ = try context.fetch(Card.self, where: { _ in stored ?? .all() }, sort: { $0.question }, limit: bound)
          _ = try context.fetch(Card.self, where: { _ in Filter { $0.isKnown } })
          _ = try context.fetch(FetchRequest<Card>(where: { $0.isKnown }, sort: { $0.question }))
          _ = try context.fetch(FetchRequest<Card>())
          _ = try context.fetch(FetchRequest<Card>(filter: stored))
          _ = try context.fetch(FetchRequest<Card>(sort: { $0.question }, prefetch: { $0.deck }))
          _ = try context.fetch(FetchRequest<Deck> { $0.cards.contains { $0.isKnown } })

          _ = try context.values(Card.self)
          _ = try context.values(Card.self, where: { $0.rightCount < bound })
          _ = try context.values(Card.self, where: { $0.isKnown }, sort: { $0.question }, limit: bound)
          _ = try context.values(Card.self, sort: { $0.question })
          _ = try context.values(Card.self) { $0.isKnown }
          _ = try context.values(Card.self, where: { _ in stored ?? .all() })
          _ = try context.values(Card.self, where: { _ in stored ?? .all() }, sort: { $0.question })

          _ = try context.count(Card.self)
          _ = try context.count(Card.self, where: { $0.rightCount < bound })
          _ = try context.count(Card.self) { $0.isKnown }
          _ = try context.count(Card.self, where: { _ in stored ?? .all() })
          _ = try context.count(FetchRequest<Card>())
          _ = try context.exists(Card.self)
          _ = try context.exists(Card.self, where: { $0.rightCount < bound })
          _ = try context.exists(Card.self) { !$0.isKnown }
          _ = try context.exists(Card.self, where: { _ in stored ?? .all() })

          let sum: Int = try context.sum(Card.self, of: { $0.rightCount })
          _ = try context.sum(Card.self, of: { $0.rightCount }, where: { $0.rightCount < bound })
          _ = try context.sum(Card.self, of: { $0.rightCount }, where: { _ in stored ?? .all() })
          _ = try context.sum(Card.self) { $0.rightCount }
          _ = try context.sum(Card.self) { $0.rightCount } where: { $0.isKnown }
          _ = try context.sum(Card.self, of: { $0.score }, where: { $0.isKnown })
          _ = try context.sum(Card.self, of: { $0.score })
          _ = try context.minimum(Card.self, of: { $0.question })
          _ = try context.minimum(Card.self, of: { $0.question }, where: { $0.rightCount < bound })
          _ = try context.minimum(Card.self, of: { $0.due }, where: { $0.isKnown })
          _ = try context.minimum(Card.self, of: { $0.due }, where: { _ in stored ?? .all() })
          _ = try context.maximum(Card.self, of: { $0.rightCount }, where: { $0.rightCount < bound })
          _ = try context.maximum(Card.self, of: { $0.due }, where: { $0.isKnown })
          _ = try context.maximum(Card.self, of: { $0.due })
          _ = try context.average(Card.self, of: { $0.rightCount }, where: { $0.rightCount < bound })
          _ = try context.average(Card.self, of: { $0.score }, where: { $0.isKnown })
          _ = try context.average(Card.self, of: { $0.score }, where: { _ in stored ?? .all() })
          _ = sum
        }

        // A stored closure, and one that is handed on.
        func kept(_ filter: (Columns<Card>) -> Filter<Card>) throws {
          let known: (Columns<Card>) -> Filter<Card> = { $0.isKnown == true }
          _ = try context.fetch(Card.self, where: known)
          _ = try context.fetch(Card.self, where: filter)
          _ = try context.count(Card.self, where: filter)
          _ = Filter(filter)
          _ = Filter<Card> { $0.isKnown } && Filter<Card>.all()
        }

        func optionals() {
          _ = Filter<Card> { $0.answer == $0.question && $0.question != $0.answer }
          _ = Filter<Card> { $0.answer == $0.deck.name || $0.answer == nil || $0.answer == "x" }
        }
      }
      """
    try ClientCompiler.expectAcceptance(of: Self.preamble + source)
  }

  static let programs: [ClientCompiler.Twins] = [
    pair(
      "a number compared with a text", "$0.rightCount < 3", "$0.rightCount < \"3\"", "'String'"),
    pair("a computed property", "$0.question == \"X\"", "$0.title == \"X\"", "'title'"),
    pair("an order of enums", "$0.kind == .plain", "$0.kind < .cloze", "requires that 'Kind'"),
    pair("JSON compared with a value", "$0.tags == nil", "$0.tags == [\"x\"]", "JSONColumn"),
    pair(
      "JSON that is always there", "$0.tags != nil", "$0.list != nil",
      "conform to 'AttributeValue'"),
    pair(
      "what is in JSON", "$0.question.contains(\"x\")", "$0.tags.contains(\"x\")",
      "can only be compared with nil"),
    pair(
      "what is in JSON that is always there", "$0.question.contains(\"x\")",
      "$0.list.contains(\"x\")", "conform to 'AttributeValue'"),
    pair(
      "columns of different types, one optional", "$0.answer == $0.question",
      "$0.answer == $0.rightCount", "AttributeColumn<Card, Int>"),
    pair(
      "a method of the attribute's type", "$0.question.contains(\"x\")",
      "$0.question.count > 3", "'count'"),
    pair(
      "a reference of another entity", "$0.deck == Ref<Deck>?.none", "$0.deck == Ref<Card>?.none",
      "Ref<Card>"),
    pair(
      "columns of different types", "$0.question == $0.deck.name",
      "$0.question == $0.rightCount", "AttributeColumn<Card, Int>"),
    pair("a plain Bool", "$0.isKnown == true", "Bool.random() && $0.isKnown == true", "'Bool'"),
    sorted("an order of texts for a number", "$0.question.folded", "$0.rightCount.folded"),
    sorted("an order of texts for a date", "$0.answer.natural", "$0.due.natural"),
    sorted("an order of texts for an enum", "$0.deck.name.natural", "$0.kind.natural"),
    sorted("an order of texts for JSON", "$0.answer.folded.descending", "$0.tags.folded"),
    sorted("an order of texts for an id", "$0.id.descending", "$0.id.folded"),
  ]

  private static func sorted(
    _ name: String, _ good: String, _ bad: String
  ) -> ClientCompiler.Twins {
    ClientCompiler.Twins(
      name: name, good: "let order = Ordering<Card> { \(good) }",
      bad: "let order = Ordering<Card> { \(bad) }",
      message: bad.hasSuffix("natural") ? "natural" : "folded")
  }

  private static func pair(
    _ name: String, _ good: String, _ bad: String, _ message: String
  ) -> ClientCompiler.Twins {
    ClientCompiler.Twins(
      name: name, good: "let filter = Filter<Card> { \(good) }",
      bad: "let filter = Filter<Card> { \(bad) }", message: message)
  }

  @Test("What cannot be translated cannot be written", arguments: programs)
  func twins(_ program: ClientCompiler.Twins) throws {
    try program.check(after: Self.preamble)
  }

  @Test("A wrong name in a to-many closure is the only error") func wrongName() throws {
    for call in ["contains", "allSatisfy"] {
      try ClientCompiler.expectRefusal(
        of: Self.preamble + "let filter = Filter<Deck> { $0.cards.\(call) { $0.nothing == 1 } }",
        errors: ["value of type 'Columns<Card>' has no dynamic member 'nothing'"],
        unwanted: "'Many<Card>'")
    }
  }
}
