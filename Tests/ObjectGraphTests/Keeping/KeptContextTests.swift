import Dispatch
import Foundation
import LineageTestSupport
import ObjectGraph
import Synchronization
import Testing

@Suite("A context whose unsaved changes are kept")
struct KeptContextTests {
  @Test("Only one context of a process has an id; another one has its own", arguments: Stores.all)
  func rehearsal(_ stores: Stores) async throws {
    let restart = try await Restart(stores)
    try restart.card(in: restart.child).rightCount = 5
    let kept = try Restart.Kept(restart.child)
    var second: ObjectContext? = restart.root.makeChild()
    second?.keepEdits {}
    _ = try second?.replay(kept.edits, of: kept.id, count: kept.count)
    #expect(second?.keptEdits.count == 1 && second?.keeping?.id != kept.id)
    try restart.child.saveAll()
    // The changes of the first context are committed, those of the second one are not.
    second?.discard()
    let third = restart.root.makeChild()
    third.keepEdits {}
    guard case .saved = try third.replay(kept.edits, of: kept.id, count: kept.count) else {
      Issue.record("it was replayed")
      return
    }
    #expect(third.keeping?.id != kept.id && !third.hasUnsavedChanges)
    // An id is free again when its context has ended.
    let id = try #require(second?.keeping?.id)
    _ = try third.replay([], of: id, count: 0)
    #expect(third.keeping?.id != id)
    second = nil
    _ = try third.replay([], of: id, count: 0)
    #expect(third.keeping?.id == id)
  }

  @Test("Of contexts on many threads, one takes over an id")
  func threads() throws {
    let store = try MemoryStore(Library.entities)
    let id = UUID()
    for _ in 0..<20 {
      // The contexts live until the end of the round. Then the id is free again.
      let contexts = Mutex<[Handover<ObjectContext>]>([])
      let count = Atomic(0)
      DispatchQueue.concurrentPerform(iterations: 16) { _ in
        let context = ObjectContext(store: store)
        context.keepEdits {}
        _ = try? context.replay([], of: id, count: 0)
        if context.keeping?.id == id { count.add(1, ordering: .relaxed) }
        let handover = Handover(context)
        contexts.withLock { $0.append(handover) }
      }
      #expect(count.load(ordering: .relaxed) == 1)
      contexts.withLock { $0 = [] }
    }
  }

  @Test(
    "What a context above has got from the archive's context is saved, too", arguments: Stores.all)
  func above(_ stores: Stores) async throws {
    let restart = try await Restart(stores)
    try restart.card(in: restart.child).rightCount = 5
    let kept = try Restart.Kept(restart.child)
    try restart.child.save()
    let second = restart.root.makeChild()
    guard case .saved = try second.replay(kept.edits, of: kept.id, count: kept.count) else {
      Issue.record("it was replayed")
      return
    }
    restart.root.discard()
    guard case .replayed = try second.replay(kept.edits, of: kept.id, count: kept.count) else {
      Issue.record("it was not replayed")
      return
    }
    second.discard()
  }

  @Test("A context is kept in a draft, too, which is never saved")
  func draft() throws {
    let draft = try ObjectContext(draftOf: Library.entities)
    let child = draft.makeChild()
    child.keepEdits {}
    try child.insert(Card("a"))
    try child.save()
    #expect(child.keeping?.count == 1 && draft.hasUnsavedChanges)
  }

  @Test(
    "A closure hears once of each change, save, discard and conflict of its context, and of no other"
  )
  func heard() async throws {
    let restart = try await Restart(.memory)
    let (root, child) = (restart.root, restart.child)
    let card = try restart.card(in: child)
    var (first, count) = (0, 0)
    child.keepEdits { first += 1 }
    child.keepEdits { count += 1 }
    func heard() -> Int {
      defer { count = 0 }
      return count
    }
    card.rightCount = 5
    #expect(heard() == 1)
    child.group { (card.rightCount, card.question) = (6, "b") }
    #expect(heard() == 1)
    try restart.commit { $1.rightCount = 3 }
    try root.merge()
    #expect(heard() == 1)
    child.conflictPolicy = .mine
    try child.save()
    #expect(heard() == 1)
    try child.insert(Deck("d"))
    #expect(heard() == 1)
    child.discard()
    #expect(heard() == 1)
    try root.insert(Card("c"))
    try restart.card(in: root).answer = "above"
    try restart.commit { $1.answer = "others'" }
    try root.merge()
    #expect(card.answer == "above" && heard() == 0)
    card.answer = "mine"
    child.recordsUndo = true
    card.answer = "above"
    card.answer = "b"
    #expect(heard() == 3)
    _ = child.hasUnsavedChanges
    child.undo()
    child.redo()
    #expect(heard() == 2)
    try child.delete(card)
    #expect(heard() == 1)
    #expect(first == 0)
    child.discard()
    root.discard()
  }
}
