import Foundation
import Lineage
import LineageTestSupport
import Testing

private typealias LibraryCard = LineageTestSupport.Card
private typealias LibraryDeck = LineageTestSupport.Deck

/// A controller that counts the ends of its card.
private final class EndScreen: Controller {
  @Restorable("card") var card: Object<LibraryCard>?
  var ends = 0
  /// The thing that the handler of a second screen does.
  var atEnd: (() -> Void)?

  override init() {
    super.init()
    $card.onEnd { (screen: EndScreen) in
      screen.ends += 1
      screen.atEnd?()
    }
  }
}

/// A controller that leaves when its card ends.
private final class LeavingScreen: Controller {
  @Restorable("card", keeping: \.question) var card: Object<LibraryCard>?

  override init() {
    super.init()
    $card.onEnd { $0.removeFromParent() }
  }
}

@Suite("The end of a property's object")
struct ObjectEndTests {
  private let store: MemoryStore
  private let application = Application()
  private let context: ObjectContext
  private let screen = EndScreen()
  private let card: Object<LibraryCard>

  init() throws {
    store = try MemoryStore(Library.entities, id: "library")
    context = store.makeContext()
    card = try context.insert(LibraryCard("a"))
    try context.save()
    application.provide(context)
    try application.append(screen, as: "screen")
    screen.card = card
  }

  private func own(_ context: ObjectContext) throws -> Object<LibraryCard> {
    try #require(try context.find(card.id))
  }

  @Test("A deletion here is an end, once; one that was undone arms it again")
  func here() throws {
    #expect(screen.ends == 0)
    let deletion = try context.delete(card)
    #expect(screen.ends == 1)
    try context.save()
    application.drain()
    #expect(screen.ends == 1)
    try deletion.putBack()
    #expect(screen.ends == 1)
    try context.save()
    try context.delete(card)
    #expect(screen.ends == 2)
    context.discard()
    try context.delete(card)
    #expect(screen.ends == 3)
  }

  @Test("An undo arms it again, and a redo is another end")
  func undo() throws {
    context.recordsUndo = true
    try context.delete(card)
    context.undo()
    #expect(screen.ends == 1)
    context.redo()
    #expect(screen.ends == 2)
  }

  @Test("It comes after the round, and a deletion that was undone by then is none")
  func afterRound() throws {
    try application.batch {
      try context.delete(card)
      #expect(screen.ends == 0)
    }
    #expect(screen.ends == 1)
    context.discard()
    try application.batch {
      let deletion = try context.delete(card)
      try deletion.putBack()
      try context.delete(card)
      context.discard()
    }
    #expect(screen.ends == 1)
  }

  @Test("A deletion in a child is an end when it is saved, one in a parent at once")
  func otherContexts() throws {
    let child = context.makeChild()
    let editor = EndScreen()
    try screen.append(editor, as: "editor")
    editor.branch(ObjectContext.self)
    editor.card = try own(editor.require(ObjectContext.self))
    try child.delete(own(child))
    #expect(screen.ends == 0 && editor.ends == 0)
    try child.save()
    #expect(screen.ends == 1 && editor.ends == 1)
    context.discard()
    try context.delete(card)
    #expect(screen.ends == 2 && editor.ends == 2)
  }

