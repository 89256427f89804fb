import LineageTestSupport
import ObjectGraph
import Testing

/// Tests of objects that were edited and then deleted.
@Suite("Edits before a deletion take part in no conflict")
struct BuriedEditTests {
  private let root: ObjectContext
  private let child: ObjectContext
  private let store: MemoryStore
  private let card: Object<Card>
  private let copy: Object<Card>

  init() throws {
    store = try MemoryStore(Library.entities)
    root = store.makeContext()
    card = try root.insert(Card("old", rightCount: 1))
    try root.save()
    child = root.makeChild()
    copy = try child.object(with: card.id)
  }

  /// Changes the card in the store, and merges the change.
  private func changeElsewhere(_ change: (Object<Card>) -> Void) throws {
    let other = store.makeContext()
    change(try other.object(with: card.id))
    try other.save()
    try root.merge()
  }

  @Test(
    "A deletion above that is taken back leaves the deletion here as it was",
    arguments: [true, false])
  func deletedAbove(byUndo: Bool) throws {
    root.recordsUndo = true
    copy.question = "edited"
    try child.delete(copy)
    try root.delete(card)
    if byUndo { root.undo() } else { root.discard() }
    #expect(copy.isDeleted && copy.question == "edited")
    try child.saveAll()
    #expect(try store.makeContext().count(Card.self) == 0)
  }

  @Test("A restored object has no conflict, and the newest values of others")
  func restored() throws {
    copy.question = "child's"
    card.answer = "root's"
    try root.delete(card)
    try changeElsewhere {
      $0.rightCount = 2
      $0.answer = "other's"
    }
    child.conflictPolicy = .mine
    try child.save()
    #expect(card.question == "child's" && card.rightCount == 2 && card.answer == "other's")
    #expect(card.changes.properties == ["question"])
    try root.save()
    #expect(try store.makeContext().object(with: card.id).rightCount == 2)
  }

  @Test("An undo brings the edits and their contest back")
  func undone() throws {
    root.recordsUndo = true
    card.question = "edited"
    try changeElsewhere { $0.question = "other's" }
    try root.delete(card)
    try changeElsewhere { $0.rightCount = 2 }
    #expect(card.question == "edited" && card.isDeleted)
    guard case .conflict(let reports)? = reason({ try root.save() }) else {
      Issue.record("no conflict")
      return
    }
    #expect(reports.map(\.isDeletedHere) == [true])
    root.undo()
    #expect(card.question == "edited" && card.rightCount == 2)
    #expect(refusal { try root.save() } == "conflict")
    root.conflictPolicy = .mine
    try root.save()
    let stored = try store.makeContext().object(with: card.id)
    #expect(stored.question == "edited" && stored.rightCount == 2)
  }

  @Test("The text of a conflict says who has deleted and who has changed the object")
  func text() throws {
    try root.delete(card)
    try changeElsewhere { $0.rightCount = 2 }
    let error = #expect(throws: GraphError.self) { try root.save() }
    #expect(
      error?.description
        == "could not save: somebody else changed \(card.reference), which is deleted here")
  }
}
