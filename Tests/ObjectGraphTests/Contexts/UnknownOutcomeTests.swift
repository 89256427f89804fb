import LineageTestSupport
import ObjectGraph
import Testing

/// Tests in which the connection to a store breaks during a commit, before or after the store has
/// the commit.
@Suite("A commit whose outcome is unknown")
struct UnknownOutcomeTests {
  private let store: FarStore
  private let context: ObjectContext
  private let card: Object<Card>
  private let doomed: Object<Card>
  private let new: Object<Card>

  init() throws {
    store = FarStore(try MemoryStore(Library.entities))
    context = ObjectContext(store: store)
    card = try context.insert(Card("old"))
    doomed = try context.insert(Card("doomed"))
    try context.save()
    card.question = "edited"
    new = try context.insert(Card("new"))
    try context.delete(doomed)
  }

  private var storedQuestions: [String] {
    get throws { try store.memory.makeContext().fetch(Card.self).map(\.question).sorted() }
  }

  private func fail(_ kind: FarStore.Break) {
    store.breakNext(kind)
    let reason = reason { try context.save() }
    #expect(reason.map { "\($0)" }?.contains("nobody knows") == true)
    #expect(context.hasUnsavedChanges && context.hasNews)
    #expect(card.question == "edited" && !new.isDeleted && doomed.isDeleted)
  }

  @Test("What was stored is no change after the next merge")
  func stored() throws {
    fail(.after)
    try context.merge()
    #expect(!context.hasUnsavedChanges && doomed.isDeleted)
    #expect(card.question == "edited" && new.question == "new")
    card.question = "again"
    new.question = "newer"
    try context.save()
    #expect(try storedQuestions == ["again", "newer"])
  }

  @Test("What was not stored is as unsaved as before")
  func notStored() throws {
    fail(.before)
    try context.merge()
    #expect(context.hasUnsavedChanges && doomed.isDeleted)
    try context.save()
    #expect(!context.hasUnsavedChanges)
    #expect(try storedQuestions == ["edited", "new"])
  }

  @Test("A save without a merge finds out, too", arguments: [true, false])
  func savedAgain(isStored: Bool) throws {
    fail(isStored ? .after : .before)
    card.answer = "edited since"
    try context.save()
    #expect(!context.hasUnsavedChanges)
    #expect(try storedQuestions == ["edited", "new"])
    #expect(try store.memory.makeContext().object(with: card.id).answer == "edited since")
  }

  @Test("What others have changed since is contested, and theirs where nothing is edited")
  func changedSince() throws {
    fail(.after)
    let theirs = store.memory.makeContext()
    try theirs.object(with: card.id).question = "theirs"
    try theirs.object(with: new.id).answer = "theirs"
    try theirs.save()
    try context.merge()
    #expect(card.question == "edited" && reason { try context.save() } != nil)
    context.conflictPolicy = .theirs
    try context.save()
    #expect(card.question == "theirs")
    #expect(try storedQuestions == ["new", "theirs"])
  }

  @Test("What is given up is read as it is by then", arguments: [true, false])
  func discarded(isStored: Bool) throws {
    fail(isStored ? .after : .before)
    context.discard()
    try context.merge()
    #expect(!context.hasUnsavedChanges && card.question == (isStored ? "edited" : "old"))
    #expect(try context.count(Card.self) == 2)
    #expect(doomed.isDeleted == isStored)
  }

  @Test(
    "Edits of a child and of its parent stay where they are until the rows are read",
    arguments: [true, false])
  func child(isStored: Bool) throws {
    try context.save()
    card.answer = "parent's"
    card.rightCount = 1
    let child = context.makeChild()
    let copy = try child.object(with: card.id)
    copy.question = "child's"
    copy.rightCount = 2
    let inserted = try child.insert(Card("child's new"))
    store.breakNext(isStored ? .after : .before)
    #expect(refusal { try child.saveAll() } == "unknownOutcome")
    #expect(child.hasUnsavedChanges && context.hasUnsavedChanges)
    #expect(copy.changes.properties == ["question", "rightCount"])
    #expect(card.rightCount == 1 && copy.rightCount == 2 && inserted.changes.kind == .inserted)
    try context.merge()
    #expect(child.hasUnsavedChanges != isStored && context.hasUnsavedChanges != isStored)
    #expect(copy.question == "child's" && copy.rightCount == 2)
    #expect(card.rightCount == (isStored ? 2 : 1) && card.answer == "parent's")
    try child.saveAll()
    let stored = try store.memory.makeContext().object(with: card.id)
    #expect(stored.question == "child's" && stored.answer == "parent's" && stored.rightCount == 2)
    #expect(try store.memory.makeContext().find(inserted.id) != nil)
  }

