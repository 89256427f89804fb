import LineageTestSupport
import ObjectGraph
import Testing

@Suite("What is no longer there")
struct DeletedTests {
  @Test("An object deleted elsewhere reads its last value, and says so", arguments: Stores.all)
  func elsewhere(_ stores: Stores) async throws {
    let opened = try await stores.open()
    let context = opened.makeContext()
    let faults = Faults()
    context.onError = faults.hear
    let cards = try (0..<2).map { try context.insert(Card("c\($0)")) }
    try context.save()
    cards[1].question = "edited"
    let other = opened.makeContext()
    for card in cards { try other.delete(other.object(with: card.id)) }
    try other.save()
    #expect(!cards[0].isDeleted)
    try context.merge()
    #expect(cards[0].isDeleted && cards[0].question == "c0" && cards[0].changes.isEmpty)
    cards[0].question = "too late"
    #expect(cards[0].question == "c0" && faults.reasons == ["deleted"])
    #expect(refusal { try context.set(\.deck, of: cards[0], to: nil) } == "deleted")
    #expect(refusal { try context.object(with: cards[0].id) } == "deleted")
    #expect(try context.find(cards[0].id) == nil)
    #expect(refusal { try context.insert(cards[0]) } == "deleted")
    try context.delete(cards[0])
    #expect(cards[1].question == "edited")
    #expect(refusal { try context.save() } == "conflict")
    #expect(cards[1].question == "edited" && context.hasUnsavedChanges)
    context.discard()
    #expect(cards[1].isDeleted && !context.hasUnsavedChanges)
    #expect(try context.count(Card.self) == 0)
  }

  @Test("Deleted here: gone from fetches and relations, its value stays", arguments: Stores.all)
  func here(_ stores: Stores) async throws {
    let context = try await stores.open().makeContext()
    let deck = try context.insert(Deck("d"))
    let card = try context.insert(Card("c"))
    card.deck = deck
    try context.save()
    try context.delete(card)
    #expect(card.changes.kind == .deleted && card.isDeleted && card.question == "c")
    #expect(deck.cards.isEmpty && card.deck === deck)
    #expect(try context.values(Card.self).isEmpty)
    let isThere = try context.exists(Card.self)
    #expect(!isThere)
    context.discard()
    #expect(!card.isDeleted && deck.cards == [card] && card.changes.isEmpty)
    try context.delete(card)
    try context.save()
    #expect(card.isDeleted && card.changes.isEmpty && card.question == "c")
  }

  @Test(
    "An object that outlives its context still reads, and cannot be changed",
    arguments: Stores.all)
  func outlived(_ stores: Stores) async throws {
    var context: ObjectContext? = try await stores.open().makeContext()
    let deck = try context?.insert(Deck("d"))
    let card = try #require(try context?.insert(Card("c")))
    card.deck = deck
    try context?.save()
    context = nil
    #expect(card.context == nil && !card.isDeleted)
    #expect(card.question == "c" && card.deck == nil && card.value.deck == deck?.id)
    #expect(card.fans.isEmpty)
    card.question = "later"
    #expect(card.question == "c" && card.changes.kind != .updated)
  }

  @Test("A context that ends with unsaved changes says so", arguments: Stores.all)
  func ended(_ stores: Stores) async throws {
    let root = try await stores.open().makeContext()
    let faults = Faults()
    root.onError = faults.hear
    let card = try root.insert(Card("c"))
    try root.save()
    var child: ObjectContext? = root.makeChild()
    let (edited, new) = (try child?.object(with: card.id), try child?.insert(Card("new")))
    edited?.question = "changed"
    child = nil
    #expect(faults.reasons == ["ended"])
    edited?.question = "later"
    new?.question = "later"
    #expect(edited?.question == "changed" && new?.question == "new")
    child = root.makeChild()
    try child?.object(with: card.id).question = "c"
    child = nil
    #expect(faults.reasons == ["ended"], "an edit that changes nothing is no change")
    #expect(card.question == "c")
  }

  @Test("All that is invalid is told at once, and nothing saved", arguments: Stores.all)
  func invalid(_ stores: Stores) async throws {
    let opened = try await stores.open()
    let root = opened.makeContext()
    let context = root.makeChild()
    let one = try context.insert(Card("forbidden", rightCount: -101))
    let two = try context.insert(Card("forbidden"))
    try context.insert(Card("fine"))
    let gone = try context.insert(Card("forbidden"))
    try context.delete(gone)
    guard case .invalid(let objects)? = reason({ try context.saveAll() }) else {
      Issue.record("valid")
      return
    }
    #expect(objects.map(\.object) == ["\(one.id)", "\(two.id)"])
    #expect(
      objects.map { $0.problems.map(\.property) } == [["question", "rightCount"], ["question"]])
    #expect(!root.hasUnsavedChanges)
    one.value = Card("fine")
    two.question = "fine"
    try context.saveAll()
    #expect(try opened.makeContext().count(Card.self) == 3)
  }

  @Test("A value that no column holds is refused by name", arguments: Stores.all)
  func unholdable(_ stores: Stores) async throws {
    let opened = try await stores.open([Sample.self, Group.self])
    let context = opened.makeContext()
    let sample = try context.insert(Sample())
    sample.huge = .max
    let refused = #expect(throws: GraphError.self) { try context.save() }
    #expect(
      "\(try #require(refused))"
        == "could not save \(sample.id): \(sample.id): huge is 18446744073709551615,"
        + " more than a store's integer holds")
    sample.huge = UInt64(Int64.max)
    sample.score = .nan
    #expect(refusal { try context.save() } == "invalid")
    sample.score = -.infinity
    try context.save()
    let found = try #require(try opened.makeContext().fetch(Sample.self).first)
    #expect(found.huge == UInt64(Int64.max) && found.score == -.infinity)
  }

  @Test("A draft that a deleted object is linked to is not inserted", arguments: Stores.all)
  func linked(_ stores: Stores) async throws {
    let context = try await stores.open().makeContext()
    let card = try context.insert(Card("card"))
    try context.save()
    try context.delete(card)
    let deck = Object(Deck("new"))
    #expect(refusal { try context.set(\.deck, of: card, to: deck) } == "deleted")
    #expect(deck.context == nil)
    #expect(try context.count(Deck.self) == 0)
  }
}
