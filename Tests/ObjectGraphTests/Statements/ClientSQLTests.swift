import LineageTestSupport
import Testing

@Suite("Statements in SQL in a client's program", .hangGuard, .callsCompiler)
struct ClientSQLTests {
  private static let preamble = """
    import Foundation
    import ObjectGraph
    enum Kind: String, Sendable { case plain, cloze }
    struct Card: Entity {
      var question = ""
      var rightCount = 0
      var score: Double?
      var due: Date?
      var kind = Kind.plain
      var other: Kind?
      var deck: Ref<Deck>?
      static let schema = Schema<Card>("Card") {
        Attribute("question", \\.question)
        Attribute("rightCount", \\.rightCount)
        Attribute("score", \\.score)
        Attribute("due", \\.due)
        Attribute("kind", \\.kind)
        Attribute("other", \\.other)
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
    struct Total: Decodable { var deck: String, cards: Int }

    """

  @Test(
    "Each form of a read compiles without a warning, and ten interpolations in one statement do")
  func forms() throws {
    let source = """
      func use(
        context: ObjectContext, card: Object<Card>, cards: [Object<Card>], refs: [Ref<Card>],
        now: Date, kind: Kind, kinds: [Kind], text: String, texts: [String], isNew: Bool
      ) throws {
        for (question, count) in try context.rows(
          "select question, rightCount from Card where due < \\(now)", String.self, Int.self)
        { print(question.count + count) }
        let names = try context.rows("select name from Deck", String.self)
        let same: Bool = names == texts
        let dates: [Date?] = try context.rows("select due from Card", Date?.self)
        let totals = try context.rows(
          \"\"\"
          select d.name as deck, count(*) as cards from \\(Card.self) c
            join \\(Deck.self) d on d.id = c.\\(\\Card.deck) group by d.id
          \"\"\", as: Total.self)
        let some: [Object<Card>] = try context.objects(
          Card.self, "select id from Card where deck = \\(card.deck) order by random() limit 10")
        let order: SQL = isNew ? "id desc" : "id"
        let ten = try context.rows(
          \"\"\"
          select question, rightCount from \\(Card.self) where \\(\\Card.question) = \\(text)
            and \\(\\Card.rightCount) < \\(3) and id in \\(refs) and id in \\(cards)
            and kind = \\(kind) and deck is \\(card.deck?.id) and due < \\(now)
            and kind in \\(kinds) and other is \\(card.other) and score is \\(card.score)
            and question in \\(texts) and \\(1.5) < \\("literal") and id <> \\(card)
            order by \\(order)
          \"\"\", String.self, Int.self)
        _ = (same, dates, totals, some, ten)
      }
      """
    try ClientCompiler.expectAcceptance(
      of: Self.preamble + source,
      arguments: [
        "-warnings-as-errors", "-Xfrontend", "-solver-scope-threshold=1000", "-Xfrontend",
        "-warn-long-expression-type-checking=300",
      ])
  }

  private static func pair(
    _ name: String, _ good: String, _ bad: String, _ message: String
  ) -> ClientCompiler.Twins {
    func program(_ line: String) -> String {
      "func use(context: ObjectContext, text: String, part: StaticString, sql: SQL) throws {\n"
        + "  _ = \(line)\n}"
    }
    return ClientCompiler.Twins(
      name: name, good: program(good), bad: program(bad), message: message)
  }

  private static let programs = [
    pair(
      "a text variable as a statement", "try context.rows(sql, Int.self)",
      "try context.rows(text, Int.self)", "'String' to expected argument type 'SQL'"),
    pair(
      "a text variable by an initializer", "SQL(stringLiteral: part)",
      "SQL(stringLiteral: text)", "'StaticString'"),
    pair(
      "an interpolated String as a statement", "try context.rows(\"\\(1)\", Int.self)",
      "try context.rows(\"\\(1)\" as String, Int.self)", "'String' to expected argument type 'SQL'"),
    pair(
      "a sum of texts", "\"\\(\"select 1\" as SQL) \\(sql)\" as SQL", "(\"select \" + text) as SQL",
      "'String'"),
    pair(
      "a nil", "\"select \\(Int?.none)\" as SQL", "\"select \\(nil)\" as SQL",
      "write null in the text of the statement"),
    pair(
      "a value that no column keeps", "\"select \\(1)\" as SQL", "\"select \\((1, 2))\" as SQL",
      "error:"),
    pair(
      "a statement without types", "try context.rows(\"select 1\", Int.self)",
      "try context.rows(\"select 1\")", "no exact matches in call to instance method 'rows'"),
    pair(
      "a type that is no column's", "try context.rows(\"select 1\", Int.self)",
      "try context.rows(\"select 1\", [Int].self)", "error:"),
    pair(
      "a property that the entity lacks", "\"select \\(\\Card.due)\" as SQL",
      "\"select \\(\\Card.nothing)\" as SQL", "has no member 'nothing'"),
  ]

  @Test(
    "What could become text of a statement, or has no meaning in it, is refused",
    arguments: programs)
  func twins(_ program: ClientCompiler.Twins) throws {
    try program.check(after: Self.preamble)
  }
}