  @Test("A child's deletion that was stored ends the edits above", arguments: [true, false])
  func childDeletes(isStored: Bool) throws {
    try context.save()
    card.question = "parent's"
    let child = context.makeChild()
    try child.delete(child.object(with: card.id))
    store.breakNext(isStored ? .after : .before)
    #expect(refusal { try child.saveAll() } == "unknownOutcome")
    try context.merge()
    #expect(card.isDeleted == isStored)
    #expect(context.hasUnsavedChanges != isStored && child.hasUnsavedChanges != isStored)
    try child.saveAll()
    #expect(try store.memory.makeContext().find(card.id) == nil)
  }

  @Test("The next save compares the rows at each level, too")
  func childSaves() throws {
    try context.save()
    let child = context.makeChild()
    try child.object(with: card.id).question = "child's"
    let inserted = try child.insert(Card("child's new"))
    store.breakNext(.after)
    #expect(refusal { try child.saveAll() } == "unknownOutcome")
    try child.save()
    #expect(!child.hasUnsavedChanges && !context.hasUnsavedChanges && !inserted.isDeleted)
  }

  @Test("What hooks wrote is known again, and is no conflict", arguments: [false, true])
  func hooks(_ isStored: Bool) throws {
    let store = FarStore(try MemoryStore([Memo.self]))
    let context = ObjectContext(store: store)
    let old = try context.insert(Memo(title: "Old"))
    try context.save()
    for form in [context, context.makeChild()] {
      let saves = old.saves
      try form.object(with: old.id).title = "Title \(saves)"
      let new = try form.insert(Memo(title: "New \(saves)"))
      store.breakNext(isStored ? .after : .before)
      #expect(throws: GraphError.self) { try form.saveAll() }
      #expect(new.saves == 0 && new.created == nil)
      try form.saveAll()
      #expect(old.saves == saves + 1 && old.slug == "title \(saves)")
      #expect(new.saves == 1 && new.slug == "new \(saves)" && new.created != nil)
      #expect(!form.hasUnsavedChanges && !context.hasUnsavedChanges)
    }
  }

  @Test(
    "An edit that is never in conflict stays, and the next save writes it",
    arguments: [false, true])
  func neverInConflict(_ isStored: Bool) throws {
    let store = FarStore(try MemoryStore(Library.entities))
    let context = ObjectContext(store: store)
    let learner = try context.insert(Learner("old"))
    try context.save()
    learner.name = "mine"
    store.breakNext(isStored ? .after : .before)
    #expect(throws: GraphError.self) { try context.save() }
    let others = store.memory.makeContext()
    try others.object(with: learner.id).name = "theirs"
    try others.save()
    try context.save()
    #expect(learner.name == "mine" && !context.hasUnsavedChanges)
    #expect(try store.memory.makeContext().object(with: learner.id).name == "mine")
  }

  @Test("What a hook wrote to a new object is no conflict, also if others have changed it since")
  func hookedSince() throws {
    let store = FarStore(try MemoryStore([Memo.self]))
    let context = ObjectContext(store: store)
    let new = try context.insert(Memo(title: "New"))
    store.breakNext(.after)
    #expect(throws: GraphError.self) { try context.save() }
    let others = store.memory.makeContext()
    try others.object(with: new.id).note = "theirs"
    try others.save()
    let reports = conflictProperties { try context.save() }
    #expect(reports == [["note"]])
    context.conflictPolicy = .theirs
    try context.save()
    #expect(new.note == "theirs" && new.saves == 2)
  }
}
