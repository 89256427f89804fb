import LineageTestSupport
import Testing

@Suite("Schemas in a client's program", .hangGuard, .callsCompiler)
struct ClientSchemaTests {
  private static func twins(
    _ name: String, _ members: String, good: String, bad: String, _ message: String
  ) -> ClientCompiler.Twins {
    func program(_ part: String) -> String {
      """
      import ObjectGraph
      struct Card: Entity {
        var question = ""
        var deck: Ref<Deck>?
        static let schema = Schema<Card>("Card") {
          Attribute("question", \\.question)
          ToOne("deck", \\.deck)
        }
      }
      struct Deck: Entity {
        \(members)
        static let schema = Schema<Deck>("Deck") { \(part) }
      }
      """
    }
    return ClientCompiler.Twins(
      name: name, good: program(good), bad: program(bad), message: message)
  }

  static let programs = [
    twins(
      "a list as an attribute", "var tags: [String] = []",
      good: "Attribute(\"tags\", json: \\.tags)", bad: "Attribute(\"tags\", \\.tags)",
      "a list is kept as JSON, Attribute(\"tags\", json: \\.tags), or is an entity of its own"),
    twins(
      "an array as a to-many property",
      "var cards: Many<Card> { Many(\\.deck) }; var list: [Card] { [] }",
      good: "ToMany(\"cards\", \\.cards)", bad: "ToMany(\"cards\", \\.list)",
      "a to-many property is computed from the to-one property of the other side"),
    twins(
      "an array of references as a to-many property",
      "var cards: Many<Card> { Many(\\.deck) }; var list: [Ref<Card>] { [] }",
      good: "ToMany(\"cards\", \\.cards)", bad: "ToMany(\"cards\", \\.list)",
      "var cards: Many<Card> { Many(\\.deck) }"),
    twins(
      "a rule with the name of a property", "var name = \"\"",
      good: #"Attribute("name", \.name); Unique(\.name)"#,
      bad: #"Attribute("name", \.name); Unique("name")"#,
      "cannot convert value of type 'String' to expected argument type 'PartialKeyPath<Deck>'"),
    twins(
      "a rule with a property of another entity", "var name = \"\"",
      good: #"Attribute("name", \.name); Unique(\.name)"#,
      bad: #"Attribute("name", \.name); Unique(\Card.question)"#,
      "cannot convert value of type 'Unique<Card>' to expected argument type 'Unique<Deck>'"),
    twins(
      "an index of another entity", "var name = \"\"",
      good: #"Attribute("name", \.name); Index(\Deck.name)"#,
      bad: #"Attribute("name", \.name); Index(\Card.question)"#,
      "cannot convert value of type 'Index<Card>' to expected argument type 'Index<Deck>'"),
  ]

  @Test("What to write instead is said in one line", arguments: programs)
  func messages(_ program: ClientCompiler.Twins) throws { try program.check(after: "") }
}
