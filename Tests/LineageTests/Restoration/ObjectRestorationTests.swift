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

/// The key of the context of a second store.
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

  /// Saves cards in the store. Returns the archive of a tree of screens, each of which shows one
  /// card.
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
    "A fetch at the context that provides the objects takes 500 of them", arguments: [false, true],
    [false, true])
  func batches(isLate: Bool, branches: Bool) throws {
    let store = CountingStore(try MemoryStore(Library.entities))
    let count = isSanitized ? 2_000 : 10_000
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
    let calls = store.take().calls
    #expect(calls.queries == count / 500)
    #expect(calls.lookups == 0)
    #expect(restoration.report.problems == [])
    #expect(restoration.report.count(.restored) == count + 1)
  }

  /// Returns an application with a context of the store, and its only screen.
  private static func screen(_ store: MemoryStore) throws -> (Application, CardScreen) {
    let application = Application()
    application.provide(store.makeContext())
    let screen = CardScreen()
    screen.restorationIdentifier = "cards"
    try application.append(screen)
    return (application, screen)
  }

  /// An application that is launched with an archive, and its first screen.
  private struct Restored {
    let application = Application()
    let restoration = makeRestoration()
    let screen: CardScreen

    init(_ archive: StateArchive, _ store: MemoryStore) throws {
      application.provide(store.makeContext())
      application.launch(restoring: restoration, from: archive)
      screen = try #require(ObjectRestorationTests.screens(application).first)
    }
  }

  @Test("A deleted object, another store's and an unknown entity's are missing for their reasons")
  func missing() throws {
    let store = try MemoryStore(Library.entities, id: "first-store")
    let (application, screen) = try Self.screen(store)
    let context = try screen.require(ObjectContext.self)
    let card = try context.insert(LibraryCard("one"))
    let other = try context.insert(LibraryCard("two"))
    try context.save()
    screen.card = card
    screen.marked = [card, other]
    let archive = makeRestoration().archive(of: application)

    try context.delete(card)
    try context.save()
    let afterDeletion = try Restored(archive, store)
    let deleted = afterDeletion.screen
    #expect(deleted.card == nil)
    #expect(deleted.marked.map(\.question) == ["two"])
    #expect(deleted.$card.missing.count == 1)
    #expect(deleted.$card.missing.first?.contains("deleted") == true)

    let elsewhere = try Restored(archive, MemoryStore(Library.entities, id: "second"))
    let foreign = elsewhere.screen
    #expect(foreign.card == nil)
    #expect(foreign.$card.missing.first?.contains("another store") == true)

    let otherModel = try Restored(archive, MemoryStore([Song.self], id: "first-store"))
    let unknown = otherModel.screen
    #expect(unknown.card == nil)
    #expect(unknown.$card.missing.first?.contains("no such entity") == true)
    let notes = otherModel.restoration.report.notes
    #expect(notes.contains { $0.contains("no such entity") })
  }

  private struct Song: Entity {
    var title = ""
    static let schema = Schema<Song>("Song") { Attribute("title", \.title) }
  }

  @Test("A store in memory with an id of its own is found again in the next process")
  func sameID() throws {
    let store = try MemoryStore(Library.entities, id: "memory")
    let (application, screen) = try Self.screen(store)
    let context = try screen.require(ObjectContext.self)
    let card = try context.insert(LibraryCard("one"))
    screen.card = card
    try context.save()
    let archive = makeRestoration().archive(of: application)
    let next = try MemoryStore(Library.entities, id: "memory")
    let copy = next.makeContext()
    try copy.insert(Object(LibraryCard("the same id"), id: card.id))
    try copy.save()
    let restored = try Restored(archive, next)
    #expect(restored.screen.card?.question == "the same id")
  }

  @Test("An object outside of each context cannot be kept, and a request can")
  func values() throws {
    let store = try MemoryStore(Library.entities, id: "store")
    let (application, screen) = try Self.screen(store)
    screen.card = Object(LibraryCard("loose"))
    screen.due = FetchRequest<LibraryCard>(limit: 3)
    let saving = makeRestoration()
    let archive = saving.archive(of: application)
    #expect(saving.report.problems.count == 1)
    #expect(saving.report.problems.first?.contains("\"card\"") == true)
    let restored = try Restored(archive, store)
    #expect(restored.screen.card == nil)
    #expect(restored.screen.due == FetchRequest<LibraryCard>(limit: 3))
  }

  @Test("A second context under another key keeps its objects apart")
  func catalogue() throws {
    let store = try MemoryStore(Library.entities, id: "store")
    let archiveStore = try MemoryStore(Library.entities, id: "catalogue")
    let (application, screen) = try Self.screen(store)
    application.provide(archiveStore.makeContext(), for: Catalogue.self)
    let context = try screen.require(Catalogue.self)
    screen.card = try context.insert(LibraryCard("listed"))
    try context.save()
    let archive = makeRestoration().archive(of: application)
    let again = Application()
    again.provide(store.makeContext())
    let restoration = makeRestoration()
    let delivery = again.expect(Catalogue.self)
    again.launch(restoring: restoration, from: archive)
    let restored = try #require(Self.screens(again).first)
    #expect(restored.$card.isWaiting)
    delivery.deliver(archiveStore.makeContext())
    again.drain()
    #expect(restored.card?.question == "listed")
    #expect(restored.card?.context === restored.context(Catalogue.self))
  }

  @Test("A store that fails to open keeps all bytes, and the next launch restores the same")
  func failing() throws {
    let store = try MemoryStore(Library.entities, id: "store")
    let (application, screen) = try Self.screen(store)
    let context = try screen.require(ObjectContext.self)
    screen.card = try context.insert(LibraryCard("one"))
    try context.save()
    var archive = makeRestoration().archive(of: application)
    for _ in 0..<3 {
      let broken = Application()
      let restoration = makeRestoration()
      let delivery = broken.expect(ObjectContext.self)
      broken.launch(restoring: restoration, from: archive)
      var heard: [String] = []
      let screen = try #require(Self.screens(broken).first)
      let token = screen.observe(ObjectContext.self) { _, state in heard.append("\(state)") }
      delivery.fail(Mishap("no disk"))
      broken.drain()
      #expect(heard == ["pending", "failed: no disk"])
      #expect(screen.$card.isWaiting)
      archive = restoration.archive(of: broken)
      #expect(restoration.report.problems == [])
      token.cancel()
    }
    let restored = try Restored(archive, store)
    #expect(restored.screen.card?.question == "one")
  }
}
