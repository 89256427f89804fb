import LineageTestSupport
import ObjectGraph
import Testing

@Suite("Values that follow a context") struct LiveValueTests {
  /// A live value that counts its computations.
  private final class Counted<Figure: Equatable> {
    private(set) var count = 0
    private var live: LiveValue<Figure>?

    init(
      in context: ObjectContext, _ compute: @escaping (ObjectContext) throws -> Figure
    ) throws {
      live = try LiveValue(in: context) { [unowned self] context in
        count += 1
        return try compute(context)
      }
    }

    var value: Figure { get throws { try #require(live).value } }

    /// Returns the number of computations since the last call.
    func take() -> Int {
      defer { count = 0 }
      return count
    }
  }

  @Test("Computed only if something was touched that was read", arguments: Stores.all)
  func economy(_ stores: Stores) async throws {
    let context = try await stores.open().makeContext()
    context.recordsUndo = true
    let deck = try context.insert(Deck("d"))
    let cards = try (0..<4).map { try context.insert(Card("\($0)", rightCount: $0)) }
    cards[0].deck = deck
    try context.save()
    let all = try Counted(in: context) { try $0.count(Card.self) }
    let hard = try Counted(in: context) { try $0.count(Card.self, where: { $0.isHard }) }
    let sum = try Counted(in: context) {
      try $0.sum(Card.self, of: { $0.rightCount }, where: { $0.deck.name == "d" })
    }
    let texts = try Counted(in: context) { try $0.fetch(Card.self).map(\.question) }
    let name = try Counted(in: context) { try $0.object(with: cards[0].id).deck?.name }
    func computed() -> [Int] { [all, hard, sum].map { $0.take() } + [texts.take(), name.take()] }
    #expect(computed() == [1, 1, 1, 1, 1])
    try context.insert(Learner("nobody reads"))
    #expect(computed() == [0, 0, 0, 0, 0])
    cards[0].answer = "x"
    #expect(computed() == [0, 0, 0, 1, 1])
    cards[0].rightCount = 7
    #expect(computed() == [0, 0, 1, 1, 1])
    cards[0].isHard = true
    #expect(computed() == [0, 1, 0, 1, 1])
    context.undo()
    #expect(computed() == [0, 1, 0, 1, 1])
    deck.name = "e"
    #expect(computed() == [0, 0, 1, 0, 1])
    deck.shelf = try context.insert(Shelf("s"))
    #expect(computed() == [0, 0, 0, 0, 1])
    try context.group { for number in 0..<100 { try context.insert(Card("\(number)")) } }
    #expect(computed() == [1, 1, 1, 1, 1])
    context.discard()
    #expect(computed() == [1, 1, 1, 1, 1])
    // In a child, the values of a child's save into this context, and of a merge.
    let child = context.makeChild()
    let below = try child.object(with: cards[1].id)
    below.answer = "y"
    #expect(computed() == [0, 0, 0, 0, 0])
    try child.save()
    #expect(computed() == [0, 0, 0, 1, 1])
    try context.save()
    #expect(computed() == [0, 0, 0, 0, 0])
    #expect(try (all.value, hard.value, sum.value) == (4, 0, 0))
    #expect(try texts.value == ["0", "1", "2", "3"] && name.value == "d")
    #expect(computed() == [0, 0, 0, 0, 0])
  }

  @Test("What others have committed is compared with what was read", arguments: Stores.all)
  func others(_ stores: Stores) async throws {
    let both = try await TwoRoots(stores)
    let child = both.mine.makeChild()
    let sum = try Counted(in: child) { try $0.sum(Card.self, of: { $0.rightCount }) }
    _ = sum.take()
    both.other.answer = "x"
    try both.theirs.save()
    try both.mine.merge()
    #expect(try sum.value == 5 && sum.take() == 0)
    both.other.rightCount = 6
    try both.theirs.save()
    try both.mine.merge()
    #expect(try sum.take() == 1 && sum.value == 6)
    try both.theirs.insert(Card("new", rightCount: 10))
    try both.theirs.save()
    // Without a merge, the next moment shows a row that no context has an object of.
    #expect(try both.mine.read { try sum.value } == 16)
  }

  @Test("Observers hear each new value once, also of a value below others", arguments: Stores.all)
  func observers(_ stores: Stores) async throws {
    let context = try await stores.open().makeContext()
    let child = context.makeChild()
    var heard: [String] = []
    let count = try LiveValue(in: child) { try $0.count(Card.self) }
    let list = try LiveList<Card>(FetchRequest(where: { $0.isHard }), in: child)
    let both = try LiveValue(in: child) { _ in try count.value * 10 + list.count }
    let tokens = [
      count.observe { heard.append("count \($0)") }, both.observe { heard.append("both \($0)") },
    ]
    let card = try context.insert(Card("a"))
    card.rightCount = 1
    card.isHard = true
    #expect(heard == ["count 1", "both 10", "both 11"])
    context.group { (card.isHard, card.isHard) = (false, true) }
    try context.save()
    try context.delete(card)
    #expect(heard.dropFirst(3) == ["count 0", "both 0"])
    tokens.forEach { $0.cancel() }
    context.discard()
    #expect(try both.value == 11 && heard.count == 5)
  }

  @Test("A closure that throws is called again after the next operation")
  func problems() throws {
    let context = try MemoryStore(Library.entities).makeContext()
    let cards = try LiveValue(in: context) { context in
      let count = try context.count(Card.self)
      if count == 1 { throw Mishap("one is none") }
      return count
    }
    var heard: [Int] = []
    let token = cards.observe { heard.append($0) }
    try context.insert(Card("a"))
    #expect(throws: Mishap.self) { try cards.value }
    try context.insert(Card("b"))
    #expect(try cards.value == 2 && heard == [2])
    token.cancel()
    context.discard()
    #expect(throws: Mishap.self) {
      try LiveValue(in: context) { _ -> Int in throw Mishap("at once") }
    }
  }

