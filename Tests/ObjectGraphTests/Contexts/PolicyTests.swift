import LineageTestSupport
import ObjectGraph
import Testing

/// Tests of the calls that a policy's closure may make, and of the effects of its answer.
@Suite("Policies that are closures")
struct PolicyTests {
  /// Creates a context in which a card's question is edited and not saved. Another context has
  /// saved another question of that card.
  private func conflicting(_ stores: Stores) async throws -> (ObjectContext, Object<Card>) {
    let opened = try await stores.open()
    let context = opened.makeContext()
    let mine = try context.insert(Card("base"))
    mine.deck = try context.insert(Deck("deck"))
    try context.save()
    let other = opened.makeContext()
    try other.object(with: mine.id).question = "theirs"
    try other.save()
    mine.question = "mine"
    return (context, mine)
  }

  @Test("Their value is validated like any", arguments: Stores.all)
  func validated(_ stores: Stores) async throws {
    let root = try await stores.open().makeContext()
    let card = try root.insert(Card("a"))
    try root.save()
    let child = root.makeChild()
    try child.object(with: card.id).question = "mine"
    card.question = "theirs"
    child.conflictPolicy = .resolve { _ in .value(Card("forbidden")) }
    #expect(refusal { try child.save() } == "invalid")
  }

  @Test("They may fetch, and the save writes all the same", arguments: Stores.all)
  func fetching(_ stores: Stores) async throws {
    let (context, _) = try await conflicting(stores)
    try context.insert(Card("added"))
    context.conflictPolicy = .resolve { [unowned context] _ in
      _ = try context.count(Deck.self)
      return .mine
    }
    try context.save()
    #expect(try context.count(Card.self) == 2)
    #expect(try context.fetch(Card.self, where: { $0.question == "mine" }).count == 1)
  }

  @Test("They may follow relations there and back", arguments: Stores.all)
  func following(_ stores: Stores) async throws {
    let (context, mine) = try await conflicting(stores)
    try context.insert(Card("added"))
    context.conflictPolicy = .resolve { conflict in
      let card = conflict.object as? Object<Card>
      return card?.deck?.cards.isEmpty == false ? .mine : .theirs
    }
    try context.save()
    #expect(try context.count(Card.self) == 2)
    #expect(mine.question == "mine")
  }
}
