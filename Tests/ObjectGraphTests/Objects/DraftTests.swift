import LineageTestSupport
import ObjectGraph
import Testing

@Suite("Drafts")
struct DraftTests {
  /// Creates two cards that refer to each other, and a deck with the first card.
  private func cycle() -> (deck: Object<Deck>, one: Object<Card>, two: Object<Card>) {
    let deck = Object(Deck("Sums"))
    let one = Object(Card("one"))
    let two = Object(Card("two"))
    one.next = two
    two.next = one
    one.deck = deck
    return (deck, one, two)
  }

  @Test("Inserting one of a cycle inserts all, once, links intact", arguments: Stores.all)
  func cycle(_ stores: Stores) async throws {
    let opened = try await stores.open()
    let context = opened.makeContext()
    for first in 0..<3 {
      let (deck, one, two) = cycle()
      deck.name = "Sums \(first)"
      #expect(one.context == nil && one.next === two && two.next === one)
      #expect(deck.cards == [one])
      let objects: [GraphObject] = [deck, one, two]
      try context.insert(objects[first])
      #expect(objects.allSatisfy { $0.context === context && $0.changes.kind == .inserted })
      #expect(one.next === two && two.next === one && one.deck === deck && deck.cards == [one])
      for object in objects { try context.insert(object) }
      #expect(try context.count(Card.self) == 2 * (first + 1))
      #expect(try context.count(Deck.self) == first + 1)
    }
    try context.save()
    let other = opened.makeContext()
    let one = try #require(try other.fetch(Card.self).first)
    #expect(one.next?.next === one && one.deck?.cards == [one])
  }

  @Test("A cycle that nobody inserts is freed when nobody holds any of it")
  func freed() {
    weak let deck: Object<Deck>?
    weak let one: Object<Card>?
    do {
      let (d, o, t) = cycle()
      (deck, one) = (d, o)
      #expect(t.next?.next === t)
      #expect(deck != nil && one != nil)
    }
    #expect(deck == nil && one == nil)
  }

  @Test("What nobody holds is there again when a link leads to it")
  func madeAgain() throws {
    let deck = Object(Deck("Sums"))
    let ids = (0..<3).map { number in
      let card = Object(Card("c\(number)"))
      card.deck = deck
      card.rightCount = number
      return card.id
    }
    #expect(deck.cards.map(\.id) == ids)
    #expect(deck.cards.map(\.rightCount) == [0, 1, 2])
    #expect(deck.cards[1] !== deck.cards[2] && deck.cards[1].deck === deck)
  }

  @Test("Two drafts become one when they are linked", arguments: Stores.all)
  func linked(_ stores: Stores) async throws {
    let context = try await stores.open().makeContext()
    let (deck, one, two) = cycle()
    let (_, three, four) = cycle()
    let other = try #require(three.deck)
    other.name = "Other"
    two.deck = other
    #expect(Set(other.cards) == [two, three])
    try context.insert(four)
    #expect([one, two, three, four].allSatisfy { $0.context === context })
    #expect(deck.context === context && other.context === context)
  }

  @Test("A draft linked to an object of a context goes in there or below", arguments: Stores.all)
  func outside(_ stores: Stores) async throws {
    let opened = try await stores.open()
    let context = opened.makeContext()
    let deck = try context.insert(Deck("Sums"))
    try context.save()
    let card = Object(Card("draft"))
    card.deck = deck
    #expect(card.deck === deck && deck.cards.isEmpty)
    let stranger = opened.makeContext()
    #expect(refusal { try stranger.insert(card) } == "otherContext")
    #expect(card.context == nil && !stranger.hasUnsavedChanges)
    let child = context.makeChild()
    try child.insert(card)
    #expect(try child.object(with: deck.id).cards == [card])
    #expect(deck.cards.isEmpty)
    try child.save()
    #expect(deck.cards.map(\.id) == [card.id])
  }

  @Test("A link that was taken back binds a draft to nobody", arguments: Stores.all)
  func takenBack(_ stores: Stores) async throws {
    let opened = try await stores.open()
    let deck = try opened.makeContext().insert(Deck("Sums"))
    let card = Object(Card("draft"))
    card.deck = deck
    card.deck = nil
    let other = opened.makeContext()
    try other.insert(card)
    try other.save()
    #expect(card.context === other)
  }

  @Test("Objects of two contexts are not linked", arguments: Stores.all)
  func strangers(_ stores: Stores) async throws {
    let opened = try await stores.open()
    let context = opened.makeContext()
    let card = try context.insert(Card("here"))
    let child = context.makeChild()
    let deck = try child.insert(Deck("there"))
    #expect(refusal { try context.set(\.deck, of: card, to: deck) } == "otherContext")
    let faults = Faults()
    context.onError = faults.hear
    card.deck = deck
    #expect(card.deck == nil && faults.reasons == ["otherContext"])
    #expect(refusal { try child.insert(card) } == "otherContext")
    #expect(refusal { try child.delete(card) } == "otherContext")
    #expect(refusal { try child.delete(Object(Card("nowhere"))) } == "disconnected")
    card.deck = Object(Deck("draft"))
    #expect(card.deck?.context === context)
  }

