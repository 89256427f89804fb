import LineageTestSupport
import ObjectGraph
import Testing

/// Tests of the five laws of an edit. Each test is a program that once broke the law.
@Suite("Laws 1 to 5 of an edit, by the programs that broke them")
struct EditLawTests {
  @Test("Law 3: two contexts that both add one lose neither", arguments: Stores.all, [true, false])
  func addition(_ stores: Stores, merges: Bool) async throws {
    let two = try await TwoRoots(stores)
    two.card.rightCount += 1
    two.other.rightCount += 1
    try two.theirs.save()
    if merges { try two.mine.merge() }
    #expect(conflictProperties { try two.mine.save() } == [["rightCount"]])
    #expect(two.card.rightCount == 6 && two.mine.hasUnsavedChanges)
    var heard: [[Int]] = []
    two.mine.conflictPolicy = .resolve { conflict in
      guard let base = conflict.base as? Card, let mine = conflict.mine as? Card,
        var theirs = conflict.theirs as? Card
      else { return .theirs }
      heard.append([base.rightCount, mine.rightCount, theirs.rightCount])
      theirs.rightCount += mine.rightCount - base.rightCount
      return .value(theirs)
    }
    try two.mine.save()
    #expect(heard == [[5, 6, 6]])
    #expect(two.card.rightCount == 7 && !two.mine.hasUnsavedChanges)
    #expect(try two.stored?.rightCount == 7)
  }

  @Test("Law 3: a child and its parent lose neither", arguments: Stores.all)
  func additionBelow(_ stores: Stores) async throws {
    let root = try await stores.open().makeContext()
    let card = try root.insert(Card("base", rightCount: 5))
    try root.save()
    let child = root.makeChild()
    let copy = try child.object(with: card.id)
    copy.rightCount += 1
    card.rightCount += 1
    #expect(conflictProperties { try child.save() } == [["rightCount"]])
    child.conflictPolicy = .resolve { conflict in
      guard let base = conflict.base as? Card, let mine = conflict.mine as? Card,
        var theirs = conflict.theirs as? Card
      else { return .theirs }
      theirs.rightCount += mine.rightCount - base.rightCount
      return .value(theirs)
    }
    try child.save()
    #expect(card.rightCount == 7 && copy.rightCount == 7 && !child.hasUnsavedChanges)
  }

  @Test("Law 3: a contested edit that is set back is contested still", arguments: Stores.all)
  func setBack(_ stores: Stores) async throws {
    let two = try await TwoRoots(stores, rightCount: 6)
    two.card.rightCount = 7
    two.other.rightCount = 7
    try two.theirs.save()
    try two.mine.merge()
    two.card.rightCount = 6
    #expect(two.card.changes.properties == ["rightCount"] && two.mine.hasUnsavedChanges)
    #expect(conflictProperties { try two.mine.save() } == [["rightCount"]])
    #expect(two.card.rightCount == 6)
    two.mine.conflictPolicy = .mine
    try two.mine.save()
    #expect(two.card.rightCount == 6)
    #expect(try two.stored?.rightCount == 6)
  }

  @Test("Law 1: a child's own edit is not replaced by an equal one above", arguments: Stores.all)
  func ownEdit(_ stores: Stores) async throws {
    let root = try await stores.open().makeContext()
    let card = try root.insert(Card("base", rightCount: 5))
    try root.save()
    let child = root.makeChild()
    let copy = try child.object(with: card.id)
    copy.rightCount = 8
    card.rightCount = 8
    copy.rightCount = 6
    #expect(conflictProperties { try child.save() } == [["rightCount"]])
    #expect(copy.rightCount == 6 && card.rightCount == 8)
    child.conflictPolicy = .mine
    try child.save()
    #expect(copy.rightCount == 6 && card.rightCount == 6)
  }

  enum Touch: CaseIterable { case sameValue, setBack, emptyRelation }

  private func touch(_ card: Object<Card>, _ touch: Touch) {
    switch touch {
    case .sameValue: card.rightCount = card.rightCount
    case .setBack:
      card.question = "edited"
      card.question = "base"
    case .emptyRelation: card.deck = nil
    }
  }

