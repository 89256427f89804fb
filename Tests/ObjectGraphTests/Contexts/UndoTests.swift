import LineageTestSupport
import ObjectGraph
import Synchronization
import Testing

@Suite("Undo")
struct UndoTests {
  @Test("Edits are undone and done again, one by one", arguments: Stores.all)
  func edits(_ stores: Stores) async throws {
    let context = try await stores.open().makeContext()
    let card = try context.insert(Card("0"))
    try context.save()
    context.recordsUndo = true
    #expect(!context.canUndo && !context.canRedo)
    for text in ["1", "2", "3"] { card.question = text }
    context.undo()
    context.undo()
    #expect(card.question == "1" && context.canUndo && context.canRedo)
    context.redo()
    #expect(card.question == "2")
    context.undo()
    context.undo()
    #expect(card.question == "0" && !context.canUndo && card.changes.isEmpty)
    #expect(!context.hasUnsavedChanges)
    context.undo()
    for _ in 0..<4 { context.redo() }
    #expect(card.question == "3" && card.changes.properties == ["question"])
    context.undo()
    card.question = "4"
    #expect(!context.canRedo)
    try context.save()
    #expect(!context.canUndo && !context.canRedo)
    #expect(card.question == "4")
  }

  @Test("A context that does not record says so, and what to do")
  func unrecorded() throws {
    let context = try MemoryStore(Library.entities).makeContext()
    let faults = Mutex<[String]>([])
    context.onError = { fault in faults.withLock { $0.append("\(fault)") } }
    let card = try context.insert(Card("c"))
    context.undo()
    context.redo()
    let advice = "the context does not record changes; set recordsUndo before they are made"
    #expect(faults.withLock { $0 } == ["could not undo: \(advice)"])
    context.recordsUndo = true
    context.undo()
    context.redo()
    #expect(faults.withLock { $0.count } == 1)
    #expect(card.question == "c")
    try context.save()
  }

  @Test("An insertion, a deletion with its rules, a link: one step each", arguments: Stores.all)
  func steps(_ stores: Stores) async throws {
    let context = try await stores.open().makeContext()
    let deck = try context.insert(Deck("Sums"))
    let cards = try (0..<3).map { try context.insert(Card("c\($0)")) }
    for card in cards { card.deck = deck }
    let learner = try context.insert(Learner("Ann"))
    learner.favourite = cards[0]
    try context.save()
    context.recordsUndo = true

    try context.delete(deck)
    #expect(cards.allSatisfy(\.isDeleted) && learner.favourite == nil)
    context.undo()
    #expect(!context.canUndo && !context.hasUnsavedChanges)
    #expect(!deck.isDeleted && deck.cards == cards && learner.favourite === cards[0])
    context.redo()
    #expect(deck.isDeleted && cards.allSatisfy(\.isDeleted) && learner.favourite == nil)
    context.undo()

    let other = Object(Deck("Other"))
    let draft = Object(Card("draft"))
    draft.deck = other
    try context.insert(draft)
    context.undo()
    #expect(!context.hasUnsavedChanges && draft.isDeleted && other.isDeleted)
    #expect(try context.fetch(Deck.self) == [deck])
    context.redo()
    #expect(other.cards == [draft] && context.hasUnsavedChanges)
    context.undo()

    cards[1].deck = Object(Deck("Third"))
    #expect(deck.cards == [cards[0], cards[2]])
    context.undo()
    #expect(deck.cards == cards && !context.canUndo)
    #expect(try context.fetch(Deck.self) == [deck])
    try context.save()
    #expect(!context.canRedo)
  }

