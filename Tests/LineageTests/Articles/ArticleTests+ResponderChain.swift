import Lineage
import Testing

extension ArticleTests {
  final class ListController: Controller {}

  struct Theme: Context, Equatable, Sendable { var ink = "black" }

  nonisolated static func openStore() async throws -> sending ObjectContext {
    try MemoryStore([Card.self, Deck.self]).makeContext()
  }

  @Test("ResponderChain")
  func responderChain() async throws {
    let openStore = Self.openStore

    let application = Application()
    let list = ListController()
    try application.append(list)

    application.load(ObjectContext.self) { try await openStore() }  // arrives when it is ready
    list.branch(ObjectContext.self)  // works in a child of it
    let objects = try await list.context(whenReady: ObjectContext.self)

    #expect(objects.parent === application.context(ObjectContext.self))
  }

  nonisolated final class CardController: Controller {
    @Inherited var theme: Theme?
    override func didAttach() { branch(ObjectContext.self) }
  }

  @Test("In a module that is on the main actor by default")
  func mainActor() throws {
    var heard: [String] = []
    func show(_ responder: Responder) { heard.append(responder.label) }
    func repaint(_ theme: Theme?) { heard.append(theme?.ink ?? "no ink") }

    let controller = Controller()
    controller.onAttach = { controller in show(controller) }
    controller.onChange(of: Theme.self) { me, theme in repaint(theme.value) }

    let application = Application()
    application.provide(Theme())
    try application.append(controller)
    #expect(
      heard == ["no ink", "Controller", "black"] || heard == ["no ink", "black", "Controller"])
    let card = CardController()
    try application.append(card)
    #expect(card.theme == Theme() && card.slots.count == 1)
  }
}
