import LineageTestSupport
import ObjectGraph
import Testing

@Suite("Observers of one object") struct ObservedObjectTests {
  /// A card of a context, and what its observer has heard.
  private final class Ear {
    var heard: [String] = []
    var token: ObjectObservation?

    init(_ card: Object<Card>) {
      token = card.observe { [weak self] card, change in
        let names = change.properties.joined(separator: " ")
        self?.heard.append(change.isDeleted ? "deleted" : names)
        #expect(change.contains(\.question) == change.properties.contains("question"))
        #expect(change.contains(\.deck) == change.properties.contains("deck"))
      }
    }

    /// Returns what was heard since the last call.
    func take() -> [String] {
      defer { heard = [] }
      return heard
    }
  }

  private struct Stop: Error {}

  @Test("Hear once of each operation, and only of values that differ", arguments: Stores.all)
  func operations(_ stores: Stores) async throws {
    let root = try await stores.open().makeContext()
    root.recordsUndo = true
    let card = try root.insert(Card("a"))
    let deck = try root.insert(Deck("d"))
    let ear = Ear(card)
    card.question = "b"
    card.question = "b"
    #expect(ear.take() == ["question"])
    root.group { (card.rightCount, card.question, card.answer) = (2, "c", "d") }
    #expect(ear.take() == ["question answer rightCount"])
    root.group { (card.rightCount, card.rightCount) = (3, 2) }
    card.deck = deck
    #expect(ear.take() == ["deck"])
    try root.save()
    #expect(ear.take() == [])
    card.value = Card("e", rightCount: 2)
    #expect(ear.take() == ["question answer deck"])
    root.undo()
    #expect(ear.take() == ["question answer deck"])
    root.redo()
    root.discard()
    #expect(ear.take() == ["question answer deck", "question answer deck"])
    ear.token?.cancel()
    card.question = "f"
    #expect(ear.take() == [])
  }

  @Test("Hear of a deletion, and again of what brings the object back", arguments: Stores.all)
  func deletions(_ stores: Stores) async throws {
    let opened = try await stores.open()
    let root = opened.makeContext()
    root.recordsUndo = true
    let deck = try root.insert(Deck("d"))
    let card = try root.insert(Card("a"))
    card.deck = deck
    try root.save()
    let ear = Ear(card)
    try root.delete(deck)
    #expect(ear.take() == ["deleted"])
    root.undo()
    #expect(ear.take() == [""])
    root.redo()
    root.discard()
    #expect(ear.take() == ["deleted", ""])
    let other = opened.makeContext()
    try other.delete(other.object(with: card.id))
    try other.save()
    try root.merge()
    #expect(ear.take() == ["deleted"])
    let new = try root.insert(Card("new"))
    let second = Ear(new)
    root.discard()
    #expect(second.take() == ["deleted"])
    try root.insert(new)
    #expect(second.take() == [""])
    root.discard()
  }

  @Test("Hear of the contexts above and below, and of others", arguments: Stores.all)
  func elsewhere(_ stores: Stores) async throws {
    let both = try await TwoRoots(stores)
    let child = both.mine.makeChild()
    let below = try child.object(with: both.card.id)
    let (above, under) = (Ear(both.card), Ear(below))
    both.card.answer = "x"
    #expect(above.take() == ["answer"] && under.take() == ["answer"])
    below.question = "y"
    both.card.question = "z"
    #expect(above.take() == ["question"] && under.take() == ["question"])
    child.discard()
    #expect(above.take() == [] && under.take() == ["question"])
    below.rightCount = 9
    try child.save()
    #expect(above.take() == ["rightCount"] && under.take() == ["rightCount"])
    try both.mine.save()
    #expect(above.take() == [] && under.take() == [])
    (both.other.isHard, both.other.rightCount) = (true, 5)
    try both.theirs.save()
    #expect(above.take() == [] && under.take() == [])
    try both.mine.merge()
    #expect(above.take() == ["isHard"] && under.take() == ["isHard"])
    below.answer = "w"
    #expect(under.take() == ["answer"])
    both.mine.discard()
    #expect(above.take() == [] && under.take() == [])
    both.card.answer = "v"
    both.mine.discard()
    #expect(above.take() == ["answer", "answer"] && under.take() == [])
    child.discard()
    #expect(above.take() == [] && under.take() == ["answer"])
  }

