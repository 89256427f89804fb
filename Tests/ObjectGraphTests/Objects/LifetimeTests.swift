import LineageTestSupport
import ObjectGraph
import Testing

@Suite("Lifetimes")
struct LifetimeTests {
  @Test("Clean objects go when nobody holds them, changed ones stay", arguments: Stores.all)
  func objects(_ stores: Stores) async throws {
    let context = try await stores.open().makeContext()
    let ids = try (0..<100).map { try context.insert(Card("c\($0)")).id }
    #expect(context.identityCount.ids == 100)
    try context.save()
    #expect(context.identityCount.ids == 0)
    do {
      let cards = try context.fetch(Card.self)
      #expect(cards.count == 100 && context.identityCount.ids == 100)
      cards[7].question = "changed"
    }
    #expect(context.identityCount.ids == 1)
    #expect(try context.object(with: ids[7]).question == "changed")
    context.discard()
    #expect(context.identityCount.ids == 0)
    #expect(context.identityCount.slots <= 8 * Library.entities.count)
    #expect(context.checkInvariants())
  }

  @Test("A context goes with the last who holds it; its children keep it", arguments: Stores.all)
  func contexts(_ stores: Stores) async throws {
    let opened = try await stores.open()
    weak let root: ObjectContext?
    weak let child: ObjectContext?
    weak let card: Object<Card>?
    do {
      let context = opened.makeContext()
      let below = context.makeChild()
      let new = try context.insert(Card("c"))
      new.deck = try context.insert(Deck("d"))
      try context.save()
      context.recordsUndo = true
      context.conflictPolicy = .mine
      new.question = "changed"
      try below.object(with: new.id).answer = "changed"
      try below.saveAll()
      (root, child, card) = (context, below, new)
      #expect(below.parent === context)
    }
    #expect(root == nil && child == nil && card == nil)
  }

  @Test("Nothing is kept by an index of unsaved references", arguments: Stores.all)
  func referenceIndex(_ stores: Stores) async throws {
    let opened = try await stores.open()
    weak let card: Object<Card>?
    do {
      let context = opened.makeContext()
      let deck = try context.insert(Deck("d"))
      let cards = try (0..<40).map { try context.insert(Card("c\($0)")) }
      try context.save()
      for card in cards { card.deck = deck }
      #expect(deck.cards.count == 40)
      cards[3].question = "changed since the index was asked"
      card = cards[3]
      context.discard()
      for card in cards { card.deck = deck }
      #expect(deck.cards.count == 40)
      context.onError = { _ in }
      cards[4].question = "also at the end of the context"
    }
    #expect(card == nil)
  }

  @Test("The last references may be dropped on other threads", arguments: Stores.all)
  func offIsolation(_ stores: Stores) async throws {
    let opened = try await stores.open()
    let context = opened.makeContext()
    for count in 0..<200 { try context.insert(Card("c\(count)")) }
    try context.save()
    for round in 0..<20 {
      let objects = try context.fetch(Card.self)
      let handovers = (0..<4).map { part in
        Handover(objects.enumerated().filter { $0.offset % 4 == part }.map(\.element))
      }
      try await drop(handovers, while: context, round)
      #expect(context.checkInvariants())
    }
    #expect(context.identityCount.ids == 0)
    #expect(try context.count(Card.self) == 200)
  }

  /// Releases objects on other threads while their context fetches.
  nonisolated(nonsending)
    private func drop(
      _ handovers: [Handover<[Object<Card>]>], while context: ObjectContext, _ round: Int
    ) async throws
  {
    let tasks = handovers.map { handover in Task.detached { _ = handover.take() } }
    for _ in 0..<5 {
      let cards = try context.fetch(Card.self, limit: 40, offset: round)
      #expect(cards.allSatisfy { $0.question.hasPrefix("c") })
    }
    for task in tasks { await task.value }
  }

  @Test("Whole contexts and drafts may be dropped elsewhere", arguments: Stores.all)
  func contextsElsewhere(_ stores: Stores) async throws {
    let opened = try await stores.open()
    for _ in 0..<20 {
      let context = opened.makeContext()
      let child = context.makeChild()
      let card = Object(Card("c"))
      card.deck = Object(Deck("d"))
      let handover = Handover((child, card, try child.fetch(Card.self)))
      await Task.detached { _ = handover.take() }.value
      #expect(try context.count(Card.self) == 0)
    }
  }
}
