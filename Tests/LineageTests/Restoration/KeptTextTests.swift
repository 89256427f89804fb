import Foundation
import Lineage
import LineageTestSupport
import Testing

private typealias LibraryDeck = LineageTestSupport.Deck

/// A controller that keeps the name of its deck.
private final class KeepingScreen: Controller {
  @Restorable("deck", keeping: \.name) var deck: Object<LibraryDeck>?
  @Restorable("text") var text = ""
}

/// A controller that keeps nothing of its deck.
private final class PlainScreen: Controller {
  @Restorable("deck") var deck: Object<LibraryDeck>?
  @Restorable("text") var text = ""
}

/// A controller with a deck whose early part is a number.
private final class NumberedScreen: Controller {
  @Restorable("deck") var deck: Numbered?
  @Restorable("text") var text = ""
}

private struct Numbered: ContextualValue {
  let deck: Object<LibraryDeck>

  func write(to writer: inout ValueWriter) throws {
    try writer.writeEarly(7) { try deck.write(to: &$0) }
  }

  static func read(from reader: inout ValueReader) throws -> Numbered {
    try reader.readEarly { _, reader in
      Numbered(deck: try Object.read(from: &reader))
    }
  }
}

/// An application with one screen, and its restoration.
private struct DeckWorld<Screen: Controller> {
  let application = Application()
  let restoration: Restoration
  let screen: Screen
  let delivery: Delivery<ObjectContext>

  /// Launches with an archive. The context comes later.
  init(_ archive: StateArchive?, _ make: @escaping () -> Screen) throws {
    restoration = Restoration {
      Kind("screen", make)
      ContextName.objects
    }
    delivery = application.expect(ObjectContext.self)
    application.launch(restoring: restoration, from: archive)
    if archive == nil { try application.append(make(), as: "screen") }
    screen = try #require(application.children.first as? Screen)
  }

  @discardableResult
  func open(_ store: MemoryStore) throws -> ObjectContext {
    delivery.deliver(store.makeContext())
    application.drain()
    return try application.require(ObjectContext.self)
  }

  var archive: StateArchive { restoration.archive(of: application) }
  var changes: StateArchive { restoration.archive(of: application, asksAll: false) }
}

@Suite("A text of an object that a property keeps")
struct KeptTextTests {
  private let store: MemoryStore

  init() throws {
    store = try MemoryStore(Library.entities, id: "library")
    let context = store.makeContext()
    for name in ["a", "b"] { try context.insert(LibraryDeck(name)) }
    try context.save()
  }

  private func deck(_ name: String, in context: ObjectContext) throws -> Object<LibraryDeck> {
    try #require(try context.fetch(LibraryDeck.self, where: { $0.name == name }).first)
  }

  /// Returns an archive of a screen with the deck "a".
  private func archive() throws -> StateArchive {
    let world = try DeckWorld(nil, KeepingScreen.init)
    world.screen.deck = try deck("a", in: world.open(store))
    #expect(world.screen.$deck.kept == "a")
    let archive = world.archive
    #expect(world.restoration.report.problems == [])
    return archive
  }

  @Test("It is there before the store, in each launch until the object is there")
  func early() throws {
    var archive = try archive()
    for _ in 0..<3 {
      let world = try DeckWorld(archive, KeepingScreen.init)
      #expect(world.screen.$deck.kept == "a")
      #expect(world.screen.deck == nil && world.screen.$deck.isWaiting)
      archive = world.archive
    }
    let world = try DeckWorld(archive, KeepingScreen.init)
    try world.open(store)
    #expect(world.screen.deck?.name == "a" && world.screen.$deck.kept == "a")
  }

