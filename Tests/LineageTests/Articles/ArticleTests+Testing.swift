import Lineage
import Testing

extension ArticleTests {
  @Test("Testing with a store in memory")
  func testingInMemory() throws {
    let store = try MemoryStore([Card.self, Deck.self])
    let context = store.makeContext()
    try context.insert(Card(question: "2 + 2?"))
    try context.save()

    let application = Application()
    application.provide(context)
    let screen = ListScreen()
    try application.append(screen)
    #expect(screen.list?.map(\.question) == ["2 + 2?"])

    let preview = Controller()
    try application.append(preview)

    application.provide(Theme(ink: "black"))
    preview.provide(Theme(ink: "green"))
    #expect(preview.context(Theme.self)?.ink == "green")
    #expect(screen.context(Theme.self)?.ink == "black")

    preview.block(Theme.self)
    #expect(preview.context(Theme.self) == nil)
    try preview.withdraw(Theme.self)
    #expect(preview.context(Theme.self)?.ink == "black")
  }

  struct NoDisk: Error {}

  @Test("Testing with a late store and a failed one")
  func testingLate() async throws {
    let store = try MemoryStore([Card.self, Deck.self])
    let (application, screen) = (Application(), ListScreen())

    let delivery = application.expect(ObjectContext.self)
    try application.append(screen)
    #expect(screen.list == nil)

    delivery.deliver(store.makeContext())
    application.drain()  // applies what was delivered; a test needs no run()
    #expect(screen.list?.isEmpty == true)
    try await failed(screen, in: application)
    func second(_ delivery: Delivery<ObjectContext>) {
      let isExpected = delivery.deliver(store.makeContext())
      #expect(isExpected)
    }
    second(application.expect(ObjectContext.self))
  }

  private func failed(_ screen: ListScreen, in application: Application) async throws {
    let delivery = application.expect(ObjectContext.self)

    delivery.fail(NoDisk())
    application.drain()
    let error = #expect(throws: ContextError.self) { try screen.require(ObjectContext.self) }
    #expect(error?.underlying is NoDisk)

    await #expect(throws: NoDisk.self) {
      _ = try await screen.context(whenReady: ObjectContext.self)
    }
  }

  @Test("Testing the next launch")
  func testingTheNextLaunch() throws {
    let (_, context, card) = try filled()
    let (application, table) = (Application(), CardTable())
    application.provide(context)
    application.launch()
    table.restorationIdentifier = "cards"
    try application.append(table)
    let restoration = Restoration {
      Kind("cards", CardTable.init)
      ContextName.objects
    }

    table.selection = card
    let again = try restoration.rehearse(from: application) {
      let next = Application()
      next.provide(context)
      return next
    }
    #expect((again.children.first as? CardTable)?.selection === card)
  }
}
