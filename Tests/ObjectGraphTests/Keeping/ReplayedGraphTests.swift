import Foundation
import LineageTestSupport
import ObjectGraph
import Testing

@Suite("Replayed changes belong together")
struct ReplayedGraphTests {
  @Test("Each of three contexts gets its own changes", arguments: Stores.all)
  func threeDeep(_ stores: Stores) async throws {
    let restart = try await Restart(stores, depth: 3)
    let cards = try restart.contexts.map { try restart.card(in: $0) }
    for (level, card) in cards.enumerated() {
      card.rightCount = 10 + level
      try restart.contexts[level].insert(Deck("\(level)"))
    }
    cards[0].answer = "root"
    try restart.commit { _, card in card.question = "theirs" }
    try await restart.restart()
    let again = try restart.contexts.map { try restart.card(in: $0) }
    #expect(again.map(\.rightCount) == [10, 11, 12])
    #expect(again.map(\.answer) == ["root", "root", "root"])
    #expect(again.map(\.question) == ["theirs", "theirs", "theirs"])
    #expect(try restart.contexts.map { try $0.count(Deck.self) } == [1, 2, 3])
    // The edits below began with what the contexts above showed, so nothing is contested.
    restart.child.discard()
    #expect(again[2].rightCount == 11)
    again[2].rightCount = 20
    try restart.child.saveAll()
    let stored = restart.opened.makeContext()
    #expect(try restart.card(in: stored).rightCount == 20)
    #expect(try stored.count(Deck.self) == 2)
  }

  @Test("A change above that comes from others is contested at each level", arguments: Stores.all)
  func contestedLevels(_ stores: Stores) async throws {
    let restart = try await Restart(stores, depth: 3)
    for (level, context) in restart.contexts.enumerated() where level != 1 {
      try restart.card(in: context).rightCount = 10 + level
    }
    try restart.commit { _, card in card.rightCount = 5 }
    try await restart.restart()
    #expect(try restart.contexts.map { try restart.card(in: $0).rightCount } == [10, 10, 12])
    #expect(properties { try restart.root.save() } == [["rightCount"]])
    restart.root.discard()
    #expect(try restart.contexts.map { try restart.card(in: $0).rightCount } == [5, 5, 12])
    #expect(properties { try restart.child.save() } == [["rightCount"]])
    restart.child.discard()
  }

  @Test(
    "An edited reference leads to the new object that comes back with it", arguments: Stores.all)
  func newTarget(_ stores: Stores) async throws {
    let restart = try await Restart(stores)
    let card = try restart.card(in: restart.child)
    let deck = try restart.child.insert(Deck("new"))
    let shelf = try restart.child.insert(Shelf("s"))
    (card.deck, deck.shelf) = (deck, shelf)
    try await restart.restart()
    let again = try restart.card(in: restart.child)
    #expect(again.deck?.name == "new" && again.deck?.shelf?.name == "s")
    #expect(try restart.child.object(with: deck.id).cards.map(\.id) == [card.id])
    #expect(try restart.child.fetch(Card.self, where: { $0.deck.shelf.name == "s" }) == [again])
    try restart.child.saveAll()
    #expect(try restart.stored { try restart.card(in: $0).deck?.shelf?.name } == "s")
  }

  @Test(
    "A reference to an object that is gone stays, and the save throws",
    arguments: [true, false], Stores.all)
  func dangling(_ isNew: Bool, _ stores: Stores) async throws {
    let restart = try await Restart(stores)
    let deck = try restart.root.insert(Deck("d"))
    try restart.root.save()
    let card = isNew ? try restart.child.insert(Card("n")) : try restart.card(in: restart.child)
    card.deck = try restart.child.object(with: deck.id)
    try restart.commit { context, _ in try context.delete(context.object(with: deck.id)) }
    try await restart.restart()
    let again = try restart.child.object(with: card.id)
    #expect(again.value.deck == deck.id && again.deck == nil)
    #expect(refusal { try restart.child.saveAll() } == "dangling")
    #expect(again.value.deck == deck.id && restart.child.hasUnsavedChanges)
    again.deck = nil
    try restart.child.saveAll()
  }

  @Test(
    "A unique value that others have taken meanwhile is an error of the save", arguments: Stores.all
  )
  func unique(_ stores: Stores) async throws {
    let restart = try await Restart(stores)
    let deck = try restart.child.insert(Deck("d"))
    try restart.commit { context, _ in try context.insert(Deck("d")) }
    try await restart.restart()
    let again = try restart.child.object(with: deck.id)
    #expect(again.changes.kind == .inserted)
    #expect(refusal { try restart.child.saveAll() } == "notUnique")
    again.name = "e"
    try restart.child.saveAll()
    #expect(try restart.stored { try $0.count(Deck.self) } == 2)
  }

  @Test("Unique values that were exchanged are exchanged by the save", arguments: Stores.all)
  func exchanged(_ stores: Stores) async throws {
    let restart = try await Restart(stores)
    let decks = try ["a", "b"].map { try restart.root.insert(Deck($0)) }
    try restart.root.save()
    try restart.child.object(with: decks[0].id).name = "b"
    try restart.child.object(with: decks[1].id).name = "a"
    try await restart.restart()
    try restart.child.saveAll()
    #expect(try restart.stored { try $0.fetch(Deck.self).map(\.name) } == ["b", "a"])
  }

