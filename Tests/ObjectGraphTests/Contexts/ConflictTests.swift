import LineageTestSupport
import ObjectGraph
import Testing

@Suite("Law 3: conflicts of a contested object")
struct ConflictTests {
  /// One card in two contexts, which are either a parent and its child or two roots.
  struct Pair {
    let opened: OpenStore
    /// The context that saves first.
    let first: ObjectContext
    /// The context that saves second, and so finds the changes of the first.
    let second: ObjectContext
    let theirs: Object<Card>
    let mine: Object<Card>

    init(_ stores: Stores, _ form: Form) async throws {
      opened = try await stores.open()
      let root = opened.makeContext()
      let card = try root.insert(Card("base"))
      card.answer = "base"
      try root.save()
      first = form == .nested ? root : opened.makeContext()
      second = form == .nested ? root.makeChild() : root
      theirs = try first.object(with: card.id)
      mine = try second.object(with: card.id)
      self.form = form
    }

    let form: Form

    /// Saves the first context if both are roots. A child sees its parent's changes without a save.
    func publish() throws { if form == .roots { try first.save() } }
  }

  enum Form: CaseIterable { case nested, roots }

  @Test("Changes of different properties both survive", arguments: Stores.all, Form.allCases)
  func merge(_ stores: Stores, _ form: Form) async throws {
    let pair = try await Pair(stores, form)
    pair.mine.question = "mine"
    pair.theirs.answer = "theirs"
    try pair.publish()
    try pair.second.saveAll()
    try pair.first.refresh()
    let stored = try pair.opened.makeContext().object(with: pair.mine.id)
    #expect(stored.question == "mine" && stored.answer == "theirs")
    try pair.second.refresh()
    #expect(pair.mine.value.question == "mine" && pair.mine.answer == "theirs")
    #expect(pair.theirs.question == "mine" && pair.theirs.answer == "theirs")
  }

  @Test(
    "A row that the contexts above read only later, as somebody else made it, is what is above then",
    arguments: Stores.all)
  func readLater(_ stores: Stores) async throws {
    let opened = try await stores.open()
    let root = opened.makeContext()
    let id = try root.insert(Card("base")).id
    try root.save()
    let fresh = opened.makeContext()
    let editor = fresh.makeChild().makeChild()
    let mine = try editor.object(with: id)
    mine.answer = "mine"
    mine.question = "mine"
    let other = opened.makeContext()
    try other.object(with: id).question = "theirs"
    try other.save()
    // No other context has the object, and none merges. So this reads the current row.
    let above = try fresh.read { try fresh.object(with: id) }
    #expect(above.question == "theirs" && editor.checkInvariants())
    guard case .conflict(let reports)? = reason({ try editor.save() }) else {
      Issue.record("no conflict")
      return
    }
    #expect(reports.map(\.properties) == [["question"]])
    editor.conflictPolicy = .mine
    try editor.saveAll()
    let stored = try opened.makeContext().object(with: id)
    #expect(stored.question == "mine" && stored.answer == "mine")
  }

  @Test("A property both changed is an error that names it", arguments: Stores.all, Form.allCases)
  func error(_ stores: Stores, _ form: Form) async throws {
    let pair = try await Pair(stores, form)
    pair.mine.question = "mine"
    pair.mine.rightCount = 1
    pair.theirs.question = "theirs"
    try pair.publish()
    guard case .conflict(let reports)? = reason({ try pair.second.save() }) else {
      Issue.record("no conflict")
      return
    }
    #expect(reports.map(\.object) == ["\(pair.mine.id)"])
    #expect(reports.map(\.properties) == [["question"]])
    #expect(pair.second.hasUnsavedChanges && pair.mine.question == "mine")
    #expect(pair.mine.changes.properties == ["question", "rightCount"])
    pair.second.conflictPolicy = .mine
    try pair.second.saveAll()
    let stored = try pair.opened.makeContext().object(with: pair.mine.id)
    #expect(stored.question == "mine" && stored.rightCount == 1)
  }

  @Test("The policies mine, theirs and a closure end it", arguments: Stores.all, Form.allCases)
  func policies(_ stores: Stores, _ form: Form) async throws {
    for (number, expected) in ["mine", "theirs", "mine", "theirs", "both"].enumerated() {
      let pair = try await Pair(stores, form)
      pair.mine.question = "mine"
      pair.mine.rightCount = 7
      pair.theirs.question = "theirs"
      pair.theirs.answer = "theirs"
      try pair.publish()
      var heard: [Conflict] = []
      switch number {
      case 0: pair.second.conflictPolicy = .mine
      case 1: pair.second.conflictPolicy = .theirs
      default:
        pair.second.conflictPolicy = .resolve { conflict in
          heard.append(conflict)
          if number == 2 { return .mine }
          if number == 3 { return .theirs }
          var value = Card("both", rightCount: 8)
          value.answer = "both"
          return .value(value)
        }
      }
      try pair.second.saveAll()
      let stored = try pair.opened.makeContext().object(with: pair.mine.id)
      #expect(stored.question == expected, "\(number)")
      #expect(stored.rightCount == (number == 4 ? 8 : 7))
      #expect(stored.answer == (number == 4 ? "both" : "theirs"))
      #expect(pair.mine.question == expected && pair.mine.changes.isEmpty)
      guard number > 1 else { continue }
      let conflict = try #require(heard.first)
      #expect(heard.count == 1 && conflict.object === pair.mine)
      #expect(conflict.properties == ["question"])
      #expect((conflict.base as? Card)?.question == "base")
      #expect((conflict.mine as? Card)?.question == "mine")
      #expect((conflict.theirs as? Card)?.question == "theirs")
    }
  }

