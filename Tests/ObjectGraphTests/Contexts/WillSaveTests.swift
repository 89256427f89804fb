import Foundation
import LineageTestSupport
import ObjectGraph
import SQLiteStorage
import Testing

@Suite("Objects that are prepared for a save") struct WillSaveTests {
  private func open(_ stores: Stores) async throws -> ClockedStore {
    ClockedStore(try await stores.open([Memo.self]).store)
  }

  private func date(_ tick: Int) -> Date { ClockedStore.date(tick) }

  @Test("New and edited objects, all with one date; others are left alone", arguments: Stores.all)
  func prepared(_ stores: Stores) async throws {
    let store = try await open(stores)
    let context = ObjectContext(store: store)
    let child = context.makeChild()
    let one = try context.insert(Memo(title: "One"))
    let two = try context.insert(Memo(title: "Two"))
    let below = try child.object(with: one.id)
    try context.save()
    #expect(
      one.value
        == Memo(title: "One", slug: "one", created: date(1), modified: date(1), saves: 1))
    #expect(two.modified == date(1) && below.value == one.value && !context.hasUnsavedChanges)
    one.note = "n"
    try context.save()
    #expect(one.saves == 2 && one.created == date(1) && one.modified == date(2) && two.saves == 1)
    #expect(below.value == one.value && !child.hasUnsavedChanges)
    one.title = "Uno"
    two.title = "Due"
    two.title = "Two"
    try context.save()
    #expect(one.slug == "uno" && two.saves == 1)
    let stored = try #require(try ObjectContext(store: store).find(one.id))
    #expect(stored.value == one.value)
  }

  @Test("The problems of the result count, and a refused save takes it back", arguments: Stores.all)
  func problems(_ stores: Stores) async throws {
    let store = try await open(stores)
    let context = ObjectContext(store: store)
    context.recordsUndo = true
    let memo = try context.insert(Memo())
    #expect(refusal { try context.save() } == "invalid")
    #expect(memo.value == Memo() && memo.changes.kind == .inserted)
    memo.title = "T"
    store.failNext()
    #expect(refusal { try context.save() } == "full")
    #expect(memo.value == Memo(title: "T"))
    let child = context.makeChild()
    try child.object(with: memo.id).note = "n"
    store.failNext()
    #expect(refusal { try child.saveAll() } == "full")
    #expect(try child.object(with: memo.id).value == Memo(title: "T", note: "n"))
    #expect(memo.value == Memo(title: "T"))
    context.undo()
    #expect(memo.value == Memo())
    context.redo()
    try child.saveAll()
    #expect(memo.saves == 1 && memo.note == "n" && memo.slug == "t")
  }

  @Test(
    "saveAll prepares once, with the edits of all levels; a child's save never",
    arguments: Stores.all)
  func levels(_ stores: Stores) async throws {
    let context = ObjectContext(store: try await open(stores))
    let memo = try context.insert(Memo(title: "a"))
    try context.save()
    let other = context.makeChild()
    let sibling = try other.object(with: memo.id)
    let child = context.makeChild()
    let middle = try child.object(with: memo.id)
    let grandchild = child.makeChild()
    let lowest = try grandchild.object(with: memo.id)
    lowest.title = "B"
    try grandchild.save()
    #expect(middle.title == "B" && middle.slug == "a" && middle.saves == 1)
    memo.note = "root"
    lowest.note = "n"
    let new = try grandchild.insert(Memo(title: "New"))
    grandchild.conflictPolicy = .mine
    child.conflictPolicy = .mine
    try grandchild.saveAll()
    for object in [memo, sibling, middle, lowest] {
      #expect(object.slug == "b" && object.saves == 2 && object.note == "n")
      #expect(object.modified == date(2) && object.changes.isEmpty)
    }
    #expect(new.slug == "new" && new.created == date(2) && new.saves == 1)
    #expect(!grandchild.hasUnsavedChanges && !context.hasUnsavedChanges)
  }

  @Test(
    "A result is never in conflict; the policy decides about edits, then it is made again",
    arguments: Stores.all)
  func conflicts(_ stores: Stores) async throws {
    let store = try await open(stores)
    let mine = ObjectContext(store: store)
    let memo = try mine.insert(Memo(title: "a"))
    try mine.save()
    let theirs = ObjectContext(store: store)
    let other = try theirs.object(with: memo.id)
    for usesChild in [false, true] {
      let before = other.saves
      other.note = "theirs \(usesChild)"
      try theirs.save()
      let context = usesChild ? mine.makeChild() : mine
      try context.object(with: memo.id).title = "Mine \(usesChild)"
      try context.saveAll()
      #expect(memo.note == "theirs \(usesChild)" && memo.slug == "mine \(usesChild)")
      #expect(memo.saves == before + 2)
      try theirs.refresh()
      #expect(other.value == memo.value)

      other.title = "Theirs"
      try theirs.save()
      try context.object(with: memo.id).title = "Again"
      #expect(conflictProperties { try context.saveAll() } == [["title"]])
      context.conflictPolicy = .mine
      mine.conflictPolicy = .mine
      try context.saveAll()
      #expect(memo.slug == "again" && memo.saves == before + 4)
      mine.conflictPolicy = .error
      try theirs.refresh()
    }
    other.title = "last"
    try theirs.save()
    memo.title = "lost"
    mine.conflictPolicy = .theirs
    try mine.save()
    #expect(memo.value == other.value)
  }

  /// A label whose text is always set back.
  private struct Label: WillSave, Equatable {
    var text = "base"
    var number = 0

    mutating func willSave(_ save: SaveMoment<Label>) { text = "base" }

    static let schema = Schema<Label>("Label") {
      Attribute("text", \.text)
      Attribute("number", \.number)
    }
  }

  @Test("A result that takes an edit back hides no conflict", arguments: Stores.all, [true, false])
  func hidden(_ stores: Stores, merges: Bool) async throws {
    let store = try await stores.open([Label.self]).store
    for (number, isInChild) in [(0, false), (3, false), (3, true)] {
      let mine = ObjectContext(store: store)
      let theirs = ObjectContext(store: store)
      let label = try mine.insert(Label())
      try mine.save()
      let other = try theirs.object(with: label.id)
      let context = isInChild ? mine.makeChild() : mine
      let edited = try context.object(with: label.id)
      other.text = "theirs"
      try theirs.save(hooks: .off)
      edited.value = Label(text: "edited", number: number)
      if merges { try mine.merge() }
      #expect(conflictProperties { try context.saveAll() } == [["text"]])
      #expect(edited.value == Label(text: "edited", number: number))
      context.conflictPolicy = .mine
      mine.conflictPolicy = .mine
      try context.saveAll()
      #expect(label.value == Label(number: number))
      try theirs.merge()
      #expect(other.value == label.value)
      edited.text = "again"
      other.text = "theirs"
      try theirs.save(hooks: .off)
      context.conflictPolicy = .theirs
      mine.conflictPolicy = .theirs
      try context.saveAll()
      #expect(!mine.hasUnsavedChanges)
      try mine.merge()
      #expect(label.text == "theirs")
    }
  }

  @Test("Without hooks, the values are saved as they are", arguments: Stores.all)
  func off(_ stores: Stores) async throws {
    let context = ObjectContext(store: try await open(stores))
    let old = Memo(title: "A", slug: "x", created: date(-5), modified: date(-4), saves: 7)
    let memo = try context.insert(old)
    try context.save(hooks: .off)
    #expect(memo.value == old)
    let child = context.makeChild()
    try child.object(with: memo.id).note = "n"
    try child.saveAll(hooks: .off)
    #expect(memo.saves == 7 && memo.note == "n" && memo.modified == date(-4))
    try context.insert(Memo(title: "B"))
    #expect(refusal { try context.save(hooks: .off) } == "invalid")
  }

  @Test("Lists are in the order of the results", arguments: Stores.all)
  func lists(_ stores: Stores) async throws {
    let context = ObjectContext(store: try await open(stores))
    let memos = try (0..<5).map { try context.insert(Memo(title: "\($0)")) }
    let request = FetchRequest<Memo>(sort: { $0.modified.descending })
    let list = try LiveList(request, in: context)
    let below = try LiveList(request, in: context.makeChild())
    try context.save()
    for index in [3, 0, 3, 4] {
      memos[index].note += "."
      try context.save()
      #expect(list.map(\.id) == (try context.fetch(request)).map(\.id))
      #expect(below.map(\.id) == list.map(\.id) && list.first?.id == memos[index].id)
    }
  }

  @Test("A program gives the clock") func clock() async throws {
    let early = date(-1_000)
    let folder = try Drawer()
    let memory = try MemoryStore([Memo.self], now: { early })
    let file = try await SQLiteStore.open(
      at: folder.file(), [Memo.self], options: StoreOptions(now: { early }))
    for context in [memory.makeContext(), file.makeContext()] {
      let memo = try context.insert(Memo(title: "t"))
      try context.save()
      #expect(memo.created == early)
    }
    let start = Date()
    let context = try MemoryStore([Memo.self]).makeContext()
    let memo = try context.insert(Memo(title: "t"))
    try context.save()
    #expect(try #require(memo.created) >= start)
  }

  @Test(
    "An object that others deleted and a policy kept: the hook hears of its edits",
    arguments: Stores.all)
  func kept(_ stores: Stores) async throws {
    let store = try await open(stores)
    for usesChild in [false, true] {
      let root = ObjectContext(store: store)
      let memo = try root.insert(Memo(title: "old"))
      try root.save()
      let context = usesChild ? root.makeChild() : root
      let other = ObjectContext(store: store)
      try other.delete(other.object(with: memo.id))
      try other.save()
      (root.conflictPolicy, context.conflictPolicy) = (.mine, .mine)
      try context.object(with: memo.id).title = "New"
      try context.saveAll()
      #expect(memo.slug == "new" && memo.saves == 2 && memo.created != memo.modified)
      #expect(try ObjectContext(store: store).find(memo.id)?.value == memo.value)
    }
  }

  @Test("An edit inside an edit is judged when all is saved", arguments: Stores.all)
  func nested(_ stores: Stores) async throws {
    let context = ObjectContext(store: try await open(stores))
    func add(_ title: String, to context: ObjectContext) throws {
      try context.edit { child in _ = try child.insert(Memo(title: title)) }
    }
    try add("a", to: context)
    try context.edit { child in try add("b", to: child) }
    #expect(try context.values(Memo.self).map(\.slug) == ["a", "b"])
    #expect(refusal { try context.edit { child in try add("", to: child) } } == "invalid")
    #expect(!context.hasUnsavedChanges)
  }

  @Test("A resolver's value is prepared before it is judged", arguments: Stores.all)
  func resolved(_ stores: Stores) async throws {
    let store = try await open(stores)
    let mine = ObjectContext(store: store)
    let memo = try mine.insert(Memo(title: "a"))
    try mine.save()
    let theirs = ObjectContext(store: store)
    try theirs.object(with: memo.id).title = "b"
    try theirs.save()
    memo.title = "c"
    mine.conflictPolicy = .resolve { conflict in
      guard var value = conflict.theirs as? Memo else { return .mine }
      (value.title, value.slug) = ("Both", "")
      return .value(value)
    }
    try mine.save()
    #expect(memo.slug == "both" && memo.title == "Both" && memo.saves == 3)
  }
}
