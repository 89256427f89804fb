import Lineage
import LineageTestSupport
import Testing

private typealias LibraryCard = LineageTestSupport.Card
private typealias LibraryDeck = LineageTestSupport.Deck

/// A controller that shows a card, a deck and a spare card.
private final class Shelf: Controller {
  @Restorable("card") var card: Object<LibraryCard>?
  @Restorable("deck") var deck: Object<LibraryDeck>?
  @Restorable("spare") var spare: Object<LibraryCard>?
}

/// The key of the context of a second store.
private enum Catalogue: ContextKey { typealias Value = ObjectContext }

@Suite("Restored objects are those of the contexts that provide them")
struct ProvidingContextTests {
  /// Returns a restoration. Its controllers of the kind `side` provide a context of the given
  /// store.
  private static func restoration(_ side: (any ObjectStore)?) -> Restoration {
    Restoration {
      Kind("side") { request in
        if let existing = request.existing { return existing }
        let made = Controller()
        if let side { made.provide(ObjectContext(store: side)) }
        return made
      }
      Kind("shelf", Shelf.init)
      ContextName.objects
      ContextName.objects("catalogue", Catalogue.self)
    }
  }

  /// The numbers of cards and decks in one store. Except for zero, they are not multiples of 500.
  private struct Numbers {
    let cards: Int
    let decks: Int
    /// The number of fetches that read all cards and decks, with at most 500 rows in each.
    var fetches: Int { (cards + 499) / 500 + (decks + 499) / 500 }
  }

  private static func fill(_ store: CountingStore, _ numbers: Numbers) throws {
    let context = ObjectContext(store: store)
    for number in 0..<numbers.cards { try context.insert(LibraryCard("card \(number)")) }
    for number in 0..<numbers.decks { try context.insert(LibraryDeck("deck \(number)")) }
    try context.save()
  }

  /// Adds shelves below a responder. Each of them shows one card and one deck of the context, and
  /// one spare card, as long as there are any left.
  private static func addShelves(
    below parent: Responder, _ context: ObjectContext, spares: ObjectContext?
  ) throws {
    let cards = try context.fetch(FetchRequest<LibraryCard>())
    let decks = try context.fetch(FetchRequest<LibraryDeck>())
    let others = try spares?.fetch(FetchRequest<LibraryCard>()) ?? []
    for number in 0..<max(cards.count, decks.count, others.count) {
      let shelf = Shelf()
      shelf.restorationIdentifier = "shelf"
      // Every second shelf has a branch. Its objects are fetched in the context above the branch.
      if number.isMultiple(of: 2) { shelf.branch(ObjectContext.self) }
      try parent.append(shelf)
      let own = try shelf.require(ObjectContext.self)
      if number < cards.count { shelf.card = try own.find(cards[number].id) }
      if number < decks.count { shelf.deck = try own.find(decks[number].id) }
      if number < others.count { shelf.spare = others[number] }
    }
  }