  @Test("The same change twice is a conflict", arguments: Stores.all, Form.allCases)
  func same(_ stores: Stores, _ form: Form) async throws {
    let pair = try await Pair(stores, form)
    pair.mine.question = "same"
    pair.theirs.question = "same"
    try pair.publish()
    guard case .conflict(let reports)? = reason({ try pair.second.save() }) else {
      Issue.record("no conflict")
      return
    }
    #expect(reports.map(\.properties) == [["question"]])
    pair.second.conflictPolicy = .theirs
    try pair.second.saveAll()
    #expect(try pair.opened.makeContext().object(with: pair.mine.id).question == "same")
  }

  @Test("A closure that throws leaves everything unsaved", arguments: Stores.all, Form.allCases)
  func throwing(_ stores: Stores, _ form: Form) async throws {
    let pair = try await Pair(stores, form)
    pair.mine.question = "mine"
    pair.theirs.question = "theirs"
    try pair.publish()
    pair.second.conflictPolicy = .resolve { _ in throw Mishap("no") }
    #expect(throws: Mishap("no")) { try pair.second.save() }
    #expect(pair.mine.changes.properties == ["question"] && pair.mine.question == "mine")
  }

  @Test("Edited here and deleted there", arguments: Stores.all, Form.allCases)
  func deletedThere(_ stores: Stores, _ form: Form) async throws {
    for policy in ["error", "mine", "theirs", "value"] {
      let pair = try await Pair(stores, form)
      pair.mine.question = "mine"
      try pair.first.delete(pair.theirs)
      try pair.publish()
      if form == .roots, policy == "mine" { try pair.second.merge() }
      switch policy {
      case "error":
        #expect(refusal { try pair.second.save() } == "conflict")
        #expect(pair.mine.question == "mine" && !pair.mine.isDeleted)
        continue
      case "mine": pair.second.conflictPolicy = .mine
      case "theirs": pair.second.conflictPolicy = .theirs
      default:
        pair.second.conflictPolicy = .resolve { conflict in
          #expect(conflict.theirs == nil && conflict.properties.isEmpty)
          return .value(Card("value"))
        }
      }
      try pair.second.saveAll()
      let stored = try pair.opened.makeContext().find(pair.mine.id)
      #expect(stored?.question == (policy == "theirs" ? nil : policy))
      #expect(pair.mine.isDeleted == (policy == "theirs"))
      #expect(!pair.second.hasUnsavedChanges)
    }
  }

  @Test("Deleted here and edited there", arguments: Stores.all, Form.allCases)
  func deletedHere(_ stores: Stores, _ form: Form) async throws {
    for policy in ["error", "mine", "theirs", "value"] {
      let pair = try await Pair(stores, form)
      let watching = pair.second.makeChild()
      let copy = try watching.object(with: pair.mine.id)
      try pair.second.delete(pair.mine)
      pair.theirs.question = "theirs"
      try pair.publish()
      switch policy {
      case "error":
        #expect(refusal { try pair.second.save() } == "conflict", "\(form)")
        #expect(pair.mine.isDeleted && pair.second.hasUnsavedChanges)
        continue
      case "mine": pair.second.conflictPolicy = .mine
      case "theirs": pair.second.conflictPolicy = .theirs
      default: pair.second.conflictPolicy = .resolve { _ in .value(Card("value")) }
      }
      try pair.second.saveAll()
      let stored = try pair.opened.makeContext().find(pair.mine.id)
      #expect(stored?.question == (policy == "mine" ? nil : policy), "\(form)")
      #expect(pair.mine.isDeleted == (policy == "mine"))
      #expect(copy.isDeleted == pair.mine.isDeleted)
      if policy != "mine" { #expect(copy.question == policy && pair.mine.question == policy) }
    }
  }

  @Test("Deleted by both is deleted", arguments: Stores.all, Form.allCases)
  func deletedTwice(_ stores: Stores, _ form: Form) async throws {
    let pair = try await Pair(stores, form)
    try pair.second.delete(pair.mine)
    try pair.first.delete(pair.theirs)
    try pair.publish()
    try pair.second.saveAll()
    #expect(try pair.opened.makeContext().count(Card.self) == 0)
    #expect(pair.mine.isDeleted && !pair.second.hasUnsavedChanges)
  }

  @Test("All objects in conflict are named at once", arguments: Stores.all, Form.allCases)
  func allAtOnce(_ stores: Stores, _ form: Form) async throws {
    let pair = try await Pair(stores, form)
    let others = try (0..<4).map { try pair.first.insert(Card("c\($0)")) }
    try pair.first.save()
    try pair.second.merge()
    for (number, other) in others.enumerated() {
      try pair.second.object(with: other.id).question = "mine"
      if number % 2 == 0 { other.question = "theirs" }
    }
    try pair.publish()
    guard case .conflict(let reports)? = reason({ try pair.second.save() }) else {
      Issue.record("no conflict")
      return
    }
    #expect(reports.map(\.object) == ["\(others[0].id)", "\(others[2].id)"])
  }
}
