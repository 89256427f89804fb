import Foundation
import Lineage
import LineageTestSupport
import Testing

private typealias LibraryCard = LineageTestSupport.Card

/// A controller with the place of a row.
private final class PlaceScreen: Controller {
  @Restorable("place") var place = ListPlace<LibraryCard>()
  @Restorable("places") var places: [String: ListPlace<LibraryCard>] = [:]
}

/// A controller with the position of a list as older versions have archived it.
private final class OldScreen: Controller {
  @Restorable("place") var place: OldAnchor?
}

/// A controller with the object of a selected row.
private final class SelectionScreen: Controller {
  @Restorable("place") var place: Object<LibraryCard>?
}

/// The position of a list as older versions have archived it.
private struct OldAnchor: ContextualValue {
  let object: Object<LibraryCard>
  let offset: Double

  func write(to writer: inout ValueWriter) throws {
    try writer.writeArray(count: 2) { writer in
      try object.write(to: &writer)
      offset.write(to: &writer)
    }
  }

  static func read(from reader: inout ValueReader) throws -> OldAnchor {
    throw StateError(.refused("an old position", type: "OldAnchor"))
  }
}

/// An application with one screen, and its restoration.
private struct PlaceWorld {
  let application = Application()
  let restoration = Restoration {
    Kind("screen", PlaceScreen.init)
    ContextName.objects
  }
  let delivery: Delivery<ObjectContext>

  /// Launches with an archive. The context comes later.
  init(_ archive: StateArchive?) throws {
    delivery = application.expect(ObjectContext.self)
    application.launch(restoring: restoration, from: archive)
    if archive == nil { try application.append(PlaceScreen(), as: "screen") }
  }

  var screen: PlaceScreen {
    get throws { try #require(application.children.first as? PlaceScreen) }
  }

  /// Delivers a context of a store.
  @discardableResult
  func open(_ store: MemoryStore) throws -> ObjectContext {
    delivery.deliver(store.makeContext())
    application.drain()
    return try application.require(ObjectContext.self)
  }

  var archive: StateArchive { restoration.archive(of: application) }
}

@Suite("The place of a row in a list")
struct ListPlaceTests {
  private let store: MemoryStore

  init() throws {
    store = try MemoryStore(Library.entities, id: "library")
    let context = store.makeContext()
    for number in 0..<10 { try context.insert(LibraryCard("\(number)", rightCount: number)) }
    try context.save()
  }

  private func list(in context: ObjectContext) throws -> LiveList<LibraryCard> {
    try LiveList(FetchRequest(sort: { $0.rightCount }), in: context)
  }

  /// Returns an archive with the place of a row.
  private func archive(_ index: Int) throws -> StateArchive {
    let world = try PlaceWorld(nil)
    let context = try world.open(store)
    let screen = try world.screen
    screen.place = ListPlace(at: index, in: try list(in: context))
    screen.places = ["a": screen.place]
    let archive = world.archive
    #expect(world.restoration.report.problems == [])
    return archive
  }

  @Test(
    "The first that exists wins: the object, the next, the previous, the index", arguments: 0..<8)
  func order(exists: Int) throws {
    let context = store.makeContext()
    let list = try list(in: context)
    for (isRestored, row) in [(false, 0), (false, 4), (false, 9), (true, 4), (true, 9)] {
      let archive = isRestored ? try archive(row) : nil
      var place = ListPlace(at: row, in: list)
      let deletion = try context.delete(
        [row, row + 1, row - 1].enumerated().filter { exists & 1 << $0.offset == 0 }
          .compactMap { list.indices.contains($0.element) ? list[$0.element] : nil })
      if let archive {
        try context.save()
        let world = try PlaceWorld(archive)
        try world.open(store)
        place = try world.screen.place
        let again = try self.list(in: try world.application.require(ObjectContext.self))
        #expect(place.index(in: again).map { again[$0].question } == expected(row, list))
      } else {
        #expect(place.index(in: list).map { list[$0].question } == expected(row, list))
      }
      try deletion.putBack()
      try context.save()
    }
  }

  /// Returns the question of the card that a place must find, by its definition.
  private func expected(_ row: Int, _ list: LiveList<LibraryCard>) -> String {
    let questions = list.map(\.question)
    for wanted in ["\(row)", "\(row + 1)", "\(row - 1)"] where questions.contains(wanted) {
      return wanted
    }
    return questions[min(row, questions.count - 1)]
  }

  @Test("A place in an empty list is nowhere, and is found again when the rows are back")
  func empty() throws {
    let context = store.makeContext()
    let list = try list(in: context)
    var place = ListPlace(at: 4, in: list)
    list.request.filter = Filter { $0.question == "none" }
    #expect(place.index(in: list) == nil)
    place.follow(list)
    #expect(place.object == nil && place.index == 4)
    place.follow(list)
    list.request.filter = nil
    place.follow(list)
    #expect(place.object?.question == "4")
    #expect(place == ListPlace(at: 4, in: list) && place != ListPlace(at: 5, in: list))
    #expect(ListPlace(at: 99, in: list).object?.question == "9")
    #expect(ListPlace(at: -1, in: list).object?.question == "0")
  }

