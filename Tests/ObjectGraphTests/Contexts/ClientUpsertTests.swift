import LineageTestSupport
import Testing

@Suite("Upserts in a client's program", .hangGuard, .callsCompiler)
struct ClientUpsertTests {
  private static let preamble = """
    import ObjectGraph
    struct Card: Entity {
      var code = ""
      var question = ""
      var count = 0
      static let schema = Schema<Card>("Card") {
        Attribute("code", \\.code, unique: true)
        Attribute("question", \\.question)
        Attribute("count", \\.count)
      }
    }
    struct Deck: Entity {
      var name = ""
      static let schema = Schema<Deck>("Deck") { Attribute("name", \\.name, unique: true) }
    }

    """

  private static func twins(_ name: String, _ bad: String, _ message: String)
    -> ClientCompiler.Twins
  {
    func program(_ call: String) -> String {
      "func use(_ context: ObjectContext, _ card: Object<Card>) throws { \(call) }"
    }
    let good = """
      try context.upsert(Card(), by: \\.code) { $0.question = $1.question }
      try context.upsert([Card()], by: \\.code) { $0.question = $1.question }
      """
    return ClientCompiler.Twins(
      name: name, good: program(good), bad: program(bad), message: message)
  }

  static let programs = [
    twins(
      "the name of a property", #"try context.upsert(Card(), by: "code") { _, _ in }"#,
      "cannot convert value of type 'String' to expected argument type 'PartialKeyPath<Card>'"),
    twins(
      "a misspelt key", #"try context.upsert(Card(), by: \.nothing) { $0.count = $1.count }"#,
      "value of type 'Card' has no member 'nothing'"),
    twins(
      "a misspelt key of many", #"try context.upsert([Card()], by: \.nothing) { _, _ in }"#,
      "value of type 'Card' has no member 'nothing'"),
    twins(
      "a key of another entity", #"try context.upsert(Card(), by: \Deck.name) { _, _ in }"#,
      "cannot convert value of type 'Card' to expected argument type 'Deck'"),
    twins(
      "an object instead of a value", #"try context.upsert(card, by: \.code) { _, _ in }"#,
      "requires that 'Object<Card>' conform to 'Entity'"),
    twins(
      "a change of the new value", #"try context.upsert(Card(), by: \.code) { $1.count = 1 }"#,
      "'$1' is immutable"),
    twins(
      "a value of another type",
      #"try context.upsert(Card(), by: \.code) { $0.question = $1.count }"#,
      "cannot assign value of type 'Int' to type 'String'"),
    twins(
      "no key", #"try context.upsert(Card()) { $0.count = $1.count }"#,
      "missing argument for parameter 'by' in call"),
    twins(
      "no closure", #"try context.upsert(Card(), by: \.code)"#,
      "missing argument for parameter 'update' in call"),
  ]

  @Test("A wrong use is refused, with an error that names it", arguments: programs)
  func messages(_ program: ClientCompiler.Twins) throws { try program.check(after: Self.preamble) }
}
