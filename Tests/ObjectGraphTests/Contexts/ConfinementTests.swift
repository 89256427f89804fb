import LineageTestSupport
import Testing

@Suite("What must not compile does not: contexts", .hangGuard, .callsCompiler)
struct ConfinementTests {
  private static let preamble = """
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
      var name = ""
      static let schema = Schema<Deck>("Deck") { Attribute("name", \\.name) }
    }

    """

  static let programs = [
    ClientCompiler.Twins(
      name: "an object returned from an actor; its value is",
      good: """
        actor Desk {
          let card = Object(Card())
          func value() -> Card { card.value }
        }
        func use(_ desk: Desk) async { _ = await desk.value() }
        """,
      bad: """
        actor Desk {
          let card = Object(Card())
          func leak() -> Object<Card> { card }
        }
        func use(_ desk: Desk) async { _ = await desk.leak() }
        """,
      message: "Object<Card>"),
    ClientCompiler.Twins(
      name: "a context captured by a detached task; a task of the same actor may",
      good: """
        @MainActor final class Desk {
          var context: ObjectContext?
          func work() { Task { try context?.save() } }
        }
        """,
      bad: """
        @MainActor final class Desk {
          var context: ObjectContext?
          func work(_ context: ObjectContext) { Task.detached { try context.save() }; self.context = context }
        }
        """,
      message: "data race"),
    ClientCompiler.Twins(
      name: "a context used after it was sent",
      good: """
        actor Desk { func take(_ context: sending ObjectContext) {} }
        func use(_ desk: Desk, _ store: MemoryStore) async {
          let context = store.makeContext()
          await desk.take(context)
        }
        """,
      bad: """
        actor Desk { func take(_ context: sending ObjectContext) {} }
        func use(_ desk: Desk, _ store: MemoryStore) async throws {
          let context = store.makeContext()
          await desk.take(context)
          try context.save()
        }
        """,
      message: "sending 'context' risks causing data races"),
    ClientCompiler.Twins(
      name: "an object linked to one of another entity",
      good: "func use(_ card: Object<Card>, _ deck: Object<Deck>) { card.deck = deck }",
      bad: "func use(_ card: Object<Card>) { card.deck = card }",
      message: "Object<Card>"),
    ClientCompiler.Twins(
      name: "an entity that is not Sendable",
      good:
        "struct Fine: Entity { var a = 0; static let schema = Schema<Fine>(\"F\") { Attribute(\"a\", \\.a) } }",
      bad: """
        final class Box {}
        struct Bad: Entity { var a = 0; var box = Box(); static let schema = Schema<Bad>("B") { Attribute("a", \\.a) } }
        """,
      message: "Sendable"),
  ]

  @Test("The good twin compiles and the bad one is refused", arguments: programs)
  func twins(_ program: ClientCompiler.Twins) throws {
    try program.check(after: Self.preamble)
  }
}