  @Test(
    "Law 2: what is touched but not edited follows, and hears of its deletion",
    arguments: Stores.all, Touch.allCases)
  func touched(_ stores: Stores, _ how: Touch) async throws {
    for deletes in [true, false] {
      let two = try await TwoRoots(stores)
      let child = two.mine.makeChild()
      let copy = try child.object(with: two.card.id)
      let list = try LiveList(FetchRequest<Card>(where: { $0.rightCount == 5 }), in: child)
      touch(two.card, how)
      touch(copy, how)
      #expect(!two.mine.hasUnsavedChanges && !child.hasUnsavedChanges)
      if deletes { try two.theirs.delete(two.other) } else { two.other.rightCount = 9 }
      try two.theirs.save()
      try two.mine.merge()
      #expect(two.card.isDeleted == deletes && copy.isDeleted == deletes)
      #expect(deletes || two.card.rightCount == 9 && copy.rightCount == 9)
      #expect(list.isEmpty)
      #expect(try two.mine.count(Card.self, where: { $0.rightCount == 5 }) == 0)
      #expect(try child.count(Card.self, where: { $0.rightCount == 5 }) == 0)
      child.conflictPolicy = .mine
      try child.saveAll()
      #expect(try (two.stored == nil) == deletes)
    }
  }

  @Test("Law 2: a child's copy that was assigned its own value follows", arguments: Stores.all)
  func followsAbove(_ stores: Stores) async throws {
    let root = try await stores.open().makeContext()
    let card = try root.insert(Card("base", rightCount: 5))
    let child = root.makeChild()
    let copy = try child.object(with: card.id)
    copy.rightCount = 5
    card.rightCount = 7
    #expect(copy.rightCount == 7 && copy.changes.isEmpty)
    copy.question = "mine"
    card.rightCount = 8
    #expect(copy.rightCount == 8 && copy.changes.properties == ["question"])
    child.discard()
  }

