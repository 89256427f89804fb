import LineageTestSupport
import ObjectGraph
import Testing

@Suite("Nested contexts")
struct NestedTests {
  @Test("What is discarded in a child never was", arguments: Stores.all)
  func discard(_ stores: Stores) async throws {
    let root = try await stores.open().makeContext()
    let card = try root.insert(Card("2 + 2?"))
    try root.save()
    let child = root.makeChild()
    let copy = try child.object(with: card.id)
    copy.question = "changed"
    let new = try child.insert(Card("new"))
    try child.delete(child.insert(Card("new and gone")))
    #expect(child.hasUnsavedChanges && !root.hasUnsavedChanges)
    #expect(card.question == "2 + 2?")
    child.discard()
    #expect(!child.hasUnsavedChanges && !root.hasUnsavedChanges)
    #expect(copy.question == "2 + 2?" && copy.changes.isEmpty)
    #expect(new.context == nil && !new.isDeleted)
    #expect(try child.fetch(Card.self) == [copy])
    #expect(try root.fetch(Card.self) == [card])
  }

  @Test(
    "A save goes up one level; siblings without edits of their own see it", arguments: Stores.all)
  func save(_ stores: Stores) async throws {
    let opened = try await stores.open()
    let root = opened.makeContext()
    let card = try root.insert(Card("old"))
    try root.save()
    let children = (0..<3).map { _ in root.makeChild() }
    let copies = try children.map { try $0.object(with: card.id) }
    copies[1].question = "another's"
    copies[0].question = "new"
    #expect(card.question == "old" && copies[2].question == "old")
    try children[0].save()
    #expect(card.question == "new" && root.hasUnsavedChanges && !children[0].hasUnsavedChanges)
    #expect(card.changes.kind == .updated && card.changes.properties == ["question"])
    #expect(copies.map(\.question) == ["new", "another's", "new"])
    #expect(try opened.makeContext().object(with: card.id).question == "old")
    try root.save()
    #expect(!root.hasUnsavedChanges && card.changes.isEmpty)
    #expect(try opened.makeContext().object(with: card.id).question == "new")
  }

  @Test("saveAll goes up to the store, or saves nothing", arguments: Stores.all)
  func saveAll(_ stores: Stores) async throws {
    let opened = try await stores.open()
    let root = opened.makeContext()
    let child = root.makeChild()
    let grandchild = child.makeChild()
    let card = try grandchild.insert(Card("deep"))
    try grandchild.saveAll()
    #expect(try opened.makeContext().object(with: card.id).question == "deep")

    card.rightCount = 3
    let inRoot = try root.object(with: card.id)
    try child.object(with: card.id).rightCount = 2
    #expect(refusal { try grandchild.saveAll() } == "conflict")
    #expect(card.rightCount == 3 && card.changes.properties == ["rightCount"])
    #expect(inRoot.rightCount == 0 && !root.hasUnsavedChanges)
    grandchild.conflictPolicy = .mine
    try grandchild.saveAll()
    #expect(inRoot.rightCount == 3 && !root.hasUnsavedChanges && !child.hasUnsavedChanges)
  }

  @Test("An insertion in a child that the store refuses stays in the child")
  func stopped() async throws {
    let store = try MemoryStore(Library.entities)
    let root = ObjectContext(store: store)
    let child = root.makeChild()
    try child.insert(Card("a"))
    store.failNextCommit(with: GraphError("save", .full))
    #expect(throws: GraphError.self) { try child.saveAll() }
    #expect(child.hasUnsavedChanges && !root.hasUnsavedChanges)
    try root.save()
    #expect(try ObjectContext(store: store).count(Card.self) == 0)
    try child.saveAll()
    #expect(try ObjectContext(store: store).count(Card.self) == 1)
  }

