import LineageTestSupport
import ObjectGraph
import Testing

@Suite("Observers of a live list")
struct ObservingTests {
  private func list(_ context: ObjectContext) throws -> LiveList<Note> {
    try LiveList(FetchRequest(sort: { $0.text }), in: context)
  }

  @Test(
    "hear as long as somebody keeps the observation, or until it is cancelled",
    arguments: Stores.all)
  func ending(_ stores: Stores) async throws {
    let context = try await stores.notes().context
    let list = try list(context)
    var heard: [String] = []
    var kept: [ObjectObservation] = ["one", "two"].map { name in
      list.observe { _, _ in heard.append(name) }
    }
    try context.insert(Note("a"))
    kept[1].cancel()
    try context.insert(Note("b"))
    kept.removeAll()
    try context.insert(Note("c"))
    #expect(heard == ["one", "two", "one"])
  }

  @Test("do not keep the list, nor does the list keep them", arguments: Stores.all)
  func lifetimes(_ stores: Stores) async throws {
    let context = try await stores.notes().context
    weak var weakList: LiveList<Note>?
    let census = Census()
    var observation: ObjectObservation?
    do {
      let list = try list(context)
      weakList = list
      let citizen = Citizen(of: census)
      observation = list.observe { _, _ in _ = citizen }
    }
    #expect(weakList == nil && census.population == 1)
    observation = nil
    #expect(observation == nil && census.population == 0)
    try context.insert(Note("a"))
  }

  @Test(
    "may edit: each hears changes that lead to the rows it sees, in order, all of them once",
    arguments: Stores.all)
  func reentrancy(_ stores: Stores) async throws {
    let context = try await stores.notes().context
    let list = try list(context)
    var heard: [String] = []
    var mirrors: [ListMirror<Note>] = [ListMirror(list)]
    let editor = list.observe { [context] list, changes in
      heard.append("editor \(changes.insertions.count)")
      if list.count < 4 { _ = try? context.insert(Note("n\(list.count)")) }
    }
    mirrors.append(ListMirror(list))
    let other = try LiveList(FetchRequest<Note>(), in: context)
    let witness = other.observe { other, _ in heard.append("other \(other.count)") }
    try context.insert(Note("z"))
    #expect(list.count == 4)
    #expect(try mirrors.compactMap { try $0.complaint() } == [])
    #expect(mirrors.map(\.batches) == [4, 3])
    #expect(
      heard == [
        "editor 1", "other 2", "editor 1", "other 3", "editor 1", "other 4", "editor 1",
      ])
    witness.cancel()
    editor.cancel()
  }

  @Test("may come and go while they are told", arguments: Stores.all)
  func coming(_ stores: Stores) async throws {
    let context = try await stores.notes().context
    let list = try list(context)
    var late: [ListMirror<Note>] = []
    let first = list.observe { list, _ in late.append(ListMirror(list)) }
    for text in ["a", "b", "c"] { try context.insert(Note(text)) }
    #expect(late.map(\.batches) == [2, 1, 0])
    #expect(try late.compactMap { try $0.complaint() } == [])
    first.cancel()
  }

  @Test("may save the context of the list that they hear, on each level", arguments: Stores.all)
  func saving(_ stores: Stores) async throws {
    let (store, root) = try await stores.notes()
    let child = root.makeChild()
    let grandchild = child.makeChild()
    let contexts = [root, child, grandchild]
    let lists = try contexts.map { try list($0) }
    let limited = try contexts.map {
      try LiveList(FetchRequest<Note>(sort: { $0.text }, limit: 3, offset: 1), in: $0)
    }
    let mirrors = (lists + limited).map(ListMirror.init)
    let tokens = zip(contexts, lists).map { context, list in
      list.observe { _, _ in
        do { try context.save() } catch { Issue.record("\(error)") }
      }
    }
    for text in "fbadce" {
      try grandchild.insert(Note(String(text)))
      #expect(try mirrors.compactMap { try $0.complaint() } == [])
      #expect(try store.makeContext().count(Note.self) == lists[0].count)
    }
    for note in lists[2] where note.text > "b" { try grandchild.delete(note) }
    #expect(try mirrors.compactMap { try $0.complaint() } == [])
    #expect(try store.makeContext().values(Note.self).map(\.text).sorted() == ["a", "b"])
    tokens.forEach { $0.cancel() }
  }

  @Test("may edit after a save what can be undone then", arguments: Stores.all)
  func undo(_ stores: Stores) async throws {
    let context = try await stores.notes().context
    context.recordsUndo = true
    let child = context.makeChild()
    child.recordsUndo = true
    let list = try list(context)
    let token = list.observe { list, _ in
      if list.count == 1 { _ = try? child.insert(Note("draft of the next")) }
    }
    try child.insert(Note("a"))
    try child.save()
    #expect(child.hasUnsavedChanges && child.canUndo)
    child.undo()
    #expect(!child.hasUnsavedChanges)
    token.cancel()
    child.discard()
    context.discard()
  }
}

@Suite("A live list dropped off its isolation")
struct DroppedListTests {
  @Test("leaves its context and the identity map in order")
  func dropped() async throws {
    let store = try MemoryStore([Note.self, Topic.self])
    let context = store.makeContext()
    for index in 0..<50 { try context.insert(Note("\(index)", weight: index)) }
    try context.save()
    for round in 0..<20 {
      let list = try LiveList<Note>(FetchRequest(sort: { $0.weight }), in: context)
      let window = try WindowedList<Note>(FetchRequest(sort: { $0.weight }), in: context)
      let observation = list.observe { _, _ in }
      let handover = Handover((list, window, observation))
      // The task releases the last references while this test uses the context.
      let end = Task.detached { _ = handover.take() }
      try context.insert(Note("new \(round)", weight: round))
      await end.value
    }
    #expect(try context.fetch(Note.self).count == 70)
    context.discard()
  }
}
