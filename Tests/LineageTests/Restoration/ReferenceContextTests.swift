import Lineage
import LineageTestSupport
import Testing

private typealias LibraryCard = LineageTestSupport.Card

/// The context of a preview. It is before "objects" in the order of names.
private enum Preview: ContextKey { typealias Value = ObjectContext }

/// A controller with an optional card, and with a second card that is never nil.
private final class CardDeck: Controller {
  @Restorable("card") var card: Object<LibraryCard>?
  @Restorable("cover") var cover = Object(LibraryCard("no cover"))
}

/// An object, not a responder, that has a card.
private final class Player: StateRestoring {
  var card: Object<LibraryCard>?

  func encodeRestorableState(with coder: StateEncoder) throws {
    try coder.encode(card, for: "card")
  }

  func decodeRestorableState(with coder: StateDecoder) throws {
    try coder.whenReady("card", into: \.card, of: self)
  }
}

@Suite("A reference belongs to one context, and is missing for one owner")
struct ReferenceContextTests {
  /// Returns a restoration. Controllers of the kind "side" provide the given context.
  private static func restoration(side: ObjectContext? = nil) -> Restoration {
    Restoration {
      Kind("deck", CardDeck.init)
      Kind("side") { request in
        if let existing = request.existing { return existing }
        let made = Controller()
        if let side { made.provide(side) }
        return made
      }
      ContextName.objects("a preview", Preview.self)
      ContextName.objects
    }
  }

  private static func deck(_ name: String, below parent: Responder) throws -> CardDeck {
    let deck = CardDeck()
    deck.restorationIdentifier = name
    deck.restorationKind = "deck"
    try parent.append(deck)
    return deck
  }

  @Test("Of two contexts of one store, an object comes back in its own", arguments: [false, true])
  func twoContexts(isPreview: Bool) throws {
    let store = try MemoryStore(Library.entities, id: "store")
    let (app, again) = (Application(), Application())
    for one in [app, again] {
      one.provide(store.makeContext())
      one.provide(store.makeContext(), for: Preview.self)
    }
    let own = try #require(app.context(ObjectContext.self))
    let other = try #require(app.context(Preview.self))
    let card = try own.insert(LibraryCard("card"))
    try own.save()
    let deck = try Self.deck("deck", below: app)
    deck.branch(ObjectContext.self)
    deck.card = isPreview ? try other.find(card.id) : card
    again.launch(restoring: Self.restoration(), from: Self.restoration().archive(of: app))
    let restored = try #require(again.children.first as? CardDeck)
    let expected =
      isPreview ? restored.context(Preview.self) : restored.context(ObjectContext.self)
    #expect(restored.card?.question == "card")
    #expect(restored.card?.context === expected)
  }

  @Test("A card that is deleted is missing for the object that has it, and for no other")
  func addedObject() throws {
    let store = try MemoryStore(Library.entities, id: "store")
    let context = store.makeContext()
    let app = Application()
    app.provide(context)
    let cards = try ["kept", "deleted"].map { try context.insert(LibraryCard($0)) }
    try context.save()
    let deck = try Self.deck("deck", below: app)
    deck.card = cards[0]
    let player = Player()
    player.card = cards[1]
    let first = Self.restoration()
    app.launch(restoring: first, from: nil)
    first.add(player, as: "player", under: deck)
    let archive = first.archive(of: app)
    try context.delete(cards[1])
    try context.save()

    let again = Application()
    again.provide(store.makeContext())
    let restoration = Self.restoration()
    let restored = Player()
    let present = try Self.deck("deck", below: again)
    restoration.add(restored, as: "player", under: present)
    again.launch(restoring: restoration, from: archive)
    #expect(present.card?.question == "kept")
    #expect(present.$card.missing == [])
    #expect(restored.card == nil)
    #expect(restoration.report.notes.count == 1)
    #expect(restoration.report.notes.first?.hasPrefix("player under deck: \"card\" misses") == true)
    #expect(!"\(restoration.report)".contains("times"))
  }

  @Test("An object that one context lacks is there in another")
  func otherStore() throws {
    let store = try MemoryStore(Library.entities, id: "store")
    let context = store.makeContext()
    let app = Application()
    app.provide(context)
    let card = try context.insert(LibraryCard("card"))
    try context.save()
    let side = Controller()
    side.restorationIdentifier = "side"
    try app.append(side)
    try Self.deck("deck", below: app).card = card
    try Self.deck("deck", below: side).card = card
    let archive = Self.restoration().archive(of: app)
    let again = Application()
    again.provide(store.makeContext())
    let other = try MemoryStore(Library.entities, id: "other")
    let restoration = Self.restoration(side: other.makeContext())
    again.launch(restoring: restoration, from: archive)
    let decks = again.descendants.compactMap { $0 as? CardDeck }
    let good = try #require(decks.first { $0.nextResponder === again })
    let bad = try #require(decks.first { $0.nextResponder !== again })
    #expect(good.card?.question == "card" && good.$card.missing == [])
    #expect(bad.card == nil && bad.$card.missing.count == 1)
    #expect(restoration.report.notes.count == 1)
  }

  @Test("A property that is set misses nothing any more; one without nil says what it misses")
  func status() throws {
    let store = try MemoryStore(Library.entities, id: "store")
    let context = store.makeContext()
    let app = Application()
    app.provide(context)
    let cards = try ["kept", "deleted"].map { try context.insert(LibraryCard($0)) }
    try context.save()
    let deck = try Self.deck("deck", below: app)
    deck.card = cards[1]
    deck.cover = cards[1]
    let archive = Self.restoration().archive(of: app)
    try context.delete(cards[1])
    try context.save()
    for saves in 0..<2 {
      let again = Application()
      again.provide(store.makeContext())
      let restoration = Self.restoration()
      again.launch(restoring: restoration, from: archive)
      let restored = try #require(again.children.first as? CardDeck)
      #expect(restored.card == nil && restored.cover.question == "no cover")
      #expect(restored.$card.missing.count == 1)
      #expect(restored.$cover.missing == restored.$card.missing)
      #expect(restoration.report.problems == [])
      for _ in 0..<saves { _ = restoration.archive(of: again) }
      #expect(restored.$cover.missing.count == 1)
      let kept = try again.require(ObjectContext.self).find(cards[0].id)
      restored.card = kept
      restored.cover = try #require(kept)
      #expect(restored.$card.missing == [] && restored.$cover.missing == [])
      let next = Application()
      next.provide(store.makeContext())
      next.launch(restoring: Self.restoration(), from: restoration.archive(of: again))
      let last = try #require(next.children.first as? CardDeck)
      #expect(last.card?.question == "kept" && last.cover.question == "kept")
      #expect(last.$card.missing == [] && last.$cover.missing == [])
    }
  }
}