  @Test("Deleting in a child what is new in its parent leaves no trace", arguments: Stores.all)
  func deleteNew(_ stores: Stores) async throws {
    let opened = try await stores.open()
    let root = opened.makeContext()
    let card = try root.insert(Card("new"))
    let child = root.makeChild()
    let copy = try child.object(with: card.id)
    try child.delete(copy)
    #expect(try child.fetch(Card.self).isEmpty)
    #expect(try root.fetch(Card.self) == [card])
    try child.save()
    #expect(card.isDeleted && copy.isDeleted && card.question == "new")
    #expect(!root.hasUnsavedChanges)
    try root.save()
    #expect(try opened.makeContext().count(Card.self) == 0)
  }

  @Test("A fetch sees all unsaved changes above, at each level", arguments: Stores.all)
  func overlay(_ stores: Stores) async throws {
    let root = try await stores.open().makeContext()
    for count in 0..<6 { try root.insert(Card("c\(count)", rightCount: count)) }
    try root.save()
    let child = root.makeChild()
    let grandchild = child.makeChild()
    func rights(_ context: ObjectContext) throws -> [Int] {
      try context.fetch(
        Card.self, where: { $0.rightCount >= 2 }, sort: { $0.rightCount.descending }
      ).map(\.rightCount)
    }
    try root.fetch(Card.self, where: { $0.rightCount == 5 }).first?.rightCount = 1
    try child.fetch(Card.self, where: { $0.question == "c0" }).first?.rightCount = 9
    try child.delete(#require(child.fetch(Card.self, where: { $0.rightCount == 3 }).first))
    try grandchild.insert(Card("new", rightCount: 8))
    #expect(try rights(root) == [4, 3, 2])
    #expect(try rights(child) == [9, 4, 2])
    #expect(try rights(grandchild) == [9, 8, 4, 2])
    #expect(try grandchild.count(Card.self, where: { $0.rightCount == 1 }) == 2)
    #expect(try grandchild.sum(Card.self, of: { $0.rightCount }) == 1 + 1 + 2 + 4 + 9 + 8)
    #expect(try grandchild.maximum(Card.self, of: { $0.rightCount }) == 9)
    #expect(
      try grandchild.values(Card.self, sort: { $0.rightCount }, limit: 2, offset: 1).map(\.question)
        == ["c5", "c2"])
  }

  @Test("The largest limit is no limit", arguments: Stores.all)
  func largest(_ stores: Stores) async throws {
    let context = try await stores.open().makeContext()
    for count in 0..<3 { try context.insert(Card("c\(count)", rightCount: count)) }
    try context.save()
    try context.insert(Card("new"))
    #expect(try context.fetch(Card.self, limit: .max, offset: 1).count == 3)
    #expect(try context.fetch(Card.self, limit: .max, offset: .max).isEmpty)
    #expect(try context.fetch(Card.self, limit: -1, offset: -7).isEmpty)
    #expect(try context.fetch(Card.self, limit: 2, offset: -7).count == 2)
    #expect(try context.fetch(Card.self, limit: 0).isEmpty)
  }

  @Test("A deletion takes along what came from below and is unsaved yet", arguments: Stores.all)
  func deleteFromBelow(_ stores: Stores) async throws {
    let opened = try await stores.open()
    let root = opened.makeContext()
    let deck = try root.insert(Deck("d"))
    let card = try root.insert(Card("c"))
    card.deck = deck
    try root.save()
    let one = root.makeChild()
    let two = one.makeChild()
    let three = two.makeChild()
    let deep = try three.insert(Card("deep"))
    deep.deck = try three.object(with: deck.id)
    try three.save()
    // The second context has the third one's card as an unsaved change when it deletes the deck.
    try two.delete(try two.object(with: deck.id))
    #expect(deep.isDeleted)
    try two.saveAll()
    #expect(try opened.makeContext().count(Card.self) == 0)
    #expect(try opened.makeContext().count(Deck.self) == 0)
    #expect(!root.hasUnsavedChanges && card.isDeleted)
  }
}