  @Test("Links of a many-to-many property come back in their order", arguments: Stores.all)
  func links(_ stores: Stores) async throws {
    let restart = try await Restart(stores)
    let tally = try restart.root.insert(Tally("t"))
    let cards = try ["b", "c", "d"].map { try restart.root.insert(Card($0)) }
    try tally.cards.append(cards[0])
    try tally.cards.append(cards[1])
    try restart.root.save()
    let mine = try restart.child.object(with: tally.id)
    try mine.cards.insert(restart.child.object(with: cards[2].id), at: 0)
    try mine.cards.remove(at: 1)
    try await restart.restart()
    let again = try restart.child.object(with: tally.id)
    #expect(again.cards.map(\.question) == ["d", "c"])
    try restart.child.saveAll()
    #expect(
      try restart.stored { try $0.object(with: tally.id).cards.map(\.question) } == ["d", "c"])
  }

  @Test(
    "What a policy inserts again is inserted, or edits what exists again", arguments: Stores.all)
  func insertedAgain(_ stores: Stores) async throws {
    for exists in [false, true] {
      let restart = try await Restart(stores)
      let card = try restart.card(in: restart.child)
      card.rightCount = 5
      try restart.commit { context, card in try context.delete(card) }
      try restart.root.merge()
      restart.child.conflictPolicy = .mine
      try restart.child.save()
      #expect(restart.root.keptEdits.map(\.change) == [.insertedAgain])
      if exists {
        let other = restart.opened.makeContext()
        try other.insert(Object(Card("back", rightCount: 8), id: card.id))
        try other.save()
      }
      try await restart.restart()
      let again = try restart.root.object(with: card.id)
      #expect(again.rightCount == 5 && again.question == "a")
      try restart.root.save()
      #expect(try restart.stored { try $0.object(with: card.id).rightCount } == 5)
    }
  }

  @Test(
    "One operation: lists, values, observers and contexts below hear once", arguments: Stores.all)
  func heardOnce(_ stores: Stores) async throws {
    let restart = try await Restart(stores)
    let other = try restart.root.insert(Card("b"))
    try restart.root.save()
    let mine = try restart.card(in: restart.child)
    (mine.rightCount, mine.answer) = (5, "x")
    try restart.child.delete(restart.child.object(with: other.id))
    for name in ["c", "d"] { try restart.child.insert(Card(name)) }
    var heard: [String] = []
    var tokens: [ObjectObservation] = []
    var followers: [AnyObject] = []
    try await restart.restart {
      for (name, context) in [("here", restart.child), ("below", restart.child.makeChild())] {
        let list = try LiveList(FetchRequest<Card>(sort: { $0.question }), in: context)
        let sum = try LiveValue(in: context) { try $0.sum(Card.self, of: { $0.rightCount }) }
        tokens.append(list.observe { list, _ in heard.append("\(name) \(list.count) cards") })
        tokens.append(sum.observe { heard.append("\(name) sum \($0)") })
        tokens.append(
          try restart.card(in: context).observe { _, change in
            heard.append("\(name) \(change.properties.joined(separator: " "))")
          })
        followers += [list, sum, context]
      }
    }
    #expect(
      heard.sorted() == [
        "below 3 cards", "below answer rightCount", "below sum 5", "here 3 cards",
        "here answer rightCount", "here sum 5",
      ])
    #expect(restart.told == 1)
    tokens = []
    withExtendedLifetime(followers) { restart.child.discard() }
  }

  @Test("1,200 objects of an entity are read by three queries", arguments: Stores.all)
  func queries(_ stores: Stores) async throws {
    let store = CountingStore(try await stores.open().store)
    let first = store.makeContext()
    for count in 0..<1_200 { try first.insert(Card("\(count)", rightCount: count)) }
    try first.save()
    for card in try first.fetch(Card.self) { card.rightCount += 1 }
    let edits = first.keptEdits
    first.discard()
    let context = store.makeContext().makeChild()
    _ = store.take()
    guard case .replayed(let leftOut) = try context.replay(edits, of: UUID(), count: 0) else {
      Issue.record("They were not replayed.")
      return
    }
    #expect(leftOut.isEmpty)
    let counts = store.take()
    #expect(counts.calls == CountingStore.Calls(rows: 1_200, queries: 3))
    #expect(counts.moments == 1)
    #expect(try context.fetch(Card.self).map(\.rightCount) == Array(1...1_200))
    context.discard()
  }

  @Test("If the store cannot be read, nothing is replayed, and the id is not taken over")
  func unreadable() async throws {
    let store = CountingStore(try MemoryStore(Library.entities))
    var first: ObjectContext? = store.makeContext()
    first?.keepEdits {}
    try first?.insert(Card("a"))
    try first?.save()
    try first?.fetch(Card.self).first?.rightCount = 5
    try first?.insert(Card("b"))
    let kept = try Restart.Kept(#require(first))
    first?.onError = { _ in }
    first = nil
    let context = store.makeContext()
    context.keepEdits {}
    store.fail(with: GraphError("read", .closed))
    #expect(refusal { try context.replay(kept.edits, of: kept.id, count: kept.count) } == "closed")
    #expect(!context.hasUnsavedChanges && context.keeping?.id != kept.id)
    store.fail(with: nil)
    _ = try context.replay(kept.edits, of: kept.id, count: kept.count)
    #expect(context.keptEdits.count == 2 && context.keeping?.id == kept.id)
    context.discard()
  }
}