  @Test("Hear nothing of a save that fails, in one context or in all", arguments: Stores.all)
  func failed(_ stores: Stores) async throws {
    let both = try await TwoRoots(stores)
    let child = both.mine.makeChild()
    let below = try child.object(with: both.card.id)
    below.question = "mine"
    both.other.question = "theirs"
    try both.theirs.save()
    let (above, under) = (Ear(both.card), Ear(below))
    #expect(throws: GraphError.self) { try child.saveAll() }
    #expect(above.take() == ["question"] && under.take() == [])
    #expect(both.card.question == "theirs" && below.question == "mine")
    child.discard()
    #expect(under.take() == ["question"])
  }

  @Test("Lists come first, then objects, then values; an edit is told after the present operation")
  func order() throws {
    let context = try MemoryStore(Library.entities).makeContext()
    let card = try context.insert(Card("a"))
    let other = try context.insert(Card("b"))
    var heard: [String] = []
    let sum = try LiveValue(in: context) { try $0.sum(Card.self, of: { $0.rightCount }) }
    let first = card.observe { card, change in
      heard.append("card \(change.properties) \(other.rightCount)")
      if card.rightCount == 1 { other.rightCount += 1 }
    }
    let second = other.observe { other, change in heard.append("other \(other.rightCount)") }
    let third = sum.observe { heard.append("sum \($0)") }
    let list = try LiveList<Card>(FetchRequest(where: { $0.rightCount > 0 }), in: context)
    let fourth = list.observe { list, _ in heard.append("list \(list.map(\.question))") }
    card.rightCount = 1
    #expect(
      heard == [
        #"list ["a"]"#, #"card ["rightCount"] 0"#, "sum 2", #"list ["a", "b"]"#, "other 1",
      ])
    withExtendedLifetime([first, second, third, fourth]) {}
  }

  @Test("An observer that changes what it observes each time ends in an error, not in a hang")
  func endless() throws {
    let context = try MemoryStore(Library.entities).makeContext()
    let log = Faults()
    context.onError = log.hear
    let card = try context.insert(Card("a"))
    let token = card.observe { card, _ in card.rightCount += 1 }
    card.rightCount = 1
    #expect(card.rightCount == 101)
    #expect(
      log.lines == [
        "could not tell the observers of a change: they have changed objects again 100 times, each "
          + "time because of such a change"
      ])
    token.cancel()
  }

  @Test("Keep the object, not the context; an ended context calls nobody")
  func lifetimes() throws {
    var heard: [String] = []
    let root = try MemoryStore(Library.entities).makeContext()
    let above = try root.insert(Card("a"))
    try root.save()
    weak var former: ObjectContext?
    var ear: Ear?
    do {
      let child = root.makeChild()
      former = child
      ear = Ear(try child.object(with: above.id))
      above.question = "b"
    }
    #expect(former == nil && ear?.take() == ["question"])
    above.question = "c"
    #expect(ear?.take() == [])
    // Of two observers, the first ends the context of both.
    var doomed: ObjectContext? = root.makeChild()
    let below = try #require(try doomed?.object(with: above.id))
    let tokens = [1, 2].map { number in
      below.observe { _, _ in
        heard.append("\(number)")
        doomed = nil
      }
    }
    above.question = "d"
    #expect(heard == ["1"] && doomed == nil)
    tokens.forEach { $0.cancel() }
    root.discard()
  }

  @Test("A token that another observer releases is not called in the same operation")
  func released() throws {
    let context = try MemoryStore(Library.entities).makeContext()
    let card = try context.insert(Card("a"))
    var heard: [Int] = []
    var tokens: [ObjectObservation] = []
    tokens = (0..<3).map { number in
      card.observe { _, _ in
        heard.append(number)
        tokens.removeLast()
      }
    }
    card.rightCount = 1
    #expect(heard == [0, 1])
    card.rightCount = 2
    #expect(heard == [0, 1, 0])
    context.discard()
  }

  @Test("An object in no context has no observers, and says so")
  func disconnected() async throws {
    let card = Object(Card("a"))
    var isHeard = false
    let token = card.observe { _, _ in isHeard = true }
    card.question = "b"
    #expect(!isHeard)
    token.cancel()
    var values = card.updates.makeAsyncIterator()
    #expect(await values.next() == nil)
  }

  @Test("Of 10,000 observed objects, an edit calls one observer")
  func counted() throws {
    let context = try MemoryStore(Library.entities).makeContext()
    var calls = 0
    let cards = try context.group { try (0..<10_000).map { try context.insert(Card("\($0)")) } }
    let tokens = cards.map { $0.observe { _, _ in calls += 1 } }
    cards[5_000].rightCount = 1
    #expect(calls == 1)
    context.group { for card in cards { card.rightCount += 1 } }
    #expect(calls == 10_001)
    tokens.forEach { $0.cancel() }
    cards[1].rightCount = 9
    #expect(calls == 10_001)
  }
}