  @Test("It follows the object's property, and a change is saved")
  func follows() throws {
    let world = try DeckWorld(try archive(), KeepingScreen.init)
    let context = try world.open(store)
    let deck = try #require(world.screen.deck)
    deck.name = "renamed"
    #expect(world.screen.$deck.kept == "renamed")
    #expect(
      try DeckWorld(world.changes, KeepingScreen.init).screen.$deck.kept == "renamed")
    context.discard()
    #expect(try DeckWorld(world.changes, KeepingScreen.init).screen.$deck.kept == "a")
    let other = store.makeContext()
    try self.deck("a", in: other).name = "elsewhere"
    try other.save()
    world.application.drain()
    #expect(
      try DeckWorld(world.changes, KeepingScreen.init).screen.$deck.kept == "elsewhere")
  }

  @Test("A change while the store was closed is seen when the object is")
  func changedMeanwhile() throws {
    let archive = try archive()
    let other = store.makeContext()
    try deck("a", in: other).name = "elsewhere"
    try other.save()
    let world = try DeckWorld(archive, KeepingScreen.init)
    #expect(world.screen.$deck.kept == "a")
    try world.open(store)
    #expect(world.screen.$deck.kept == "elsewhere")
  }

  @Test("It stays while the object is missing, and in the archives of these launches")
  func missing() throws {
    var archive = try archive()
    let other = store.makeContext()
    try other.delete(deck("a", in: other))
    try other.save()
    for _ in 0..<2 {
      let world = try DeckWorld(archive, KeepingScreen.init)
      try world.open(store)
      #expect(world.screen.deck == nil && world.screen.$deck.kept == "a")
      #expect(world.screen.$deck.missing.count == 1)
      archive = world.archive
    }
  }

  @Test("It stays when the object is deleted, and is that of the next object that is set")
  func sets() throws {
    let world = try DeckWorld(try archive(), KeepingScreen.init)
    let context = try world.open(store)
    try context.delete(#require(world.screen.deck))
    #expect(world.screen.$deck.kept == "a")
    world.screen.deck = try deck("b", in: context)
    #expect(world.screen.$deck.kept == "b")
    world.screen.deck = nil
    #expect(world.screen.$deck.kept == nil)
    let again = try DeckWorld(world.archive, KeepingScreen.init)
    #expect(again.screen.$deck.kept == nil && !again.screen.$deck.isWaiting)
  }

  @Test("An object that is set before the store is open replaces both parts")
  func edited() throws {
    let world = try DeckWorld(try archive(), KeepingScreen.init)
    world.screen.deck = nil
    #expect(world.screen.$deck.kept == nil)
    try world.open(store)
    #expect(world.screen.deck == nil && world.screen.$deck.kept == nil)
  }

  @Test("A property may begin to keep a text, and stop it")
  func otherVersions() throws {
    let keeping = try archive()
    let plain = try DeckWorld(keeping, PlainScreen.init)
    #expect(plain.screen.$deck.isWaiting)
    try plain.open(store)
    #expect(plain.screen.deck?.name == "a" && plain.screen.$deck.kept == nil)
    // A save of the values writes the reference alone.
    plain.screen.text = "changed"
    let archive = plain.archive
    let later = try DeckWorld(archive, KeepingScreen.init)
    #expect(later.screen.$deck.kept == nil && later.screen.$deck.isWaiting)
    try later.open(store)
    #expect(later.screen.deck?.name == "a" && later.screen.$deck.kept == "a")
    #expect(
      (plain.restoration.report.problems + later.restoration.report.problems) == [])
  }

  @Test("A property that keeps nothing carries the text while it waits")
  func otherVersionWaits() throws {
    let plain = try DeckWorld(try archive(), PlainScreen.init)
    plain.screen.text = "changed"
    #expect(try DeckWorld(plain.archive, KeepingScreen.init).screen.$deck.kept == "a")
  }

  @Test("A factory reads the object's reference beside the text")
  func factory() throws {
    var found: Ref<LibraryDeck>?
    let restoration = Restoration {
      Kind("screen") { request in
        found = try request.value("deck")
        return KeepingScreen()
      }
      ContextName.objects
    }
    Application().launch(restoring: restoration, from: try archive())
    #expect(try found == deck("a", in: store.makeContext()).id)
    #expect(restoration.report.problems == [])
  }

  @Test("An early part of another type costs its key, is reported, and stays in the archive")
  func wrongType() throws {
    let first = try DeckWorld(nil, NumberedScreen.init)
    first.screen.deck = Numbered(deck: try deck("a", in: first.open(store)))
    first.screen.text = "draft"
    let world = try DeckWorld(first.archive, KeepingScreen.init)
    #expect(world.screen.$deck.kept == nil && world.screen.text == "draft")
    try world.open(store)
    #expect(world.screen.deck == nil)
    #expect(world.restoration.report.problems.count == 1)
    #expect(world.restoration.report.problems.first?.contains("\"deck\" was not read") == true)
    world.screen.text = "changed"
    let plain = try DeckWorld(world.archive, PlainScreen.init)
    try plain.open(store)
    #expect(plain.screen.deck?.name == "a" && plain.screen.text == "changed")
  }
}