  @Test("A place that a window does not have stays, and leads the window to it")
  func windows() throws {
    let context = store.makeContext()
    let window = try WindowedList(
      FetchRequest<LibraryCard>(sort: { $0.rightCount }), in: context, capacity: 4)
    let place = ListPlace(at: 9, in: try list(in: context))
    var followed = place
    followed.follow(window)
    #expect(followed == place)
    try window.jump(to: #require(place.object))
    followed.follow(window)
    #expect(followed.object === place.object && window.indices.contains(followed.index))
  }

  @Test("A place without an object waits for its neighbour while a list loads elsewhere")
  func anchored() throws {
    let context = store.makeContext()
    let list = try list(in: context)
    var place = ListPlace(at: 7, in: list)
    list.request.filter = Filter { $0.question == "none" }
    place.follow(list)
    let loading = try LiveList<LibraryCard>(
      FetchRequest(where: { $0.rightCount < 8 }, sort: { $0.rightCount.descending }), in: context,
      loading: .elsewhere)
    place.follow(loading)
    #expect(place.object == nil && place.index == 7)
    while !loading.isComplete { try context.merge() }
    place.follow(loading)
    #expect(place.object?.question == "7" && place.index == 0)
  }

  @Test("The index is there before the store, also in collections; then all of it")
  func late() throws {
    let world = try PlaceWorld(try archive(4))
    let screen = try world.screen
    #expect(screen.place.index == 4 && screen.place.object == nil)
    #expect(screen.places["a"]?.index == 4)
    #expect(screen.$place.isWaiting && screen.$places.isWaiting)
    let context = try world.open(store)
    #expect(!screen.$place.isWaiting)
    let place = ListPlace(at: 4, in: try list(in: context))
    #expect(screen.place == place && screen.places == ["a": place])
    #expect(world.restoration.report.problems == [] && world.restoration.report.notes == [])
  }

  @Test("Archives of launches without a store keep both parts")
  func carried() throws {
    var archive = try archive(4)
    for _ in 0..<3 {
      let world = try PlaceWorld(archive)
      #expect(try world.screen.place.index == 4)
      archive = world.archive
    }
    let world = try PlaceWorld(archive)
    try world.open(store)
    #expect(try world.screen.place.object?.question == "4")
  }

  @Test("A place that is set before the store is open stays")
  func edited() throws {
    let world = try PlaceWorld(try archive(4))
    let screen = try world.screen
    #expect(screen.place.index == 4)
    screen.place = ListPlace(index: 7)
    let context = try world.open(store)
    #expect(screen.place == ListPlace(index: 7) && !screen.$place.isWaiting)
    #expect(screen.place.index(in: try list(in: context)) == 7)
    let again = try PlaceWorld(world.archive)
    try again.open(store)
    #expect(try again.screen.place == ListPlace(index: 7))
  }

  /// Returns the archive of a screen with values under the same keys.
  private func archive(
    of screen: Controller, _ set: (Object<LibraryCard>) -> Void
  ) throws -> StateArchive {
    let application = Application()
    let context = store.makeContext()
    application.provide(context)
    try application.append(screen, as: "screen")
    set(
      try #require(try context.fetch(LibraryCard.self, sort: { $0.rightCount }).dropFirst(4).first))
    return Restoration { ContextName.objects }.archive(of: application)
  }

  @Test("Scroll positions and objects of older archives are read as places")
  func older() throws {
    let (old, selection) = (OldScreen(), SelectionScreen())
    for archive in try [
      archive(of: old) { old.place = OldAnchor(object: $0, offset: 12.5) },
      archive(of: selection) { selection.place = $0 },
    ] {
      let world = try PlaceWorld(archive)
      let screen = try world.screen
      #expect(screen.place == ListPlace() && screen.$place.isWaiting)
      let context = try world.open(store)
      #expect(screen.place.index(in: try list(in: context)) == 4)
      #expect(world.restoration.report.problems == [])
    }
    let none = SelectionScreen()
    let world = try PlaceWorld(try archive(of: none) { _ in none.place = nil })
    try world.open(store)
    #expect(try world.screen.place == ListPlace())
    #expect(world.restoration.report.problems == [])
  }

  @Test("A new object that was discarded does not keep the place from being archived")
  func discarded() throws {
    let world = try PlaceWorld(nil)
    let context = try world.open(store)
    try context.insert(LibraryCard("new", rightCount: 5))
    let list = try list(in: context)
    let screen = try world.screen
    screen.place = ListPlace(at: 4, in: list)
    context.discard()
    let again = try PlaceWorld(world.archive)
    try again.open(store)
    #expect(try again.screen.place.object?.question == "4")
    #expect(world.restoration.report.problems == [])
  }
}
