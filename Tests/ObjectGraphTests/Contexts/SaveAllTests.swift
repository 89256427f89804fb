import LineageTestSupport
import ObjectGraph
import Testing

/// Tests of saves of a context and all contexts above it.
@Suite("saveAll saves every level or nothing")
struct SaveAllTests {
  /// Returns a root and a form below it, in a store with one deck.
  private func levels(_ stores: Stores, _ deck: String = "Spanish") async throws
    -> (opened: OpenStore, root: ObjectContext, form: ObjectContext, deck: Object<Deck>)
  {
    let opened = try await stores.open()
    let root = opened.makeContext()
    let deck = try root.insert(Deck(deck))
    try root.save()
    return (opened, root, root.makeChild(), deck)
  }

  @Test("A refused name stays in the form, which can be cancelled", arguments: Stores.all)
  func refusedName(_ stores: Stores) async throws {
    let (opened, root, form, _) = try await levels(stores)
    root.recordsUndo = true
    form.recordsUndo = true
    let list = try LiveList(FetchRequest<Deck>(), in: root)
    var calls = 0
    let token = list.observe { _, _ in calls += 1 }
    calls = 0
    let second = try form.insert(Deck("Spanish"))
    second.name = "x"
    second.name = "Spanish"
    form.undo()
    #expect(form.canRedo && second.name == "x")
    form.redo()
    #expect(refusal { try form.saveAll() } == "notUnique")
    #expect(calls == 0 && list.count == 1 && second.name == "Spanish")
    #expect(form.hasUnsavedChanges && !root.hasUnsavedChanges && form.canUndo && !root.canUndo)
    #expect(try root.find(second.id) == nil)
    #expect(form.checkInvariants() && root.checkInvariants())
    form.undo()
    #expect(second.name == "x")
    form.discard()
    #expect(!form.hasUnsavedChanges && second.context == nil)
    try root.insert(Deck("French"))
    try root.save()
    #expect(try opened.makeContext().count(Deck.self) == 2)
    withExtendedLifetime(token) {}
  }

  @Test("A save that succeeds tells each list once, and ends all histories", arguments: Stores.all)
  func tellsOnce(_ stores: Stores) async throws {
    let (opened, root, form, deck) = try await levels(stores)
    root.recordsUndo = true
    form.recordsUndo = true
    let sibling = root.makeChild()
    let copy = try sibling.object(with: deck.id)
    let other = try sibling.insert(Deck("sibling's"))
    let lists = try [root, form, sibling].map { try LiveList(FetchRequest<Deck>(), in: $0) }
    var calls = [0, 0, 0]
    let tokens = lists.indices.map { index in lists[index].observe { _, _ in calls[index] += 1 } }
    try root.insert(Deck("root's"))
    try form.object(with: deck.id).name = "form's"
    calls = [0, 0, 0]
    try form.saveAll()
    #expect(calls == [1, 0, 1] && copy.name == "form's" && deck.name == "form's")
    #expect(!root.hasUnsavedChanges && !form.hasUnsavedChanges && sibling.hasUnsavedChanges)
    #expect(!root.canUndo && !form.canUndo && other.changes.kind == .inserted)
    let names = try opened.makeContext().values(Deck.self).map(\.name).sorted()
    #expect(names == ["form's", "root's"])
    withExtendedLifetime((tokens, lists)) {}
  }

  @Test("The form's values are judged, not those that it replaces", arguments: Stores.all)
  func repaired(_ stores: Stores) async throws {
    let (opened, root, form, _) = try await levels(stores)
    let card = try root.insert(Card("forbidden"))
    let doomed = try root.insert(Card("forbidden"))
    try form.delete(form.object(with: doomed.id))
    root.name = "root"
    form.name = "form"
    #expect(refusal { try form.saveAll() } == "invalid")
    #expect(!doomed.isDeleted && root.checkInvariants() && form.checkInvariants())
    try form.object(with: card.id).question = "repaired"
    try form.object(with: card.id).rightCount = -101
    let error = #expect(throws: GraphError.self) { try form.saveAll() }
    #expect(error?.context == "form")
    try form.object(with: card.id).rightCount = 0
    try form.saveAll()
    #expect(try opened.makeContext().values(Card.self).map(\.question) == ["repaired"])
  }

  @Test(
    "The highest context that has edited the property decides, merged or not",
    arguments: Stores.all, [true, false])
  func policies(_ stores: Stores, merges: Bool) async throws {
    let (opened, root, form, deck) = try await levels(stores)
    form.conflictPolicy = .mine
    try form.object(with: deck.id).name = "form's"
    let other = opened.makeContext()
    try other.object(with: deck.id).name = "other's"
    try other.save()
    if merges { try root.merge() }
    try form.saveAll()
    #expect(deck.name == "form's")

    let shelf = try root.insert(Shelf("old"))
    try root.save()
    shelf.name = "root's"
    try form.object(with: shelf.id).name = "form's"
    try other.object(with: shelf.id).name = "other's"
    try other.save()
    if merges { try root.merge() }
    #expect(refusal { try form.saveAll() } == "conflict")
    #expect(shelf.name == "root's" && shelf.changes.properties == ["name"])
    #expect(try form.object(with: shelf.id).name == "form's")
    root.conflictPolicy = .theirs
    try form.saveAll()
    #expect(shelf.name == "other's")
    #expect(try form.object(with: shelf.id).name == "other's" && !form.hasUnsavedChanges)
  }

