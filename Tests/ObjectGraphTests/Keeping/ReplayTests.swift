import Foundation
import LineageTestSupport
import ObjectGraph
import Testing

/// Tests that a context of a later process gets the unsaved changes of an earlier one.
@Suite("Unsaved changes are replayed")
struct ReplayTests {
  @Test("An edit comes back with its base, a new object, and a deletion", arguments: Stores.all)
  func plain(_ stores: Stores) async throws {
    let restart = try await Restart(stores)
    let card = try restart.card(in: restart.child)
    card.rightCount = 5
    let deck = try restart.child.insert(Deck("d"))
    card.deck = deck
    let other = try restart.root.insert(Card("z"))
    let doomed = try restart.root.insert(Learner("l"))
    try restart.root.save()
    try restart.child.delete(restart.child.object(with: doomed.id))
    try await restart.restart()
    let child = restart.child
    let again = try restart.card(in: child)
    #expect(again.rightCount == 5 && again.deck?.name == "d")
    #expect(again.changes.properties == ["rightCount", "deck"])
    #expect(try child.find(doomed.id) == nil && restart.root.find(doomed.id) != nil)
    #expect(try child.find(other.id)?.changes.kind != .inserted)
    #expect(try restart.root.object(with: again.id).rightCount == 1)
    try child.saveAll()
    let stored = restart.opened.makeContext()
    let saved = try stored.object(with: again.id)
    #expect(saved.rightCount == 5 && saved.deck?.id == deck.id)
    #expect(try stored.find(doomed.id) == nil)
  }

  @Test("A discard cancels what came back, and shows what is above", arguments: Stores.all)
  func cancelled(_ stores: Stores) async throws {
    let restart = try await Restart(stores)
    let card = try restart.card(in: restart.child)
    card.rightCount = 5
    try restart.child.insert(Deck("d"))
    try restart.commit { _, card in card.question = "b" }
    try await restart.restart()
    restart.child.discard()
    let again = try restart.card(in: restart.child)
    #expect(again.rightCount == 1 && again.question == "b" && !restart.child.hasUnsavedChanges)
    #expect(try restart.child.count(Deck.self) == 0)
  }

  @Test(
    "A property that others have changed is contested, even to the same value",
    arguments: [2, 5], Stores.all)
  func contested(_ theirs: Int, _ stores: Stores) async throws {
    let restart = try await Restart(stores)
    try restart.card(in: restart.child).rightCount = 5
    try restart.commit { _, card in
      card.rightCount = theirs
      card.question = "b"
    }
    try await restart.restart()
    let card = try restart.card(in: restart.child)
    #expect(card.rightCount == 5 && card.question == "b")
    #expect(card.changes.properties == ["rightCount"])
    #expect(properties { try restart.child.save() } == [["rightCount"]])
    var seen: [Int] = []
    restart.child.conflictPolicy = .resolve { conflict in
      let cards = [conflict.base, conflict.mine, conflict.theirs].map { $0 as? Card }
      seen = cards.compactMap { $0?.rightCount }
      return .mine
    }
    try restart.child.saveAll()
    #expect(seen == [1, 5, theirs])
  }

  @Test("What is contested stays contested, with its origin", arguments: Stores.all)
  func origin(_ stores: Stores) async throws {
    let restart = try await Restart(stores)
    try restart.card(in: restart.child).rightCount = 5
    try restart.card(in: restart.root).rightCount = 2
    try restart.root.save()
    for count in [3, 5] {
      // What others change later does not end it, even if it is the value of this edit.
      try restart.commit { _, card in card.rightCount = count }
      try await restart.restart()
      #expect(properties { try restart.child.save() } == [["rightCount"]])
    }
    var origin = 0
    restart.child.conflictPolicy = .resolve { conflict in
      origin = (conflict.base as? Card)?.rightCount ?? -1
      return .mine
    }
    try restart.child.save()
    #expect(origin == 1)
    restart.root.discard()
  }

  @Test("An edit that is never in conflict stays, and its base follows", arguments: Stores.all)
  func mine(_ stores: Stores) async throws {
    let restart = try await Restart(stores)
    let learner = try restart.root.insert(Learner("l"))
    try restart.root.save()
    try restart.child.object(with: learner.id).name = "mine"
    try restart.commit { context, _ in try context.object(with: learner.id).name = "theirs" }
    try await restart.restart()
    let again = try restart.child.object(with: learner.id)
    #expect(again.name == "mine" && again.changes.properties == ["name"])
    again.name = "theirs"
    #expect(!restart.child.hasUnsavedChanges)
    again.name = "mine"
    try restart.child.saveAll()
    #expect(try restart.stored { try $0.object(with: learner.id).name } == "mine")
  }

  @Test(
    "An edited object that was deleted is a conflict of the whole object", arguments: Stores.all)
  func editedAndDeleted(_ stores: Stores) async throws {
    for isMine in [false, true] {
      let restart = try await Restart(stores)
      let card = try restart.card(in: restart.child)
      card.rightCount = 5
      try restart.commit { context, card in try context.delete(card) }
      try await restart.restart()
      let again = try restart.child.object(with: card.id)
      #expect(again.rightCount == 5 && again.question == "a")
      #expect(properties { try restart.child.save() } == [[]])
      restart.child.conflictPolicy = isMine ? .mine : .theirs
      try restart.child.saveAll()
      #expect(try restart.stored { try $0.find(card.id)?.question } == (isMine ? "a" : nil))
    }
  }