  @Test(
    "Law 5: fetch, values, count, figures and a list agree before a merge",
    arguments: Stores.all)
  func agreement(_ stores: Stores) async throws {
    let two = try await TwoRoots(stores)
    let another = try two.mine.insert(Card("another"))
    try two.mine.save()
    let list = try LiveList(FetchRequest<Card>(sort: { $0.question }), in: two.mine)
    two.other.question = "zzz"
    try two.theirs.insert(Card("new"))
    try two.theirs.save()
    another.rightCount = 3
    try two.mine.save()
    // The list is read before any fetch, and it already has the new card.
    #expect(list.map(\.question) == ["another", "base", "new"])
    #expect(two.card.question == "base")
    #expect(try two.mine.fetch(Card.self, where: { $0.question == "zzz" }).isEmpty)
    #expect(try two.mine.values(Card.self, where: { $0.question == "zzz" }).isEmpty)
    #expect(try two.mine.fetch(Card.self, where: { $0.question == "base" }) == [two.card])
    #expect(try two.mine.values(Card.self, where: { $0.question == "base" }).count == 1)
    #expect(try two.mine.count(Card.self, where: { $0.question == "base" }) == 1)
    #expect(try two.mine.maximum(Card.self, of: { $0.question }) == "new")
    #expect(
      try two.mine.fetch(Card.self, sort: { $0.question }, limit: 2).map(\.question)
        == ["another", "base"])
    try two.mine.merge()
    #expect(list.map(\.question) == ["another", "new", "zzz"])
    #expect(try two.mine.count(Card.self, where: { $0.question == "zzz" }) == 1)
    #expect(try two.mine.maximum(Card.self, of: { $0.question }) == "zzz")
  }

  @Test("Law 4: what is shown of a saved object is what is stored", arguments: Stores.all)
  func shownIsStored(_ stores: Stores) async throws {
    let two = try await TwoRoots(stores)
    let untouched = try two.mine.insert(Card("untouched"))
    try two.mine.save()
    let child = two.mine.makeChild()
    let copy = try child.object(with: two.card.id)
    try two.theirs.merge()
    two.other.question = "theirs"
    try two.theirs.object(with: untouched.id).question = "theirs"
    try two.theirs.save()
    two.card.rightCount = 6
    try two.mine.save()
    #expect(two.card.question == "theirs" && two.card.rightCount == 6)
    #expect(try two.stored?.question == "theirs" && two.stored?.rightCount == 6)
    #expect(copy.question == "theirs" && copy.rightCount == 6)
    #expect(untouched.question == "untouched")
    try two.mine.merge()
    #expect(untouched.question == "theirs")
  }

  @Test("Law 5: what a slice of a merge has taken in agrees", arguments: Stores.all)
  func slices(_ stores: Stores) async throws {
    let opened = try await stores.open()
    let context = opened.makeContext()
    let cards = try (0..<6).map { try context.insert(Card("old", rightCount: $0)) }
    try context.save()
    let list = try LiveList(
      FetchRequest<Card>(where: { $0.question == "old" }), in: context.makeChild())
    let other = opened.makeContext()
    for card in try other.fetch(Card.self) { card.question = "new" }
    try other.save()
    var isUnfinished = true
    while isUnfinished {
      isUnfinished = try context.merge(upTo: 2)
      let left = cards.count { $0.question == "old" }
      #expect(try context.count(Card.self, where: { $0.question == "old" }) == left)
      #expect(try context.values(Card.self, where: { $0.question == "new" }).count == 6 - left)
      #expect(list.count == left)
    }
    #expect(list.isEmpty)
  }

  @Test("Law 4: a save that throws changes nothing, in the child and above", arguments: Stores.all)
  func failedSave(_ stores: Stores) async throws {
    let root = try await stores.open().makeContext()
    let card = try root.insert(Card("base", rightCount: 5))
    let doomed = try root.insert(Card("doomed"))
    try root.save()
    let child = root.makeChild()
    let list = try LiveList(FetchRequest<Card>(sort: { $0.question }), in: child)
    let copy = try child.object(with: card.id)
    try child.delete(child.object(with: doomed.id))
    copy.rightCount = 6
    card.rightCount = 7
    card.answer = "theirs"
    try root.delete(doomed)
    #expect(conflictProperties { try child.save() } == [["rightCount"]])
    #expect(copy.changes.properties == ["rightCount"] && copy.rightCount == 6)
    #expect(try child.find(doomed.id) == nil)
    #expect(list.map(\.question) == ["base"])
    #expect(card.rightCount == 7 && card.answer == "theirs")
    child.discard()
    #expect(copy.rightCount == 7)
    #expect(try child.find(doomed.id) == nil)
  }

  @Test(
    "Law 4: a save that fails after its policy decided contests nothing below",
    arguments: Stores.all)
  func failedDecision(_ stores: Stores) async throws {
    let two = try await TwoRoots(stores)
    try two.mine.insert(Deck("taken"))
    try two.mine.save()
    let child = two.mine.makeChild()
    let copy = try child.object(with: two.card.id)
    two.card.rightCount = 6
    copy.rightCount = 7
    two.other.rightCount = 8
    try two.theirs.save()
    try two.mine.insert(Deck("taken"))
    two.mine.conflictPolicy = .theirs
    #expect(refusal { try two.mine.save() } == "notUnique")
    #expect(two.card.rightCount == 6)
    try child.save()
    #expect(two.card.rightCount == 7)
    two.mine.discard()
  }

  @Test(
    "Law 3: two deletions, and references that a rule emptied twice, are no conflicts",
    arguments: Stores.all)
  func deletedTwice(_ stores: Stores) async throws {
    for merges in [true, false] {
      let opened = try await stores.open()
      let mine = opened.makeContext()
      let learner = try mine.insert(Learner())
      let card = try mine.insert(Card("favourite"))
      learner.favourite = card
      try mine.save()
      let child = mine.makeChild()
      let theirs = opened.makeContext()
      try theirs.delete(theirs.object(with: card.id))
      try theirs.save()
      try child.delete(child.object(with: card.id))
      try mine.delete(card)
      if merges { try mine.merge() }
      try child.save()
      try mine.save()
      #expect(learner.favourite == nil && !mine.hasUnsavedChanges)
    }
  }

  @Test(
    "Law 3: a reference is contested if rules emptied it for the deletions of two objects",
    arguments: [true, false])
  func emptiedForTwo(holdsFirst: Bool) throws {
    let root = try MemoryStore(Library.entities).makeContext()
    let (first, second) = (try root.insert(Card("first")), try root.insert(Card("second")))
    let learner = try root.insert(Learner())
    learner.favourite = first
    let child = root.makeChild()
    let copy = try child.object(with: learner.id)
    let held = holdsFirst ? try child.object(with: first.id) : nil
    copy.favourite = try child.object(with: second.id)
    try child.delete(child.object(with: second.id))
    try root.delete(first)
    #expect(conflictProperties { try child.save() } == [["favourite"]])
    #expect(copy.favourite == nil && held?.isDeleted != false)
  }

  @Test("Law 3: no conflict is a row that others changed and changed back", arguments: Stores.all)
  func changedBack(_ stores: Stores) async throws {
    let two = try await TwoRoots(stores)
    two.card.rightCount = 6
    for count in [9, 5] {
      two.other.rightCount = count
      try two.theirs.save()
    }
    try two.mine.save()
    #expect(try two.stored?.rightCount == 6)
  }
}