  @Test("A deletion by another context is an end when it is merged, also a cascade")
  func elsewhere() throws {
    let deck = try context.insert(LibraryDeck("deck"))
    card.deck = deck
    try context.save()
    let other = store.makeContext()
    let deletion = try other.delete(#require(try other.find(deck.id)))
    try other.save()
    #expect(screen.ends == 0)
    application.drain()
    #expect(screen.ends == 1)
    try deletion.putBack()
    try other.save()
    application.drain()
    #expect(screen.ends == 1 && !card.isDeleted)
    try other.delete(own(other))
    try other.save()
    application.drain()
    #expect(screen.ends == 2)
  }

  @Test("A contested deletion is no end until a save decides so")
  func contested() throws {
    card.question = "edited"
    let other = store.makeContext()
    try other.delete(own(other))
    try other.save()
    application.drain()
    #expect(screen.ends == 0 && !card.isDeleted)
    #expect(throws: GraphError.self) { try context.save() }
    #expect(screen.ends == 0)
    context.conflictPolicy = .theirs
    try context.save()
    #expect(screen.ends == 1 && card.isDeleted)
  }

  @Test("A contested deletion that is discarded is an end, one that is kept is none")
  func decided() throws {
    card.question = "edited"
    let other = store.makeContext()
    try other.delete(own(other))
    try other.save()
    application.drain()
    context.conflictPolicy = .mine
    try context.save()
    #expect(screen.ends == 0)
    card.question = "again"
    try own(other).question = "elsewhere"
    other.conflictPolicy = .mine
    try other.delete(own(other))
    try other.save()
    application.drain()
    #expect(screen.ends == 0)
    context.discard()
    #expect(screen.ends == 1)
  }

  @Test("Only the present object counts, and a deleted one that is set ends at once")
  func sets() throws {
    let other = try context.insert(LibraryCard("b"))
    screen.card = other
    try context.delete(card)
    #expect(screen.ends == 0)
    screen.card = card
    #expect(screen.ends == 1)
    screen.card = nil
    try context.delete(other)
    #expect(screen.ends == 1)
    screen.card = Object(LibraryCard("draft"))
    #expect(screen.ends == 1)
  }

  @Test("Several handlers, and one that ends another object")
  func several() throws {
    let second = EndScreen()
    try application.append(second, as: "second")
    let other = try context.insert(LibraryCard("b"))
    second.card = other
    screen.atEnd = { [context] in _ = try? context.delete(other) }
    var count = 0
    screen.$card.onEnd { _ in count += 1 }
    try context.delete(card)
    #expect(screen.ends == 1 && second.ends == 1 && count == 1)
  }

  @Test("After any operations, it was called once for each time that the object has become deleted")
  func random() throws {
    for seed in SplitMix64.seeds(30) {
      var random = SplitMix64(seed: seed)
      let world = try ObjectEndTests()
      let (card, other) = (world.card, world.store.makeContext())
      let others = try world.own(other)
      var deletions: [Deletion] = []
      world.context.recordsUndo = true
      var (ends, log) = (0, [String]())
      for step in 0..<80 {
        let wasDeleted = card.isDeleted
        let operation = random.below(10)
        for context in [world.context, other] {
          context.conflictPolicy = random.below(2) == 0 ? .mine : .theirs
        }
        switch operation {
        case 0: card.question = "\(step)"
        case 1: if let one = try? world.context.delete(card) { deletions.append(one) }
        case 2: world.context.discard()
        case 3: try? world.context.save()
        case 4: world.context.undo()
        case 5: world.context.redo()
        case 6: if let one = try? other.delete(others) { deletions.append(one) }
        case 7: try? deletions.last?.putBack()
        case 8: others.question = "other \(step)"
        default: try? other.save()
        }
        world.application.drain()
        if card.isDeleted, !wasDeleted { ends += 1 }
        log.append("\(operation): \(wasDeleted) \(card.isDeleted) \(world.screen.ends)")
        guard world.screen.ends == ends else {
          Issue.record(
            "seed \(seed), step \(step), \(ends) expected\n\(log.joined(separator: "\n"))")
          return
        }
      }
    }
  }

  @Test("The handler is released with its responder")
  func released() throws {
    weak var weakScreen: LeavingScreen?
    weak var weakObject: AnyObject?
    try {
      let leaving = LeavingScreen()
      let object = Deinitialised()
      (weakScreen, weakObject) = (leaving, object)
      try application.append(leaving, as: "leaving")
      leaving.card = card
      leaving.$card.onEnd { _ in withExtendedLifetime(object) {} }
      leaving.removeFromParent()
    }()
    #expect(weakScreen == nil && weakObject == nil)
    try context.delete(card)
  }

  private final class Deinitialised {}

  /// Launches a leaving screen whose card was deleted meanwhile, or not. The store is ready, or opens
  /// later.
  @Test(
    "A missing object after a restart is an end", arguments: [false, true], [false, true])
  func missing(isLate: Bool, isDeleted: Bool) throws {
    let leaving = LeavingScreen()
    try application.append(leaving, as: "leaving")
    leaving.card = card
    let archive = Self.restoration().archive(of: application)
    if isDeleted {
      try context.delete(card)
      try context.save()
    }
    let (next, restoration) = (Application(), Self.restoration())
    let delivery = next.expect(ObjectContext.self)
    if !isLate { delivery.deliver(store.makeContext()) }
    if !isLate { next.drain() }
    next.launch(restoring: restoration, from: archive)
    let screens = next.children
    #expect((next.children.count == 2) == (isLate || !isDeleted))
    if isLate {
      // Nothing reads the card of the first screen.
      #expect((screens.last as? LeavingScreen)?.$card.kept == "a")
      delivery.deliver(store.makeContext())
      next.drain()
    }
    #expect((screens.first as? EndScreen)?.ends == (isDeleted ? 1 : 0))
    #expect(next.children.count == (isDeleted ? 1 : 2))
    // The screen that has left is in no later archive.
    let last = Application()
    last.provide(store.makeContext())
    last.launch(restoring: Self.restoration(), from: restoration.archive(of: next))
    #expect(last.children.count == next.children.count)
    // Another end comes for the object that is still there.
    if !isDeleted {
      let deleting = try last.require(ObjectContext.self)
      try deleting.delete(own(deleting))
      #expect(last.children.count == 1)
    }
    withExtendedLifetime(restoration) {}
  }

  private static func restoration() -> Restoration {
    Restoration {
      Kind("screen", EndScreen.init)
      Kind("leaving", LeavingScreen.init)
      ContextName.objects
    }
  }

  @Test("Another store is no end, and the screen is whole again when its own store is back")
  func otherStore() throws {
    let leaving = LeavingScreen()
    try application.append(leaving, as: "leaving")
    leaving.card = card
    var archive = Self.restoration().archive(of: application)
    for store in [try MemoryStore(Library.entities, id: "another"), store] {
      let (next, restoration) = (Application(), Self.restoration())
      next.provide(store.makeContext())
      next.launch(restoring: restoration, from: archive)
      let restored = try #require(next.children.last as? LeavingScreen)
      #expect(restored.$card.kept == "a")
      #expect((restored.card == nil) == (store.id == "another"))
      archive = restoration.archive(of: next)
    }
  }

  @Test(
    "A launch without a store has no end, and a card that is set before the store is open counts")
  func pending() throws {
    let archive = Self.restoration().archive(of: application)
    try context.delete(card)
    try context.save()
    let other = try context.insert(LibraryCard("b"))
    try context.save()
    let (next, restoration) = (Application(), Self.restoration())
    let delivery = next.expect(ObjectContext.self)
    next.launch(restoring: restoration, from: archive)
    let restored = try #require(next.children.first as? EndScreen)
    #expect(restored.ends == 0 && restored.card == nil)
    let early = store.makeContext()
    restored.card = try early.find(other.id)
    delivery.deliver(store.makeContext())
    next.drain()
    #expect(restored.ends == 0)
    try early.delete(#require(restored.card))
    #expect(restored.ends == 1)
  }
}