  @Test(
    "A deleted object that was changed is a conflict of the whole object", arguments: Stores.all)
  func deletedAndChanged(_ stores: Stores) async throws {
    let restart = try await Restart(stores)
    let card = try restart.card(in: restart.child)
    try restart.child.delete(card)
    try restart.commit { _, card in card.question = "b" }
    // A second restart finds the conflict in the archive.
    for _ in 0..<2 {
      try await restart.restart()
      #expect(try restart.child.find(card.id) == nil)
      guard case .conflict(let reports)? = reason({ try restart.child.save() }) else {
        Issue.record("no conflict")
        return
      }
      #expect(reports.map(\.isDeletedHere) == [true])
    }
    var seen: [String] = []
    restart.child.conflictPolicy = .resolve { conflict in
      let cards = [conflict.base, conflict.mine, conflict.theirs].map { $0 as? Card }
      seen = cards.compactMap { $0?.question }
      return .theirs
    }
    try restart.child.save()
    #expect(seen == ["a", "a", "b"])
    #expect(try restart.child.object(with: card.id).question == "b")
  }

  @Test("An object that both have deleted is gone, and is no change", arguments: Stores.all)
  func deletedTwice(_ stores: Stores) async throws {
    let restart = try await Restart(stores)
    let card = try restart.card(in: restart.child)
    let learners = try ["l", "m"].map { try restart.root.insert(Learner($0)) }
    learners[0].favourite = try restart.root.object(with: card.id)
    try restart.root.save()
    try restart.child.delete(card)
    try restart.child.object(with: learners[1].id).name = "n"
    #expect(try restart.child.object(with: learners[0].id).favourite == nil)
    try restart.commit { context, card in
      try context.delete(card)
      try context.delete(context.object(with: learners[1].id))
    }
    try await restart.restart()
    // `favourite` was emptied by the same rule on both sides, and `name` is never in conflict.
    #expect(!restart.child.hasUnsavedChanges)
    #expect(try restart.child.object(with: learners[0].id).changes.properties.isEmpty)
    #expect(try restart.child.find(learners[1].id) == nil)
  }

  @Test("A reference that only a rule here has emptied is contested", arguments: Stores.all)
  func emptied(_ stores: Stores) async throws {
    let restart = try await Restart(stores)
    let card = try restart.card(in: restart.root)
    let other = try restart.root.insert(Card("z"))
    let learner = try restart.root.insert(Learner("l"))
    learner.favourite = card
    try restart.root.save()
    try restart.child.delete(restart.child.object(with: card.id))
    try restart.commit { context, _ in
      try context.object(with: learner.id).favourite = context.object(with: other.id)
    }
    try await restart.restart()
    #expect(try restart.child.object(with: learner.id).favourite == nil)
    #expect(properties { try restart.child.save() } == [["favourite"]])
    restart.child.discard()
  }

  @Test("A new object whose id exists is left out, and only this one", arguments: Stores.all)
  func taken(_ stores: Stores) async throws {
    let restart = try await Restart(stores)
    let (one, two) = (Object(Deck("one")), Object(Deck("two")))
    try restart.child.insert(one)
    try restart.child.insert(two)
    try restart.commit { context, _ in try context.insert(Object(Deck("other"), id: one.id)) }
    guard case .replayed(let leftOut)? = try await restart.restart().last else { return }
    #expect(leftOut.map(\.key) == [one.id.key])
    #expect(try restart.child.object(with: one.id).name == "other")
    #expect(try restart.child.object(with: two.id).changes.kind == .inserted)
    restart.child.discard()
  }

  @Test("An edit of this process wins, by property; the undo history ends", arguments: Stores.all)
  func present(_ stores: Stores) async throws {
    let restart = try await Restart(stores)
    let kept = try restart.card(in: restart.child)
    (kept.rightCount, kept.question) = (5, "mine")
    var card = kept
    try await restart.restart {
      restart.child.recordsUndo = true
      card = try restart.card(in: restart.child)
      card.question = "now"
    }
    #expect(card.question == "now" && card.rightCount == 5)
    #expect(!restart.child.canUndo)
    card.rightCount = 6
    restart.child.undo()
    #expect(card.question == "now" && card.rightCount == 5)
    // Replaying the same changes again changes nothing.
    _ = try restart.child.replay(restart.child.keptEdits, of: UUID(), count: 0)
    #expect(card.question == "now" && card.rightCount == 5)
    try restart.child.saveAll()
  }

  @Test("A deletion of this process wins over an edit, and an edit over a deletion")
  func presentDeletion() async throws {
    let restart = try await Restart(.memory)
    let other = try restart.root.insert(Card("z"))
    try restart.root.save()
    let card = try restart.card(in: restart.child)
    card.rightCount = 5
    try restart.child.delete(restart.child.object(with: other.id))
    try await restart.restart {
      try restart.child.delete(restart.child.object(with: card.id))
      try restart.child.object(with: other.id).rightCount = 7
    }
    #expect(try restart.child.find(card.id) == nil)
    #expect(try restart.child.object(with: other.id).rightCount == 7)
    try restart.child.saveAll()
  }
}

/// Returns the properties in the conflicts that a closure throws; nil if it throws no conflict.
func properties(_ body: () throws -> Void) -> [[String]]? {
  guard case .conflict(let reports)? = reason(body) else { return nil }
  return reports.map(\.properties)
}
