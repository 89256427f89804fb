import LineageTestSupport
import ObjectGraph
import Testing

/// Tests that count reads, because times differ from machine to machine.
@Suite("Costs")
struct CostTests {
  private let store: CountingStore
  private let root: ObjectContext

  init() throws {
    store = CountingStore(try MemoryStore(Library.entities))
    root = ObjectContext(store: store)
    for count in 0..<100 { try root.insert(Card("c\(count)", rightCount: count)) }
    try root.save()
    _ = store.take()
  }

  @Test("A fetch in a child reads the rows it finds, once")
  func fetch() throws {
    let child = root.makeChild().makeChild()
    let found = try child.fetch(Card.self, where: { $0.rightCount < 10 })
    #expect(found.count == 10)
    #expect(store.take().calls == CountingStore.Calls(rows: 10, queries: 1))
  }

  @Test("With a limit and unsaved changes it reads no more than limit and changes together")
  func limited() throws {
    let child = root.makeChild()
    let edited = try root.fetch(Card.self, where: { $0.rightCount > 97 })
    for card in edited { card.rightCount = 0 }
    try child.insert(Card("new"))
    _ = store.take()
    let found = try child.fetch(Card.self, sort: { $0.rightCount }, limit: 5, offset: 2)
    #expect(found.map(\.rightCount) == [0, 0, 1, 2, 3])
    let counts = store.take().calls
    #expect(counts.queries == 1 && counts.rows <= 5 + 2 + 3)
  }

  @Test("What is known is not read again")
  func known() throws {
    let cards = try root.fetch(Card.self, where: { $0.rightCount < 3 })
    let child = root.makeChild()
    _ = store.take()
    for card in cards {
      #expect(try child.object(with: card.id).question == card.question)
      #expect(try root.find(card.id) === card)
    }
    #expect(store.take().calls == CountingStore.Calls())
    _ = try root.find(Ref<Card>(key: 1))
    #expect(store.take().calls == CountingStore.Calls(lookups: 1))
  }