  @Test("Policies without code of the app decide inside the commit")
  func inside() throws {
    let memory = try MemoryStore(Library.entities)
    let store = OvertakingStore(memory)
    let root = ObjectContext(store: store)
    let card = try root.insert(Card("a"))
    try root.save()
    let form = root.makeChild()
    let id = card.id
    root.conflictPolicy = .theirs
    form.conflictPolicy = .mine
    store.overtake {
      let other = memory.makeContext()
      try other.object(with: id).rightCount += 10
      try other.save()
    }
    try form.object(with: id).rightCount = 5
    try form.saveAll()
    #expect(card.rightCount == 5 && !root.hasUnsavedChanges && !form.hasUnsavedChanges)
    card.rightCount = 6
    try form.object(with: id).rightCount = 7
    try form.saveAll()
    #expect(card.rightCount > 7 && !root.hasUnsavedChanges && !form.hasUnsavedChanges)
    #expect(try form.object(with: id).rightCount == card.rightCount)
    form.conflictPolicy = .resolve { _ in .mine }
    try form.object(with: id).rightCount = 8
    #expect(refusal { try form.saveAll() } == "overtaken")
    #expect(try form.object(with: id).rightCount == 8 && form.hasUnsavedChanges)
  }

  @Test("A closure of a policy cannot save, discard or undo in the contexts that are saved")
  func refusals() throws {
    let root = ObjectContext(store: try MemoryStore(Library.entities))
    let card = try root.insert(Card("old"))
    try root.save()
    let form = root.makeChild()
    let sibling = root.makeChild()
    try sibling.insert(Card("sibling's"))
    let copy = try form.object(with: card.id)
    let calls: [() throws -> Void] = [
      { try root.save() }, { form.discard() }, { root.undo() }, { try form.saveAll() },
      { try sibling.save() }, { try sibling.saveAll() }, { try root.merge() },
    ]
    for call in calls {
      copy.question = "form's"
      card.question = "root's"
      form.conflictPolicy = .resolve { _ in
        try? call()
        return .mine
      }
      #expect(refusal { try form.saveAll() } == "saving")
      #expect(copy.question == "form's" && card.question == "root's")
      #expect(sibling.hasUnsavedChanges && form.checkInvariants() && root.checkInvariants())
      // The closure retains the form, which would retain itself for ever.
      form.conflictPolicy = .error
      form.discard()
      root.discard()
    }
  }

  @Test(
    "Edits by a policy's closure in other objects stay edits, and are told",
    arguments: [true, false])
  func editsInClosures(fails: Bool) throws {
    let store = try MemoryStore(Library.entities)
    let root = ObjectContext(store: store)
    let card = try root.insert(Card("old"))
    let other = try root.insert(Card("other"))
    try root.save()
    let form = root.makeChild()
    let copy = try form.object(with: card.id)
    let list = try LiveList(FetchRequest<Card>(sort: { $0.question }), in: root)
    copy.question = "form's"
    card.question = "root's"
    form.conflictPolicy = .resolve { _ in
      other.question = "z"
      return .mine
    }
    if fails { store.failNextCommit(with: GraphError("save", .full)) }
    #expect((refusal { try form.saveAll() } == "full") == fails)
    #expect(list.map(\.question) == [fails ? "root's" : "form's", "z"])
    #expect(other.changes.isEmpty != fails && root.checkInvariants() && form.checkInvariants())
  }

  @Test("A deletion that a refused save has found is known in each context")
  func deletedElsewhere() throws {
    let store = try MemoryStore(Library.entities)
    let (root, other) = (ObjectContext(store: store), ObjectContext(store: store))
    let id = try other.insert(Card("old")).id
    try other.save()
    let form = root.makeChild()
    try form.object(with: id).question = "form's"
    #expect(try root.count(Card.self) == 1)
    try other.delete(other.object(with: id))
    try other.save()
    #expect(refusal { try form.saveAll() } == "conflict")
    #expect(try root.count(Card.self) == 0)
    form.discard()
    #expect(try form.count(Card.self) == 0)
  }

  @Test("Without a store, nothing runs")
  func drafts() throws {
    let draft = try ObjectContext(draftOf: Library.entities)
    let child = draft.makeChild()
    try child.insert(Card("a"))
    #expect(refusal { try child.saveAll() } == "disconnected" && child.hasUnsavedChanges)
    #expect(refusal { try draft.saveAll() } == "disconnected")
    #expect(refusal { try child.edit { _ in Issue.record("it has run") } } == "disconnected")
    try child.save()
    #expect(try draft.count(Card.self) == 1)
  }
}
