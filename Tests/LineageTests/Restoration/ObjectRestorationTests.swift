import Lineage
import LineageTestSupport
import Testing

private typealias LibraryCard = LineageTestSupport.Card

/// A controller that shows cards.
private final class CardScreen: Controller {
  @Restorable("card") var card: Object<LibraryCard>?
  @Restorable("marked") var marked: [Object<LibraryCard>] = []
  @Restorable("named") var named: [String: Object<LibraryCard>] = [:]
  @Restorable("due") var due = FetchRequest<LibraryCard>()
  @Restorable("draft") var draft = ""
}

/// Another store's objects.
private enum Catalogue: ContextKey { typealias Value = ObjectContext }

private func makeRestoration() -> Restoration {
  Restoration {
    Kind("cards", CardScreen.init)
    ContextName.objects
    ContextName.objects("catalogue", Catalogue.self)
  }
}

@Suite("Restored responders find their objects again")
struct ObjectRestorationTests {
  private static func screens(_ application: Application) -> [CardScreen] {
    application.children.compactMap { $0 as? CardScreen }
  }

  /// Returns a store with some cards, and the archive of screens that each show one of them.
  private static func archive(
    _ count: Int, branches: Bool = false, in store: CountingStore
  ) throws -> StateArchive {
    let application = Application()
    let context = ObjectContext(store: store)
    application.provide(context)
    for number in 0..<count { try context.insert(LibraryCard("card \(number)")) }
    try context.save()
    let cards = try context.fetch(FetchRequest<LibraryCard>())
    for card in cards {
      let screen = CardScreen()
      screen.restorationIdentifier = "cards"
      if branches { screen.branch(ObjectContext.self) }
      try application.append(screen)
      screen.card = try screen.require(ObjectContext.self).find(card.id)
      screen.marked = [card, cards[0]]
      screen.named = ["it": card]
      screen.draft = card.question
    }
    let restoration = makeRestoration()
    let archive = restoration.archive(of: application)
    #expect(restoration.report.problems == [])
    return archive
  }

  private static func check(_ application: Application, _ count: Int) throws {
    let screens = screens(application)
    #expect(screens.count == count)
    for (number, screen) in screens.enumerated() {
      let card = try #require(screen.card)
      #expect(card.question == "card \(number)")
      #expect(card.context === screen.context(ObjectContext.self))
      #expect(screen.marked.map(\.question) == ["card \(number)", "card 0"])
      #expect(screen.named["it"] === card)
      #expect(!screen.$card.isWaiting)
    }
  }

  @Test(
    "Objects are fetched in batches at the context that provides them", arguments: [false, true],
    [false, true])
  func batches(isLate: Bool, branches: Bool) throws {
    let store = CountingStore(try MemoryStore(Library.entities))
    let count = 1_200
    let archive = try Self.archive(count, branches: branches, in: store)
    let application = Application()
    let delivery = isLate ? application.expect(ObjectContext.self) : nil
    if !isLate { application.provide(ObjectContext(store: store)) }
    _ = store.take()
    let restoration = makeRestoration()
    application.launch(restoring: restoration, from: archive)
    if let delivery {
      #expect(restoration.report.count(.waiting) == count)
      #expect(Self.screens(application).allSatisfy { $0.card == nil && $0.$card.isWaiting })
      delivery.deliver(ObjectContext(store: store))
      application.drain()
    }
    try Self.check(application, count)
    #expect(store.take().calls.queries == 3)
    #expect(restoration.report.problems == [])
    #expect(restoration.report.count(.restored) == count + 1)
  }
}