  @Test("A figure over unchanged rows is the store's; over changed ones it is computed here")
  func figures() throws {
    #expect(try root.count(Card.self, where: { $0.rightCount < 10 }) == 10)
    #expect(try root.sum(Card.self, of: { $0.rightCount }) == 4_950)
    #expect(store.take().calls == CountingStore.Calls(figures: 2))
    let card = try root.insert(Card("new", rightCount: 1))
    #expect(try root.sum(Card.self, of: { $0.rightCount }) == 4_951)
    #expect(try root.count(Deck.self) == 0)
    #expect(store.take().calls.figures == 1)
    try root.delete(card)
    _ = store.take()
    #expect(try root.sum(Card.self, of: { $0.rightCount }) == 4_950)
    #expect(
      store.take().calls == CountingStore.Calls(figures: 1), "what was taken back covers nothing")
  }

  @Test("Saving reads nothing, commits once, and nothing without changes")
  func saving() throws {
    let child = root.makeChild()
    let cards = try child.fetch(Card.self)
    for card in cards { card.rightCount += 1 }
    _ = store.take()
    try child.save()
    #expect(store.take().calls == CountingStore.Calls())
    try root.save()
    #expect(store.take().calls == CountingStore.Calls(commits: 1))
    try root.save()
    try child.saveAll()
    #expect(store.take().calls == CountingStore.Calls())
  }

  @Test("Prefetching a relation reads each target once, and following it then nothing")
  func prefetching() throws {
    let decks = try (0..<3).map { try root.insert(Deck("d\($0)")) }
    for (number, card) in try root.fetch(Card.self).enumerated() { card.deck = decks[number % 3] }
    try root.save()
    let other = ObjectContext(store: store)
    _ = store.take()
    let cards = try other.fetch(FetchRequest<Card>(prefetch: { $0.deck }))
    #expect(store.take().calls == CountingStore.Calls(rows: 103, queries: 2))
    #expect(Set(cards.compactMap { $0.deck?.name }).count == 3)
    #expect(store.take().calls == CountingStore.Calls())
    // A child prefetches, too, and releases the prefetched objects when its moment ends.
    let child = ObjectContext(store: store).makeChild()
    let copies = try child.fetch(FetchRequest<Card>(prefetch: { $0.deck }))
    #expect(child.identityCount.ids == 103)
    child.read {}
    #expect(child.identityCount.ids == 100 && copies.count == 100)
  }

  @Test("Children that nobody uses are not told of anything")
  func unusedChildren() throws {
    let children = (0..<1_000).map { _ in root.makeChild().makeChild() }
    #expect(root.bookkeeping.children == 0)
    let first = try #require(try root.fetch(Card.self).first)
    #expect(try children[7].object(with: first.id).question == first.question)
    #expect(root.bookkeeping.children == 1)
    first.question = "changed"
    #expect(try children[7].object(with: first.id).question == "changed")
    #expect(try children[8].object(with: first.id).question == "changed")
  }

  @Test("Objects that were set back are looked at once to tell that nothing is unsaved")
  func setBack() throws {
    let cards = try root.fetch(Card.self)
    for card in cards {
      card.rightCount += 1
      card.rightCount -= 1
    }
    #expect(root.bookkeeping.listed == 100)
    #expect(!root.hasUnsavedChanges)
    #expect(root.bookkeeping.listed == 0)
    cards[3].rightCount = -1
    #expect(root.hasUnsavedChanges && root.bookkeeping.listed == 1)
    root.discard()
  }

  @Test("To-many properties of unsaved objects look at their members", arguments: [true, false])
  func unsavedMembers(isDraft: Bool) throws {
    let context = isDraft ? try ObjectContext(draftOf: Library.entities) : root
    let decks = try (0..<100).map { try context.insert(Deck("d\($0)")) }
    for number in 0..<2_000 {
      try context.insert(Card("new")).deck = decks[number % 100]
    }
    let before = context.bookkeeping.examined
    for deck in decks { #expect(deck.cards.count == 20) }
    #expect(context.bookkeeping.examined - before == 2_000)
    // A lookup examines the edits since the last lookup, but not all unsaved objects.
    for number in 0..<100 {
      let card = try #require(decks[number].cards.first)
      card.deck = decks[(number + 1) % 100]
      #expect(decks[number].cards.count == (number == 0 ? 19 : 20))
    }
    #expect(context.bookkeeping.examined - before < 2_000 + 100 * 50)
    context.discard()
  }

  @Test("A cascade asks once for each level and relation, not for each object")
  func cascade() throws {
    let shelfless = try root.insert(Deck("owner"))
    for number in 0..<50 { try root.insert(Card("c\(number)")).deck = shelfless }
    try root.save()
    _ = store.take()
    try root.delete(shelfless)
    // The queries are for the deck's cards, the cards before them, and their fans.
    #expect(store.take().calls.queries == 3)
    try root.save()
  }

  @Test("A level of many objects is asked about in pieces of 500, in whatever context")
  func longLevel() throws {
    let deck = try root.insert(Deck("owner"))
    for number in 0..<1_100 { try root.insert(Card("c\(number)")).deck = deck }
    try root.save()
    for context in [root, root.makeChild(), root.makeChild().makeChild()] {
      let deck = try context.object(with: deck.id)
      let cards = deck.cards
      for card in cards.prefix(300) { card.rightCount += 1 }
      _ = store.take()
      try context.delete(deck)
      // One query is for the deck's cards. Three each are for the cards before them and their fans.
      #expect(store.take().calls == CountingStore.Calls(rows: 1_100, queries: 7))
      #expect(cards.count == 1_100 && cards.allSatisfy(\.isDeleted))
      context.discard()
      #expect(!deck.isDeleted && deck.cards.count == 1_100)
    }
  }

  @Test("What a delete rule forbids is found in pieces, too")
  func longDenial() throws {
    let shelf = try root.insert(Shelf("shelf"))
    for number in 0..<600 { try root.insert(Deck("d\(number)")).shelf = shelf }
    try root.save()
    let other = ObjectContext(store: store)
    let found = try other.object(with: shelf.id)
    _ = store.take()
    let reason = reason { try other.delete(found) }
    guard case .denied("Shelf", "decks", 600)? = reason else {
      Issue.record("\(String(describing: reason))")
      return
    }
    #expect(store.take().calls.queries == 1)
  }
}