  @Test("A group is one step, and groups within it are one with it", arguments: Stores.all)
  func groups(_ stores: Stores) async throws {
    let context = try await stores.open().makeContext()
    context.recordsUndo = true
    let card = try context.insert(Card("0"))
    context.group {
      card.question = "1"
      context.group { card.rightCount = 1 }
      card.answer = "1"
    }
    context.group {}
    #expect(throws: Mishap.self) {
      try context.group {
        card.question = "2"
        throw Mishap("stop")
      }
    }
    context.undo()
    #expect(card.question == "1")
    context.undo()
    #expect(card.question == "0" && card.rightCount == 0 && card.answer.isEmpty)
    context.undo()
    #expect(card.isDeleted && !context.canUndo)
    for _ in 0..<3 { context.redo() }
    #expect(card.question == "2" && card.rightCount == 1 && !context.canRedo)
  }

  @Test("What a child saves is one step of its parent", arguments: Stores.all)
  func childSave(_ stores: Stores) async throws {
    let root = try await stores.open().makeContext()
    let cards = try (0..<3).map { try root.insert(Card("c\($0)")) }
    try root.save()
    let unheld = try root.insert(Card("unheld")).id
    try root.save()
    root.recordsUndo = true
    let child = root.makeChild()
    let copies = try cards.map { try child.object(with: $0.id) }
    try child.object(with: unheld).question = "changed"
    copies[0].question = "changed"
    try child.delete(copies[1])
    let new = try child.insert(Card("new"))
    try child.save()
    #expect(try root.count(Card.self) == 4)
    root.undo()
    #expect(!root.canUndo && !root.hasUnsavedChanges)
    #expect(try root.fetch(Card.self).map(\.question) == ["c0", "c1", "c2", "unheld"])
    #expect(try child.fetch(Card.self).map(\.question) == ["c0", "c1", "c2", "unheld"])
    #expect(new.isDeleted)
    root.redo()
    #expect(
      try root.fetch(Card.self).map(\.question) == ["changed", "c2", "changed", "new"])
    #expect(!new.isDeleted)
  }

  @Test("Undo brings back nothing that others have replaced since", arguments: Stores.all)
  func merged(_ stores: Stores) async throws {
    let opened = try await stores.open()
    let context = opened.makeContext()
    let card = try context.insert(Card("0"))
    try context.save()
    context.recordsUndo = true
    card.question = "1"
    let other = opened.makeContext()
    try other.object(with: card.id).answer = "theirs"
    try other.save()
    try context.merge()
    #expect(card.answer == "theirs")
    context.undo()
    #expect(card.question == "0" && card.answer == "theirs" && card.changes.isEmpty)
    context.redo()
    #expect(card.question == "1" && card.answer == "theirs")
    #expect(card.changes.properties == ["question"])
    try context.save()
    #expect(card.answer == "theirs")
  }

  @Test("Discarding forgets what could be undone", arguments: Stores.all)
  func discard(_ stores: Stores) async throws {
    let context = try await stores.open().makeContext()
    context.recordsUndo = true
    let card = try context.insert(Card("0"))
    context.discard()
    #expect(!context.canUndo && !context.canRedo)
    context.undo()
    #expect(card.context == nil)
    #expect(try context.count(Card.self) == 0)
  }

  @Test("What was kept against a deletion meets whoever brought it back", arguments: Stores.all)
  func broughtBack(_ stores: Stores) async throws {
    let opened = try await stores.open()
    let root = opened.makeContext()
    let id = try root.insert(Card("old")).id
    try root.save()
    let child = root.makeChild()
    let grandchild = child.makeChild()
    child.recordsUndo = true
    grandchild.conflictPolicy = .mine
    try grandchild.object(with: id).question = "mine"
    try root.delete(root.object(with: id))
    try root.save()
    try grandchild.save()
    #expect(try child.object(with: id).changes.kind == .inserted)
    let other = opened.makeContext()
    try other.insert(Object(Card("again"), id: id))
    try other.save()
    try root.merge()
    child.undo()
    #expect(try child.object(with: id).question == "again")
    #expect(!child.hasUnsavedChanges)
    child.redo()
    #expect(try child.object(with: id).question == "mine")
    try child.saveAll()
    #expect(try opened.makeContext().object(with: id).question == "mine")
    #expect(try root.object(with: id).question == "mine")
  }

  @Test("Undo in a group takes back what the group has done so far", arguments: Stores.all)
  func insideGroup(_ stores: Stores) async throws {
    let context = try await stores.open().makeContext()
    let card = try context.insert(Card("0"))
    try context.save()
    context.recordsUndo = true
    card.question = "1"
    context.group {
      card.question = "2"
      card.answer = "2"
      context.undo()
      #expect(card.question == "1" && card.answer.isEmpty)
      context.redo()
      #expect(card.question == "2" && card.answer == "2")
      context.undo()
      context.undo()
      #expect(card.question == "0" && !context.canUndo)
      card.question = "3"
    }
    #expect(!context.canRedo)
    context.undo()
    #expect(card.question == "0" && !context.canUndo && context.canRedo)
  }

  @Test("What was never saved is new once more when it is inserted again", arguments: Stores.all)
  func insertedAgain(_ stores: Stores) async throws {
    let opened = try await stores.open()
    let context = opened.makeContext()
    context.recordsUndo = true
    let card = Object(Card("card"))
    card.deck = Object(Deck("deck"))
    card.next = card
    try context.insert(card)
    context.undo()
    #expect(card.isDeleted && card.deck == nil)
    try context.insert(card)
    #expect(card.deck?.cards == [card] && card.changes.kind == .inserted && !context.canRedo)
    context.undo()
    #expect(!context.hasUnsavedChanges)
    context.redo()
    try context.delete(card)
    try context.insert(card)
    try context.save()
    #expect(try opened.makeContext().values(Card.self).map(\.question) == ["card"])
    #expect(try opened.makeContext().count(Deck.self) == 1)
    // An object that was saved and then deleted cannot be inserted again.
    try context.delete(card)
    #expect(throws: GraphError.self) { try context.insert(card) }
    try context.save()
    #expect(throws: GraphError.self) { try context.insert(card) }
  }

  @Test(
    "What was saved is not new, though it was changed back before others deleted it",
    arguments: Stores.all)
  func deletedAfterUndo(_ stores: Stores) async throws {
    let opened = try await stores.open()
    let (context, other) = (opened.makeContext(), opened.makeContext())
    context.recordsUndo = true
    let card = try context.insert(Card("card"))
    try context.save()
    card.question = "changed"
    context.undo()
    try other.delete(try other.object(with: card.id))
    try other.save()
    try context.merge()
    #expect(card.isDeleted)
    #expect(throws: GraphError.self) { try context.insert(card) }
    #expect(!context.hasUnsavedChanges)
  }

  @Test("What a child has inserted is as new in its parent", arguments: Stores.all)
  func insertedByChild(_ stores: Stores) async throws {
    let opened = try await stores.open()
    let context = opened.makeContext()
    context.recordsUndo = true
    let child = context.makeChild()
    let id = try child.insert(Card("card")).id
    try child.save()
    let card = try context.object(with: id)
    context.undo()
    #expect(card.isDeleted)
    try context.insert(card)
    try context.save()
    #expect(try opened.makeContext().values(Card.self).map(\.question) == ["card"])
  }

  @Test("What a child has kept over its deletion is not", arguments: Stores.all)
  func keptByChild(_ stores: Stores) async throws {
    let opened = try await stores.open()
    let (context, other) = (opened.makeContext(), opened.makeContext())
    let id = try other.insert(Card("card")).id
    try other.save()
    let child = context.makeChild()
    child.conflictPolicy = .mine
    let kept = try child.object(with: id)
    kept.question = "kept"
    try other.delete(other.object(with: id))
    try other.save()
    try context.merge()
    try child.save()
    let card = try context.object(with: id)
    #expect(card.question == "kept")
    try context.delete(card)
    #expect(throws: GraphError.self) { try context.insert(card) }
  }

  @Test("An id that another object had meanwhile", arguments: Stores.all)
  func reusedID(_ stores: Stores) async throws {
    let opened = try await stores.open()
    let context = opened.makeContext()
    context.recordsUndo = true
    let first = try context.insert(Card("first"))
    try context.delete(first)
    let second = Object(Card("second"), id: first.id)
    try context.insert(second)
    context.undo()
    context.undo()
    #expect(!first.isDeleted && second.isDeleted)
    #expect(try context.find(first.id) === first)
    context.redo()
    context.redo()
    #expect(first.isDeleted && !second.isDeleted)
    #expect(try context.find(first.id) === second)
    try context.save()
    #expect(try opened.makeContext().values(Card.self).map(\.question) == ["second"])
  }

  @Test("After a save in a group, undo goes back to what was saved", arguments: Stores.all)
  func saveInGroup(_ stores: Stores) async throws {
    let context = try await stores.open().makeContext()
    context.recordsUndo = true
    let card = try context.insert(Card("base"))
    try context.group {
      card.question = "one"
      try context.save()
      card.question = "two"
    }
    context.undo()
    #expect(card.question == "one")
    #expect(!context.hasUnsavedChanges)
    #expect(throws: Never.self) { try context.save() }
  }

  @Test("Recording that begins in a group is whole after it", arguments: Stores.all)
  func begunInGroup(_ stores: Stores) async throws {
    let context = try await stores.open().makeContext()
    context.group { context.recordsUndo = true }
    let card = try context.insert(Card("a"))
    context.group {
      card.question = "b"
      card.answer = "b"
    }
    context.undo()
    #expect(card.question == "a" && card.answer == "")
  }
}
