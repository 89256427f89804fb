import LineageTestSupport
import ObjectGraph
import Testing

/// Tests of objects that are edited, deleted or undone here, and meanwhile changed in the parent or
/// the store.
@Suite("Laws 1 to 3 of an edit, where undo and deletions meet changes of others")
struct EditLawMeetingTests {
  @Test(
    "Law 1: undo and redo put edits on the present values of the parent or store",
    arguments: Stores.all)
  func undoAfterAbove(_ stores: Stores) async throws {
    let root = try await stores.open().makeContext()
    let card = try root.insert(Card("base", rightCount: 5))
    try root.save()
    let child = root.makeChild()
    child.recordsUndo = true
    let copy = try child.object(with: card.id)
    copy.rightCount = 6
    child.undo()
    card.rightCount = 7
    card.answer = "above"
    child.redo()
    // The child received the 7 while it had no edit, so the redone edit is not contested.
    #expect(copy.rightCount == 6 && copy.answer == "above")
    #expect(copy.changes.properties == ["rightCount"])
    try child.save()
    #expect(card.rightCount == 6)

    copy.rightCount = 8
    child.undo()
    card.rightCount = 8
    child.redo()
    #expect(!child.hasUnsavedChanges, "what is above is no edit")
    copy.rightCount = 9
    try root.delete(card)
    child.undo()
    child.redo()
    #expect(copy.isDeleted && !child.hasUnsavedChanges, "deleted above, it stays deleted")
    root.discard()
  }

  @Test(
    "Law 3: a deletion on both sides is not among the conflicts of others",
    arguments: Stores.all)
  func deletedTwiceBeside(_ stores: Stores) async throws {
    let two = try await TwoRoots(stores)
    let doomed = try two.mine.insert(Card("doomed"))
    try two.mine.save()
    try two.theirs.merge()
    try two.theirs.delete(two.theirs.object(with: doomed.id))
    two.other.rightCount = 8
    two.card.rightCount = 6
    try two.mine.delete(doomed)
    try two.theirs.save()
    for merges in [false, true] {
      if merges { try two.mine.merge() }
      #expect(conflictProperties { try two.mine.save() } == [["rightCount"]])
    }
  }

  @Test(
    "Law 3: an edit that is made after a deletion above is known is not contested",
    arguments: Stores.all)
  func editedAfterDeletion(_ stores: Stores) async throws {
    let two = try await TwoRoots(stores)
    let child = two.mine.makeChild()
    let copy = try child.object(with: two.card.id)
    copy.rightCount = 6
    try two.mine.delete(two.card)
    copy.answer = "later"
    two.other.rightCount = 8
    try two.theirs.save()
    try two.mine.merge()
    two.mine.discard()
    #expect(conflictProperties { try child.save() } == [["rightCount"]])
  }

  @Test(
    "Law 3: a save from below that restores a deleted object takes its conflict back",
    arguments: Stores.all)
  func broughtBack(_ stores: Stores) async throws {
    let two = try await TwoRoots(stores)
    let child = two.mine.makeChild()
    child.conflictPolicy = .mine
    let copy = try child.object(with: two.card.id)
    copy.rightCount = 8
    two.other.rightCount = 8
    try two.theirs.save()
    try two.mine.delete(two.card)
    try two.mine.merge()
    try child.save()
    #expect(!two.card.isDeleted && two.card.rightCount == 8)
    #expect(!two.mine.hasUnsavedChanges, "it is what the store has")
    try two.mine.save()
    #expect(try two.stored?.rightCount == 8)
  }

  @Test("Law 1: a policy's decision for an object that is deleted above is the parent's value")
  func decidedOverDeletion() async throws {
    let two = try await TwoRoots(.memory)
    let child = two.mine.makeChild()
    child.conflictPolicy = .resolve { conflict in
      var value = try #require(conflict.mine as? Card)
      // Both sides began with 5, and the store now has 7.
      value.rightCount = 5
      return .value(value)
    }
    let copy = try child.object(with: two.card.id)
    copy.rightCount = 8
    two.other.rightCount = 7
    try two.theirs.save()
    try two.mine.delete(two.card)
    try two.mine.merge()
    try child.save()
    #expect(!two.card.isDeleted && two.card.rightCount == 5 && copy.rightCount == 5)
  }

  @Test("Law 1: an object that a child's save restores over a deletion is deleted by a discard")
  func restoredAndDiscarded() async throws {
    for isDeletedHere in [false, true] {
      let two = try await TwoRoots(.memory)
      let child = two.mine.makeChild()
      child.conflictPolicy = .mine
      let copy = try child.object(with: two.card.id)
      copy.rightCount = 8
      try two.theirs.delete(two.other)
      try two.theirs.save()
      if isDeletedHere { try two.mine.delete(two.card) }
      try two.mine.merge()
      #expect(two.card.isDeleted)
      let new = try two.mine.insert(Card("new"))
      try child.save()
      #expect(!two.card.isDeleted && two.card.rightCount == 8)
      two.mine.discard()
      #expect(two.card.isDeleted && copy.isDeleted && !two.mine.hasUnsavedChanges)
      #expect(refusal { try two.mine.insert(two.card) } == "deleted")
      try two.mine.insert(new)
      try two.mine.save()
      #expect(try two.stored == nil)
    }
  }

  @Test("Law 1: discard and undo end a contest", arguments: Stores.all)
  func ends(_ stores: Stores) async throws {
    for isUndo in [true, false] {
      let two = try await TwoRoots(stores)
      two.mine.recordsUndo = true
      two.card.rightCount = 6
      two.card.rightCount = 7
      two.other.rightCount = 8
      try two.theirs.save()
      try two.mine.merge()
      if isUndo { two.mine.undo() } else { two.mine.discard() }
      #expect(two.card.changes.properties == (isUndo ? ["rightCount"] : []))
      if isUndo {
        two.mine.undo()
        #expect(two.card.changes.isEmpty && two.card.rightCount == 8)
        two.mine.redo()
        #expect(conflictProperties { try two.mine.save() } == [["rightCount"]])
        two.mine.undo()
      }
      #expect(two.card.rightCount == 8)
      two.card.rightCount = 9
      try two.mine.save()
      #expect(try two.stored?.rightCount == 9)
    }
  }
}
