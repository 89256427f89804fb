import Foundation
import Lineage
import LineageTestSupport
import Testing

private typealias LibraryCard = LineageTestSupport.Card

/// A controller with a list that has a selection and a place to which it is scrolled.
private final class CardList: Controller {
  @Restorable("selection") var selection: Object<LibraryCard>?
  @Restorable("marked") var marked: [Object<LibraryCard>] = []
  @Restorable("scroll") var scroll = ListPlace<LibraryCard>()
}

private func makeRestoration() -> Restoration {
  Restoration {
    Kind("list", CardList.init)
    ContextName.objects
  }
}

/// An application with a list, and its restoration, which must be retained.
private struct ListWorld {
  let application = Application()
  let restoration = makeRestoration()
  let screen: CardList
  let context: ObjectContext

  /// Creates a world whose list shows the given number of new cards.
  init(_ store: MemoryStore, cards: Int) throws {
    context = store.makeContext()
    for number in 0..<cards {
      try context.insert(LibraryCard("card \(number)", rightCount: number))
    }
    try context.save()
    screen = CardList()
    screen.restorationIdentifier = "list"
    application.provide(context)
    application.launch()
    try application.append(screen)
  }

  /// Creates a world by a launch with the archive of another world.
  init(_ store: MemoryStore, _ archive: StateArchive) throws {
    context = store.makeContext()
    application.provide(context)
    application.launch(restoring: restoration, from: archive)
    screen = try #require(application.children.first as? CardList)
  }

  var archive: StateArchive { restoration.archive(of: application) }

  func card(_ number: Int) throws -> Object<LibraryCard> {
    try #require(
      try context.fetch(FetchRequest<LibraryCard>(where: { $0.question == "card \(number)" }))
        .first)
  }

  func list() throws -> LiveList<LibraryCard> {
    try LiveList(
      FetchRequest(sort: { $0.rightCount }), in: context, sections: { $0.isHard })
  }
}

@Suite("A list's selection and scroll position are those of objects, not of rows")
struct RestoredListTests {
  private let store: MemoryStore
  private let world: ListWorld

  init() throws {
    store = try MemoryStore(Library.entities, id: "library")
    world = try ListWorld(store, cards: 100)
  }

  /// Returns an archive in which a card is selected, three are marked, and the list is scrolled.
  private func use() throws -> StateArchive {
    world.screen.selection = try world.card(20)
    world.screen.marked = try [world.card(30), world.card(20), world.card(31)]
    world.screen.scroll = ListPlace(at: 15, in: try world.list())
    let archive = world.archive
    #expect(world.restoration.report.problems == [])
    return archive
  }

  @Test("Selection and scroll position follow their objects to other rows")
  func reordered() throws {
    let archive = try use()
    for number in 0..<100 { try world.card(number).rightCount = -number }
    try world.context.save()
    let again = try ListWorld(store, archive)
    let list = try again.list()
    #expect(again.screen.selection.map { list.position(of: $0) } == 79)
    #expect(again.screen.marked.map { list.position(of: $0) } == [69, 79, 68])
    #expect(again.screen.scroll.object?.question == "card 15")
    #expect(again.screen.scroll.index == 15 && again.screen.scroll.index(in: list) == 84)
    #expect(again.restoration.report.notes == [])
  }

  @Test("They follow their objects to another section")
  func otherSection() throws {
    let archive = try use()
    try world.card(20).isHard = true
    try world.card(15).isHard = true
    try world.context.save()
    let again = try ListWorld(store, archive)
    let list = try again.list()
    let selection = try #require(again.screen.selection)
    let scroll = try #require(again.screen.scroll.object)
    #expect(list.sections.count == 2)
    #expect(list.indexPath(of: selection) == [1, 1])
    #expect(list.indexPath(of: scroll) == [1, 0])
  }

  @Test("A window is moved to rows that lie beyond it")
  func beyondWindow() throws {
    let archive = try use()
    let again = try ListWorld(store, archive)
    let window = try WindowedList(
      FetchRequest<LibraryCard>(), in: again.context, capacity: 10)
    let selection = try #require(again.screen.selection)
    let scroll = try #require(again.screen.scroll.object)
    #expect(window.position(of: selection) == nil)
    let first = try window.jump(to: scroll)
    #expect(first.map { window[$0].question } == "card 15")
    let row = try window.jump(to: selection)
    #expect(row.map { window[$0] === selection } == true)
  }

  @Test("Deleted objects leave a selection empty, and the report says so before anyone reads it")
  func deleted() throws {
    let archive = try use()
    for number in [20, 15] { try world.context.delete(try world.card(number)) }
    try world.context.save()
    let again = try ListWorld(store, archive)
    let notes = again.restoration.report.notes
    #expect(notes.count == 3)
    for key in ["selection", "marked", "scroll"] {
      #expect(notes.count { $0.hasPrefix("list: \"\(key)\" misses lineage://library/Card/") } == 1)
    }
    #expect(again.screen.selection == nil)
    #expect(again.screen.marked.map(\.question) == ["card 30", "card 31"])
    #expect(again.screen.scroll.object == nil)
    #expect(
      try again.screen.scroll.index(in: again.list()).map { try again.list()[$0].question }
        == "card 16")
    #expect(again.screen.$scroll.missing.first?.contains("it was deleted") == true)
    #expect(again.restoration.report.notes == notes)
    #expect(again.restoration.report.problems == [])
  }

  @Test("An object that is deleted while it is selected does not keep the others from being saved")
  func deletedWhileSelected() throws {
    _ = try use()
    let deleted = try world.card(20)
    try world.context.delete(deleted)
    world.screen.marked.append(try world.card(50))
    let unsaved = try ListWorld(store, world.archive)
    #expect(unsaved.screen.marked.map(\.question) == ["card 30", "card 20", "card 31", "card 50"])
    try world.context.save()
    world.screen.marked.append(try world.card(51))
    let again = try ListWorld(store, world.archive)
    #expect(world.restoration.report.problems == [])
    #expect(again.screen.selection == nil)
    #expect(
      again.screen.marked.map(\.question) == ["card 30", "card 31", "card 50", "card 51"])
  }
}