  @Test(
    "Two entities of three contexts take one fetch for each 500 rows of each",
    arguments: [false, true])
  func fetches(isLate: Bool) throws {
    let numbers = [
      Numbers(cards: 501, decks: 20), Numbers(cards: 20, decks: 501), Numbers(cards: 130, decks: 0),
    ]
    let stores = try ["main", "side", "catalogue"].map {
      CountingStore(try MemoryStore(Library.entities, id: $0))
    }
    for (store, numbers) in zip(stores, numbers) { try Self.fill(store, numbers) }
    let archive: StateArchive
    do {
      let app = Application()
      let main = ObjectContext(store: stores[0])
      let catalogue = ObjectContext(store: stores[2])
      app.provide(main)
      app.provide(catalogue, for: Catalogue.self)
      let side = Controller()
      side.restorationIdentifier = "side"
      let sideContext = ObjectContext(store: stores[1])
      side.provide(sideContext)
      try app.append(side)
      try Self.addShelves(below: app, main, spares: catalogue)
      try Self.addShelves(below: side, sideContext, spares: nil)
      let saving = Self.restoration(nil)
      archive = saving.archive(of: app)
      #expect(saving.report.problems == [])
    }
    for store in stores { _ = store.take() }

    let app = Application()
    let deliveries = isLate ? (app.expect(ObjectContext.self), app.expect(Catalogue.self)) : nil
    if !isLate {
      app.provide(ObjectContext(store: stores[0]))
      app.provide(ObjectContext(store: stores[2]), for: Catalogue.self)
    }
    let restoration = Self.restoration(stores[1])
    app.launch(restoring: restoration, from: archive)
    if let deliveries {
      // Fetched objects are kept for one turn of the main loop. The launch has fetched those of the
      // store `side`, so they must be read in the same turn.
      for case let shelf as Shelf in app.children.flatMap(\.children) {
        _ = (shelf.card, shelf.deck)
      }
      // The shelves that need both contexts wait for the second one.
      deliveries.1.deliver(ObjectContext(store: stores[2]))
      app.drain()
      deliveries.0.deliver(ObjectContext(store: stores[0]))
      app.drain()
    }
    let shelves = app.descendants.compactMap { $0 as? Shelf }
    #expect(shelves.count == 1_002)
    for shelf in shelves {
      let context = shelf.context(ObjectContext.self)
      if let card = shelf.card { #expect(card.context === context && !card.question.isEmpty) }
      if let deck = shelf.deck { #expect(deck.context === context && !deck.name.isEmpty) }
      if let spare = shelf.spare { #expect(spare.context === app.context(Catalogue.self)) }
    }
    #expect(shelves.count { $0.card != nil } == 521)
    #expect(shelves.count { $0.deck != nil } == 521)
    #expect(shelves.count { $0.spare != nil } == 130)
    for (store, numbers) in zip(stores, numbers) {
      let calls = store.take().calls
      #expect(calls.queries == numbers.fetches)
      #expect(calls.lookups == 0)
    }
    #expect(restoration.report.problems == [])
    #expect(restoration.report.notes == [])
  }

  /// An application with three shelves in a chain: "outer", "inner" and "leaf".
  private struct Chain {
    let app = Application()
    let restoration = ProvidingContextTests.restoration(nil)
    let outer = Shelf()
    let inner = Shelf()
    let leaf = Shelf()

    init(_ store: MemoryStore, outerBranches: Bool) throws {
      app.provide(store.makeContext())
      app.launch(restoring: restoration, from: nil)
      var parent: Responder = app
      for (name, shelf) in [("outer", outer), ("inner", inner), ("leaf", leaf)] {
        shelf.restorationIdentifier = name
        try parent.append(shelf)
        parent = shelf
      }
      if outerBranches { outer.branch(ObjectContext.self) }
      inner.branch(ObjectContext.self, .keep)
      leaf.branch(ObjectContext.self)
    }

    func context(_ shelf: Shelf) throws -> ObjectContext {
      try shelf.require(ObjectContext.self)
    }
  }

  /// The context with unsaved changes: none, the child of the branch, or a context below this
  /// child.
  enum Unsaved: CaseIterable { case nowhere, child, below }

  @Test(
    "A keeping branch of another context is made anew, unless there are unsaved changes",
    arguments: Unsaved.allCases)
  func remade(unsaved: Unsaved) throws {
    let store = try MemoryStore(Library.entities, id: "store")
    let archive: StateArchive
    do {
      let first = try Chain(store, outerBranches: true)
      let context = try first.context(first.inner)
      first.inner.card = try context.insert(LibraryCard("archived"))
      try context.saveAll()
      archive = first.restoration.archive(of: first.app)
      #expect(first.restoration.report.problems == [])
    }
    let chain = try Chain(store, outerBranches: false)
    let root = try #require(chain.app.context(ObjectContext.self))
    let kept = try chain.context(chain.inner)
    let below = try chain.context(chain.leaf)
    #expect(kept.parent === root && below.parent === kept)
    switch unsaved {
    case .nowhere: break
    case .child: try kept.insert(LibraryCard("unsaved"))
    case .below: try below.insert(LibraryCard("unsaved"))
    }
    chain.restoration.restore(archive, into: chain.app)
    let outer = try chain.context(chain.outer)
    let inner = try chain.context(chain.inner)
    #expect(outer.parent === root)
    #expect(try chain.context(chain.leaf).parent === inner)
    #expect(chain.inner.card?.question == "archived")
    #expect(chain.inner.card?.context === inner)
    let notes = chain.restoration.report.notes
    if unsaved == .nowhere {
      #expect(inner !== kept && inner.parent === outer)
      #expect(notes == [])
      return
    }
    #expect(inner === kept && inner.parent === root)
    #expect(try chain.context(chain.leaf) === below)
    #expect((unsaved == .child ? kept : below).hasUnsavedChanges)
    #expect(notes.count == 1)
    #expect(notes.first?.hasPrefix("outer › inner: the branch objects keeps a child") == true)

    // After a save, the next restoration can replace the child.
    try (unsaved == .child ? kept : below).saveAll()
    #expect(try root.count(LibraryCard.self) == 2)
    chain.restoration.restore(archive, into: chain.app)
    #expect(try chain.context(chain.inner).parent === chain.context(chain.outer))
    #expect(chain.restoration.report.notes == [])
  }
}
