import LineageTestSupport
import ObjectGraph
import Testing

@Suite("Saving and merging")
struct SavingTests {
  @Test("A commit that fails leaves everything unsaved; the same save works later")
  func failing() throws {
    let store = try MemoryStore(Library.entities)
    let context = ObjectContext(store: store)
    let old = try context.insert(Card("old"))
    let doomed = try context.insert(Card("doomed"))
    try context.save()
    old.question = "edited"
    try context.delete(doomed)
    let new = try context.insert(Card("new"))
    for reason in [GraphError.Reason.full, .inputOutput("EIO"), .timeout(seconds: 5)] {
      store.failNextCommit(with: GraphError("save", reason))
      #expect(throws: GraphError.self) { try context.save() }
      #expect([old, doomed, new].map(\.changes.kind) == [.updated, .deleted, .inserted])
      #expect(
        try ObjectContext(store: store).values(Card.self).map(\.question) == ["old", "doomed"])
    }
    try context.save()
    #expect(!context.hasUnsavedChanges)
    #expect(try ObjectContext(store: store).values(Card.self).map(\.question) == ["edited", "new"])
  }

  @Test("What another root context saved is seen after a merge, also below", arguments: Stores.all)
  func merge(_ stores: Stores) async throws {
    let opened = try await stores.open()
    let root = opened.makeContext()
    let cards = try (0..<3).map { try root.insert(Card("c\($0)")) }
    try root.save()
    let child = root.makeChild()
    let grandchild = child.makeChild()
    let below = try cards.map { try grandchild.object(with: $0.id) }
    cards[1].rightCount = 1
    below[2].rightCount = 2
    let other = opened.makeContext()
    for card in try other.fetch(Card.self) { card.question += "!" }
    let new = try other.insert(Card("new"))
    try other.save()
    #expect(cards.map(\.question) == ["c0", "c1", "c2"])
    try grandchild.merge()
    #expect(cards.map(\.question) == ["c0!", "c1!", "c2!"])
    #expect(cards.map(\.rightCount) == [0, 1, 0])
    #expect(below.map(\.question).prefix(2) == ["c0!", "c1!"])
    #expect(below.map(\.rightCount) == [0, 1, 2])
    #expect(try grandchild.object(with: new.id).question == "new")
    #expect(cards[1].changes.properties == ["rightCount"])
    try grandchild.saveAll()
    #expect(
      try opened.makeContext().values(Card.self).map { "\($0.question)\($0.rightCount)" }
        == ["c0!0", "c1!1", "c2!2", "new0"])
  }

  @Test("A change below survives a merge that nobody above holds", arguments: Stores.all)
  func unheld(_ stores: Stores) async throws {
    let opened = try await stores.open()
    let root = opened.makeContext()
    let id = try root.insert(Card("old")).id
    try root.save()
    let child = root.makeChild().makeChild()
    let card = try child.object(with: id)
    card.rightCount = 1
    let other = opened.makeContext()
    try other.object(with: id).question = "theirs"
    try other.save()
    try root.merge()
    #expect(card.rightCount == 1)
    try child.saveAll()
    #expect(card.question == "theirs" && card.rightCount == 1)
    #expect(try opened.makeContext().object(with: id).rightCount == 1)
  }

  @Test("Several reads of one moment agree while others commit", arguments: Stores.all)
  func oneMoment(_ stores: Stores) async throws {
    let opened = try await stores.open()
    let context = opened.makeContext()
    let other = opened.makeContext()
    try other.insert(Card("a"))
    try other.save()
    let counts = try context.read {
      let first = try context.count(Card.self)
      try other.insert(Card("b"))
      try other.save()
      return [first, try context.values(Card.self).count]
    }
    #expect(counts == [1, 1])
    let later = try context.read { try context.count(Card.self) }
    #expect(later == 2)
  }

  @Test("An edit that is taken back is nothing to save", arguments: Stores.all)
  func takenBack(_ stores: Stores) async throws {
    let context = try await stores.open().makeContext()
    let card = try context.insert(Card("c"))
    #expect(card.changes.kind == .inserted)
    try context.save()
    card.question = "changed"
    card.isHard = true
    #expect(card.changes.properties == ["question", "isHard"] && context.hasUnsavedChanges)
    card.question = "c"
    #expect(card.changes.properties == ["isHard"])
    card.isHard = false
    #expect(card.changes.isEmpty && card.changes.kind == .none && !context.hasUnsavedChanges)
    try context.save()
  }

  @Test(
    "Texts are equal by their bytes: another form of a letter is a change", arguments: Stores.all)
  func bytes(_ stores: Stores) async throws {
    let opened = try await stores.open()
    let context = opened.makeContext()
    let card = try context.insert(Card("\u{e9}"))
    try context.save()
    card.question = "e\u{301}"
    #expect(card.changes.properties == ["question"])
    try context.save()
    let stored = try opened.makeContext().object(with: card.id).question
    #expect(Array(stored.utf8) == Array("e\u{301}".utf8))
  }

  @Test(
    "A deletion below that is discarded shows what others saved meanwhile", arguments: Stores.all)
  func discardAfterMerge(_ stores: Stores) async throws {
    let opened = try await stores.open()
    let root = opened.makeContext()
    let id = try root.insert(Card("a")).id
    try root.save()
    let child = root.makeChild().makeChild()
    let mine = try child.object(with: id)
    try child.delete(mine)
    let other = opened.makeContext()
    try other.object(with: id).question = "theirs"
    try other.save()
    try root.merge()
    child.discard()
    #expect(mine.question == "theirs" && !mine.isDeleted)
  }
}
