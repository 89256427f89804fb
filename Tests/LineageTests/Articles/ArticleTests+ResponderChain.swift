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

  final class Label: ViewResponder {
    @Inherited var theme: Theme?
  }

  struct NoonClock: Clock { let minute = 720 }

  protocol Clock { var minute: Int { get } }
  struct NightClock: Clock { let minute = 0 }

  enum ClockKey: ContextKey {
    typealias Value = any Clock
    static var fallback: (any Clock)? { NightClock() }
  }

  final class Basket: BranchingContext {
    let parent: Basket?
    var items: [String]
    private var saved: [String]

    init(_ items: [String] = [], parent: Basket? = nil) {
      self.items = items
      self.parent = parent
      saved = items
    }

    var hasUnsavedChanges: Bool { items != saved }
    func makeChild() -> Basket { Basket(items, parent: self) }
    func discard() { items = saved }

    func save() {
      parent?.items = items
      saved = items
    }
  }

  @Test("Your own contexts")
  func ownContexts() throws {
    let (application, sidebar, label) = (Application(), Controller(), Label())
    try application.append(sidebar)
    try sidebar.setRootView(label)

    application.provide(Theme())
    sidebar.provide(Theme(ink: "green"))  // for the sidebar and all below it
    let ink = label.theme?.ink  // "green", because the label is in the sidebar
    #expect(ink == "green" && application.context(Theme.self)?.ink == "black")

    let clock = try label.require(ClockKey.self)  // the fallback
    application.provide(NoonClock(), for: ClockKey.self)
    let noon = try label.require(ClockKey.self)  // the provided one
    #expect(clock.minute == 0 && noon.minute == 720)

    let (shop, order) = (Controller(), Controller())
    try shop.append(order)

    shop.provide(Basket(["tea"]))
    order.branch(Basket.self)  // order is below the shop
    let basket = try order.require(Basket.self)  // a child of the shop's basket
    basket.items.append("milk")
    #expect(shop.context(Basket.self)?.items == ["tea"])
    #expect(throws: UnsavedChanges.self) { try order.withdraw(Basket.self) }
    try order.withdrawBranches(unsaved: .save)  // or .discard

    #expect(shop.context(Basket.self)?.items == ["tea", "milk"])
    #expect(order.context(Basket.self) === basket.parent)
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