  @Test("An id that is taken is refused, and nothing of the draft inserted", arguments: Stores.all)
  func taken(_ stores: Stores) async throws {
    let opened = try await stores.open()
    let context = opened.makeContext()
    let card = try context.insert(Card("first"))
    let (deck, one, _) = cycle()
    let twin = Object(Card("twin"), id: card.id)
    twin.deck = deck
    for level in [context, context.makeChild().makeChild()] {
      #expect(refusal { try level.insert(one) } == "idTaken")
      #expect(twin.context == nil && deck.context == nil && one.context == nil)
    }
    try context.save()
    let other = opened.makeContext()
    try other.insert(Object(Card("twin"), id: card.id))
    #expect(refusal { try other.save() } == "idTaken")
    #expect(other.hasUnsavedChanges)
    #expect(try opened.makeContext().object(with: card.id).question == "first")
  }

  @Test("Discarded new objects are a draft again, linked as before", arguments: Stores.all)
  func discarded(_ stores: Stores) async throws {
    let context = try await stores.open().makeContext()
    let kept = try context.insert(Deck("Kept"))
    try context.save()
    let (deck, one, two) = cycle()
    try context.insert(one)
    two.deck = kept
    context.discard()
    #expect(!context.hasUnsavedChanges && kept.cards.isEmpty)
    #expect(one.context == nil && one.deck === deck && deck.cards == [one])
    #expect(one.next === two && two.next === one && two.deck === kept)
    try context.insert(deck)
    try context.save()
    #expect(try context.count(Card.self) == 2 && kept.cards == [two])
  }

  @Test("A draft context is fetched and undone like any, and cannot be saved")
  func context() throws {
    let draft = try ObjectContext(draftOf: Library.entities)
    let (deck, one, two) = cycle()
    try draft.insert(one)
    #expect(try draft.fetch(Card.self, where: { $0.deck == deck }) == [one])
    #expect(try draft.count(Card.self) == 2 && two.next === one)
    let child = draft.makeChild()
    try child.object(with: one.id).question = "changed"
    try child.save()
    #expect(one.question == "changed")
    #expect(refusal { try draft.save() } == "disconnected")
    #expect(refusal { try draft.uri(of: one) } == "disconnected")
    draft.discard()
    #expect(try draft.count(Card.self) == 0)
    try draft.save()
  }

  @Test("What is discarded still leads to what nobody held", arguments: Stores.all)
  func discardedLink(_ stores: Stores) async throws {
    let context = try await stores.open().makeContext()
    let id = try context.insert(Deck("deck")).id
    try context.save()
    let card = try context.insert(Card("card"))
    card.deck = try context.object(with: id)
    context.discard()
    #expect(card.context == nil && card.deck?.name == "deck")
    try context.insert(card)
    #expect(try context.object(with: id).cards == [card])
  }

  @Test("Objects of two entities may have the same number as id", arguments: Stores.all)
  func sameNumber(_ stores: Stores) async throws {
    let context = try await stores.open().makeContext()
    let card = Object(Card("imported"), id: Ref(key: 1))
    let deck = Object(Deck("imported"), id: Ref(key: 1))
    card.deck = deck
    #expect(card.deck === deck)
    #expect(deck.cards.map(\.question) == ["imported"])
    try context.insert(card)
    try context.save()
    #expect(try context.count(Card.self) == 1)
    #expect(try context.count(Deck.self) == 1)
  }

  @Test("Also if a draft is linked to both of them in a context", arguments: Stores.all)
  func sameNumberOutside(_ stores: Stores) async throws {
    let context = try await stores.open().makeContext()
    let deck = Object(Deck("deck"), id: Ref(key: 1))
    let other = Object(Card("other"), id: Ref(key: 1))
    try context.insert(deck)
    try context.insert(other)
    try context.save()
    let card = Object(Card("draft"))
    card.deck = deck
    card.next = other
    #expect(card.deck === deck)
    #expect(card.next === other)
  }

  @Test("Also if both are discarded, and inserted again", arguments: Stores.all)
  func sameNumberDiscarded(_ stores: Stores) async throws {
    let context = try await stores.open().makeContext()
    let deck = Object(Deck("deck"), id: Ref(key: 7))
    let card = Object(Card("card"), id: Ref(key: 7))
    try context.insert(deck)
    try context.insert(card)
    card.deck = deck
    context.discard()
    #expect(card.deck === deck)
    try context.insert(card)
    try context.save()
    #expect(try context.count(Deck.self) == 1)
  }
}
