import LineageTestSupport
import ObjectGraph
import Testing

@Suite("Law 3: properties that are never in conflict") struct ConflictRuleTests {
  /// One learner in two contexts, which are either a parent and its child or two roots. The name has
  /// the rule `.mine`.
  private struct Pair {
    let opened: OpenStore
    let first: ObjectContext
    let second: ObjectContext
    let theirs: Object<Learner>
    let mine: Object<Learner>
    let card: Object<Card>
    private let form: ConflictTests.Form

    init(_ stores: Stores, _ form: ConflictTests.Form) async throws {
      opened = try await stores.open()
      let root = opened.makeContext()
      let learner = try root.insert(Learner("base"))
      card = try root.insert(Card("card"))
      try root.save()
      first = form == .nested ? root : opened.makeContext()
      second = form == .nested ? root.makeChild() : root
      theirs = try first.object(with: learner.id)
      mine = try second.object(with: learner.id)
      self.form = form
    }

    /// Saves the first context if both are roots. A child sees its parent's changes without a save.
    func publish() throws { if form == .roots { try first.save() } }

    var stored: Learner? { get throws { try opened.makeContext().find(mine.id)?.value } }
  }

  @Test("The last save wins", arguments: Stores.all, ConflictTests.Form.allCases)
  func lastSave(_ stores: Stores, _ form: ConflictTests.Form) async throws {
    for merges in [false, true] {
      let pair = try await Pair(stores, form)
      pair.mine.name = "mine"
      pair.theirs.name = "theirs"
      try pair.publish()
      if merges { try pair.second.merge() }
      #expect(pair.mine.name == "mine" && pair.mine.changes.properties == ["name"])
      try pair.second.saveAll()
      #expect(try pair.stored?.name == "mine")
      try pair.first.refresh()
      #expect(pair.theirs.name == "mine")
    }
  }

  @Test("Its base follows: a discard gives the value above", arguments: Stores.all)
  func discard(_ stores: Stores) async throws {
    for form in ConflictTests.Form.allCases {
      let pair = try await Pair(stores, form)
      pair.mine.name = "mine"
      pair.theirs.name = "theirs"
      try pair.publish()
      try pair.second.merge()
      pair.second.discard()
      #expect(pair.mine.name == "theirs")
    }
  }

  @Test("Equal changes of both sides leave no edit", arguments: Stores.all)
  func equal(_ stores: Stores) async throws {
    for form in ConflictTests.Form.allCases {
      let pair = try await Pair(stores, form)
      pair.mine.name = "same"
      pair.theirs.name = "same"
      try pair.publish()
      try pair.second.merge()
      #expect(pair.mine.changes.isEmpty && !pair.second.hasUnsavedChanges)
    }
  }

  @Test(
    "Another property of the object still conflicts, alone", arguments: Stores.all,
    ConflictTests.Form.allCases)
  func other(_ stores: Stores, _ form: ConflictTests.Form) async throws {
    let pair = try await Pair(stores, form)
    pair.mine.name = "mine"
    pair.mine.favourite = try pair.second.object(with: pair.card.id)
    pair.theirs.name = "theirs"
    pair.theirs.favourite = try pair.first.insert(Card("other"))
    try pair.publish()
    let error = #expect(throws: GraphError.self) { try pair.second.saveAll() }
    guard case .conflict(let reports)? = error?.reason else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(reports.map(\.properties) == [["favourite"]])
    pair.second.conflictPolicy = .theirs
    try pair.second.saveAll()
    let stored = try #require(try pair.stored)
    #expect(stored.name == "mine" && stored.favourite != pair.card.id)
  }

  @Test(
    "An object that is deleted above is deleted here, if nothing else is edited",
    arguments: Stores.all, ConflictTests.Form.allCases)
  func deletedAbove(_ stores: Stores, _ form: ConflictTests.Form) async throws {
    for merges in [false, true] {
      let pair = try await Pair(stores, form)
      pair.mine.name = "mine"
      try pair.first.delete(pair.theirs)
      try pair.publish()
      if merges { try pair.second.merge() }
      try pair.second.saveAll()
      #expect(pair.mine.isDeleted && !pair.second.hasUnsavedChanges)
      #expect(try pair.stored == nil)
    }
  }

  @Test(
    "A deletion here is no conflict with a change above", arguments: Stores.all,
    ConflictTests.Form.allCases)
  func deletedHere(_ stores: Stores, _ form: ConflictTests.Form) async throws {
    for merges in [false, true] {
      let pair = try await Pair(stores, form)
      try pair.second.delete(pair.mine)
      pair.theirs.name = "theirs"
      try pair.publish()
      if merges { try pair.second.merge() }
      try pair.second.saveAll()
      #expect(try pair.stored == nil)
    }
  }

  @Test("An undo brings the edit back, over a newer value above", arguments: Stores.all)
  func undo(_ stores: Stores) async throws {
    for form in ConflictTests.Form.allCases {
      let pair = try await Pair(stores, form)
      pair.second.recordsUndo = true
      pair.mine.name = "mine"
      pair.second.undo()
      pair.theirs.name = "theirs"
      try pair.publish()
      try pair.second.merge()
      #expect(pair.mine.name == "theirs")
      pair.second.redo()
      #expect(pair.mine.name == "mine")
      try pair.second.saveAll()
      #expect(try pair.stored?.name == "mine")
    }
  }

  @Test("Two writers that always edit it are never refused", arguments: Stores.all)
  func writers(_ stores: Stores) async throws {
    let pair = try await Pair(stores, .roots)
    for number in 0..<20 {
      pair.mine.name = "m\(number)"
      pair.theirs.name = "t\(number)"
      try (number % 2 == 0 ? pair.first : pair.second).save()
      try (number % 2 == 0 ? pair.second : pair.first).save()
      #expect(try pair.stored?.name == (number % 2 == 0 ? "m\(number)" : "t\(number)"))
    }
  }
}
