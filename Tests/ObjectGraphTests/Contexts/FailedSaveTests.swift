import LineageTestSupport
import ObjectGraph
import Testing

/// Tests in which a policy decides about one object, but the save fails because of another object.
@Suite("Law 4: a save that throws has changed nothing, even if its policy has decided")
struct FailedSaveTests {
  @Test("A failed save keeps the edits that its policy had given up", arguments: Stores.all)
  func edits(_ stores: Stores) async throws {
    let two = try await twoWithTakenName(stores)
    two.other.question = "theirs"
    try two.theirs.save()
    two.card.question = "mine"
    let deck = try two.mine.insert(Deck("taken"))
    two.mine.conflictPolicy = .theirs
    #expect(refusal { try two.mine.save() } == "notUnique")
    #expect(two.card.question == "mine")
    #expect(two.card.changes.properties == ["question"])
    two.mine.conflictPolicy = .mine
    deck.name = "free"
    try two.mine.save()
    #expect(try two.stored?.question == "mine")
  }

  @Test("It keeps the edits of what others have deleted", arguments: Stores.all)
  func editsOfDeleted(_ stores: Stores) async throws {
    let two = try await twoWithTakenName(stores)
    try two.theirs.delete(two.other)
    try two.theirs.save()
    two.card.question = "mine"
    try two.mine.insert(Deck("taken"))
    two.mine.conflictPolicy = .theirs
    #expect(refusal { try two.mine.save() } == "notUnique")
    #expect(two.card.changes.properties == ["question"] && !two.card.isDeleted)
    two.mine.discard()
  }

  /// Returns two root contexts with one card. Their store also has a deck with the name "taken",
  /// which must be unique.
  private func twoWithTakenName(_ stores: Stores) async throws -> TwoRoots {
    let two = try await TwoRoots(stores)
    try two.mine.insert(Deck("taken"))
    try two.mine.save()
    return two
  }

  @Test("It keeps the deletion that its policy had given up", arguments: Stores.all)
  func deletion(_ stores: Stores) async throws {
    let opened = try await stores.open()
    let context = opened.makeContext()
    let cards = try (0..<2).map { try context.insert(Card("base \($0)")) }
    try context.save()
    let other = opened.makeContext()
    for card in cards { try other.object(with: card.id).question = "theirs" }
    try other.save()
    try context.delete(cards[0])
    cards[1].question = "mine"
    context.conflictPolicy = .resolve { conflict in
      if conflict.properties.isEmpty { return .theirs }
      throw Mishap("asked")
    }
    #expect(throws: Mishap("asked")) { try context.save() }
    #expect(cards[0].isDeleted)
    #expect(cards[0].changes.kind == .deleted)
  }

  @Test("A child's keeps them as well", arguments: Stores.all)
  func child(_ stores: Stores) async throws {
    let root = try await stores.open().makeContext()
    let theirs = try (0..<2).map { try root.insert(Card("\($0)")) }
    try root.save()
    let child = root.makeChild()
    let mine = try theirs.map { try child.object(with: $0.id) }
    for card in mine { card.question = "mine" }
    for card in theirs { card.question = "theirs" }
    child.conflictPolicy = .resolve { conflict in
      if conflict.object === mine[0] { return .theirs }
      throw Mishap("asked")
    }
    #expect(throws: Mishap("asked")) { try child.save() }
    #expect(mine[0].question == "mine")
  }

  @Test("What the parent had deleted is no draft after it and a discard", arguments: Stores.all)
  func gone(_ stores: Stores) async throws {
    let root = try await stores.open().makeContext()
    let theirs = try (0..<2).map { try root.insert(Card("\($0)")) }
    try root.save()
    let child = root.makeChild()
    let mine = try theirs.map { try child.object(with: $0.id) }
    for card in mine { card.question = "mine" }
    try root.delete(theirs[0])
    theirs[1].question = "theirs"
    child.conflictPolicy = .resolve { conflict in
      if conflict.properties.isEmpty { return .theirs }
      throw Mishap("asked")
    }
    #expect(throws: Mishap("asked")) { try child.save() }
    child.discard()
    #expect(mine[0].isDeleted && mine[0].context === child)
    root.discard()
    #expect(try child.find(theirs[0].id) === mine[0])
    #expect(!mine[0].isDeleted)
  }
}
