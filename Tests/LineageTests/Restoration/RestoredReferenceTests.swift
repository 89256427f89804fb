import Lineage
import LineageTestSupport
import Testing

private typealias LibraryCard = LineageTestSupport.Card

/// A controller with references to cards, some of which are read by the two methods.
private final class ReferenceScreen: Controller, StateRestoring {
  @Restorable("card") var card: ObjectReference?
  @Restorable("row") var row: Ref<LibraryCard>?
  @Restorable("marked") var marked: Set<ObjectReference> = []
  @Restorable("order") var order: [Ref<LibraryCard>] = []
  var link: ObjectReference?
  var id: Ref<LibraryCard>?

  func encodeRestorableState(with coder: StateEncoder) throws {
    try coder.encode(link, for: "link")
    try coder.encode(id, for: "id")
  }

  func decodeRestorableState(with coder: StateDecoder) throws {
    link = try coder.decode("link")
    id = try coder.decode("id")
  }
}

@Suite("References to objects are restored without a store")
struct RestoredReferenceTests {
  private static func makeRestoration() -> Restoration {
    Restoration { Kind("references", ReferenceScreen.init) }
  }

  @Test("They are there at once, and lead to their objects as soon as the store is open")
  func early() throws {
    let store = try MemoryStore(Library.entities)
    let context = store.makeContext()
    let cards = try (0..<3).map { try context.insert(LibraryCard("card \($0)")) }
    try context.save()
    let application = Application()
    let screen = ReferenceScreen()
    screen.restorationIdentifier = "references"
    try application.append(screen)
    screen.card = try ObjectReference(to: cards[0])
    screen.row = cards[1].id
    screen.marked = Set(try cards.map { try ObjectReference(to: $0) })
    screen.order = cards.reversed().map(\.id)
    screen.link = try ObjectReference(to: cards[2])
    screen.id = cards[2].id
    let saving = Self.makeRestoration()
    let archive = saving.archive(of: application)
    #expect(saving.report.problems == [])

    for isLate in [false, true] {
      let again = Application()
      let delivery = isLate ? again.expect(ObjectContext.self) : nil
      if !isLate { again.provide(store.makeContext()) }
      let restoration = Self.makeRestoration()
      again.launch(restoring: restoration, from: archive)
      #expect(restoration.report.problems == [])
      #expect(restoration.report.count(.waiting) == 0)
      let restored = try #require(again.children.first as? ReferenceScreen)
      #expect(restored.card == screen.card && restored.row == screen.row)
      #expect(restored.marked == screen.marked && restored.order == screen.order)
      #expect(restored.link == screen.link && restored.id == screen.id)
      delivery?.deliver(store.makeContext())
      again.drain()
      let opened = try restored.require(ObjectContext.self)
      let card = try opened.object(at: try #require(restored.card)) as? Object<LibraryCard>
      #expect(card?.question == "card 0")
      #expect(try opened.object(with: try #require(restored.row)).question == "card 1")
      #expect(restored.card == screen.card && restored.row == screen.row)
    }
  }
}