  @Test("Nothing may change in the closure of a live value, nor in that of an upsert")
  func onlyReading() throws {
    let context = try MemoryStore(Library.entities).makeContext()
    let log = Faults()
    context.onError = log.hear
    context.recordsUndo = true
    let card = try context.insert(Card("a"))
    try context.insert(Deck("d"))
    func trespass() -> [String] {
      let attempts: [() throws -> Void] = [
        { try context.insert(Card("b")) }, { try context.delete(card) }, { try context.save() },
        { try context.makeChild().saveAll() }, { try context.merge() }, { try context.refresh() },
        { try context.set(\.deck, of: card, to: nil) },
        { try context.upsert(Deck("d"), by: \.name) { _, _ in } },
        { try context.edit { try $0.insert(Card("c")) } },
        { try context.insert(Object(Card("d"))) },
      ]
      context.undo()
      context.discard()
      card.question = "changed"
      card.value = Card("changed")
      return attempts.map { attempt in refusal { try attempt() } ?? "done" }
    }
    let live = try LiveValue(in: context) { _ in trespass() }
    let expected =
      Array(repeating: "mustOnlyRead", count: 7) + ["done", "mustOnlyRead", "mustOnlyRead"]
    #expect(try live.value == expected)
    #expect(log.lines.count == 4 && log.lines.allSatisfy { $0.contains("must only read") })
    var below: [String] = []
    try context.upsert(Deck("d"), by: \.name) { _, _ in below = trespass() }
    #expect(below == expected && log.lines.count == 8)
    #expect(
      log.lines.last
        == "could not change \(card.id): the closure of an upsert must only read")
    #expect(card.question == "a" && card.changes.kind == .inserted)
    card.question = "b"
    #expect(card.question == "b")
  }

  @Test("Counts by a property are those of the objects, in one query", arguments: Stores.all)
  func counts(_ stores: Stores) async throws {
    let opened = try await stores.open()
    let counting = CountingStore(opened.store)
    let context = ObjectContext(store: counting)
    let decks = try (0..<3).map { try context.insert(Deck("\($0)")) }
    for number in 0..<10 {
      let card = try context.insert(Card("\(number % 2)", rightCount: number))
      if number < 7 { card.deck = decks[number % 3] }
    }
    try context.save()
    func check(_ queries: Int = 1) throws {
      _ = counting.take()
      let byDeck = try context.counts(Card.self, by: \.deck, where: { $0.rightCount > 0 })
      let calls = counting.take().calls
      #expect(calls.figures + calls.queries == queries)
      let cards = try context.fetch(Card.self, where: { $0.rightCount > 0 })
      let expected = Dictionary(grouping: cards) { $0.value.deck }.mapValues(\.count)
      #expect(byDeck == expected)
      let hard = try context.counts(Card.self, by: \.isHard)
      let all = try context.fetch(Card.self)
      #expect(hard == Dictionary(grouping: all) { $0.isHard }.mapValues(\.count))
      #expect(try context.count(Card.self, where: { $0.rightCount > 0 }) == cards.count)
    }
    try check()
    #expect(try context.counts(Card.self, by: \.question) == ["0": 5, "1": 5])
    let cards = try context.fetch(Card.self)
    cards[1].deck = decks[2]
    cards[2].rightCount = 0
    try context.delete(cards[3])
    try context.insert(Card("new", rightCount: 1)).deck = decks[0]
    try check()
    let live = try LiveValue(in: context) { try $0.counts(Card.self, by: \.deck) }
    cards[4].deck = nil
    #expect(try live.value[decks[0].id] == 3 && live.value[nil] == 4)
    #expect(refusal { _ = try context.counts(Deck.self, by: \.cardsText) } == "request")
    context.discard()
  }
}

extension Deck {
  fileprivate var cardsText: String { "not an attribute" }
}
