import Lineage
import LineageTestSupport
import Testing

private typealias LibraryCard = LineageTestSupport.Card

/// A screen that is made with a card, as its presenter makes it.
private final class CardScreen: Controller {
  @Restorable("card") var card: Object<LibraryCard>?
  @Restorable("marked") var marked: [Object<LibraryCard>] = []
  @Restorable("title") var title = ""
  let made: Ref<LibraryCard>?

  init(_ made: Ref<LibraryCard>?) { self.made = made }
}

@Suite("A kind's factory reads values of the record")
struct FactoryValueTests {
  private func archive(_ store: MemoryStore) throws -> StateArchive {
    let application = Application()
    let context = store.makeContext()
    application.provide(context)
    let screen = CardScreen(nil)
    try application.append(screen, as: "screen")
    let cards = try ["a", "b"].map { try context.insert(LibraryCard($0)) }
    try context.save()
    (screen.card, screen.marked, screen.title) = (cards[0], cards, "two")
    return Restoration { ContextName.objects }.archive(of: application)
  }

  @Test("An object is read as its reference before any context is there, and decoded later")
  func references() throws {
    let store = try MemoryStore(Library.entities, id: "store")
    let application = Application()
    var marked: [Ref<LibraryCard>]?
    let restoration = Restoration {
      Kind("screen") { request in
        marked = try request.value("marked")
        #expect(try request.value("title") == "two")
        let (none, other): (Int?, Int?) = (
          try request.value("none"), try? request.value("title")
        )
        #expect(none == nil && other == nil)
        let deck: Ref<Deck>? = try? request.value("card")
        #expect(deck == nil, "another entity's")
        return CardScreen(try request.value("card"))
      }
      ContextName.objects
    }
    let expected = application.expect(ObjectContext.self)
    application.launch(restoring: restoration, from: try archive(store))
    let screen = try #require(application.children.first as? CardScreen)
    #expect(screen.made != nil && screen.made == marked?.first && marked?.count == 2)
    #expect(screen.card == nil && screen.title == "two")
    expected.deliver(store.makeContext())
    application.drain()
    #expect(screen.card?.id == screen.made && screen.card?.question == "a")
    #expect(restoration.report.problems == [])
  }

  @Test("A value of another type keeps the record for a later launch, and says so")
  func mismatch() throws {
    let store = try MemoryStore(Library.entities, id: "store")
    let application = Application()
    application.provide(store.makeContext())
    let restoration = Restoration {
      Kind("screen") { request in
        let count: Int? = try request.value("title")
        Issue.record("a text was read as a number")
        withExtendedLifetime(count) {}
        return CardScreen(nil)
      }
      ContextName.objects
    }
    application.launch(restoring: restoration, from: try archive(store))
    #expect(application.children.isEmpty)
    #expect(restoration.report.problems.count == 1)
    let next = Application()
    next.provide(store.makeContext())
    let again = Restoration {
      Kind("screen") { CardScreen(try $0.value("card")) }
      ContextName.objects
    }
    next.launch(restoring: again, from: restoration.archive(of: application))
    #expect((next.children.first as? CardScreen)?.title == "two")
  }

  @Test("Appending and presenting under a name gives it; a refused one has its old name")
  func names() throws {
    let application = Application()
    let (screen, sheet) = (CardScreen(nil), CardScreen(nil))
    try application.append(screen, as: "screen")
    try screen.present(sheet, as: "sheet")
    #expect(screen.restorationIdentifier == "screen" && sheet.restorationIdentifier == "sheet")
    #expect(throws: TreeError.self) { try application.present(sheet, as: "other") }
    #expect(throws: TreeError.self) { try sheet.append(screen, as: "other") }
    #expect(screen.restorationIdentifier == "screen" && sheet.restorationIdentifier == "sheet")
    let loose = CardScreen(nil)
    #expect(throws: TreeError.self) { try screen.present(loose, as: "third") }
    #expect(loose.restorationIdentifier == nil)
  }
}

extension Application {
  /// Presents from the first screen, which presents another one already.
  fileprivate func present(_ controller: Controller, as identifier: String) throws {
    try (children.first as? Controller)?.present(controller, as: identifier)
  }
}
