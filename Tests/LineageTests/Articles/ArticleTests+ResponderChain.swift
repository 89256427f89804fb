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

  struct Close {}
  struct Rename { var title = "" }

  final class RenamedScreen: Controller {
    var title = ""
    var isLocked = false
    var renames = 0

    func take(_ rename: Rename) -> ActionReply {
      title = rename.title
      return .handled
    }
  }

  @Test("Actions")
  func actions() throws {
    let (application, screen) = (Application(), RenamedScreen())
    try application.append(screen)
    var passed = 0
    application.on(Close.self) { _, _ in passed += 1 }
    application.on(Rename.self) { _, _ in passed += 1 }

    screen.on(Close.self) { _, _ in }  // handled: it goes no further
    screen.on(Rename.self) { screen, rename in screen.title = rename.title }
    #expect(screen.send(Close()).isHandled && screen.send(Rename(title: "one")).isHandled)
    #expect(passed == 0 && screen.title == "one")
    screen.on(Rename.self) { screen, rename in
      guard !rename.title.isEmpty else { return }
      screen.title = rename.title
      screen.renames += 1
    }

    #expect(screen.send(Rename(title: "two")).isHandled && screen.send(Rename()).isHandled)
    #expect(passed == 0 && screen.title == "two" && screen.renames == 1)

    screen.on(Close.self) { _, _ in .declined }  // on to the next one above
    screen.on(Rename.self) { screen, rename in screen.isLocked ? .declined : screen.take(rename) }
    #expect(screen.send(Close()).isHandled && screen.send(Rename(title: "three")).isHandled)
    #expect(passed == 1 && screen.title == "three")
    screen.on(Rename.self) { screen, rename in
      guard !screen.isLocked else { return .declined }
      screen.title = rename.title
      return .handled
    }

    screen.isLocked = true
    #expect(screen.send(Rename(title: "four")).isHandled)
    #expect(passed == 2 && screen.title == "three")
  }

  nonisolated final class CardController: Controller {
    @Inherited var theme: Theme?
    override func didAttach() { branch(ObjectContext.self) }
  }

  @Test("In a module that is on the main actor by default")
  func mainActor() throws {
    var heard: [String] = []
    func show(_ responder: Responder) { heard.append(responder.debugLabel) }
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
    #expect(card.theme == Theme() && card.slotSummaries.count == 1)
  }
}
