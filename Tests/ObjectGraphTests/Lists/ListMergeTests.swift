import LineageTestSupport
import ObjectGraph
import Testing

/// Tests of a list whose order comes from one moment, while its rows may come from an earlier one.
@Suite("A live list while others save")
struct ListMergeTests {
  private let byWeight = FetchRequest<Note>(sort: { $0.weight })

  private func insert(weights: [Int], in context: ObjectContext) throws -> [Object<Note>] {
    let notes = try weights.map { try context.insert(Note("n", weight: $0)) }
    try context.save()
    return notes
  }

  @Test("is right after a merge, though made after what it brings")
  func madeBeforeTheNews() throws {
    let store = try ElsewhereStore([Note.self, Topic.self])
    let context = store.makeContext()
    let notes = try insert(weights: [2, 3, 100, 5, 6, 50], in: context)
    let elsewhere = store.others.makeContext()
    try elsewhere.object(with: notes[2].id).weight = 4
    try elsewhere.save()
    let list = try LiveList(byWeight, in: context)
    notes[5].weight = 7
    try context.merge()
    #expect(list.map(\.weight) == [2, 3, 4, 5, 6, 7])
    #expect(list.map(\.id) == (try context.fetch(byWeight)).map(\.id))
    context.discard()
  }

  @Test("gets a row that could not be read in a merge by the next one", arguments: Stores.all)
  func unreadRow(_ stores: Stores) async throws {
    let (store, context) = try await stores.notes()
    let note = try context.insert(Note("old"))
    try context.save()
    let list = try LiveList(FetchRequest<Note>(sort: { $0.text }), in: context)
    let other = store.makeContext()
    try other.object(with: note.id).text = "new"
    try other.save()
    store.fail(with: GraphError("read", .inputOutput("disk")))
    #expect(throws: GraphError.self) { try context.merge() }
    store.fail(with: nil)
    try context.merge()
    #expect(note.text == "new")
    #expect(list.map(\.text) == ["new"])
  }

  @Test("takes in a merge slice by slice, as far as it reads its own rows", arguments: Stores.all)
  func slices(_ stores: Stores) async throws {
    let (store, context) = try await stores.notes()
    _ = try insert(weights: Array(0..<200), in: context)
    let list = try LiveList(byWeight, in: context)
    let shortened = try LiveList(FetchRequest<Note>(sort: { $0.weight }, limit: 210), in: context)
    let other = store.makeContext()
    for weight in 200..<300 { try other.insert(Note("z", weight: weight)) }
    try other.save()
    var counts: [Int] = []
    var goesOn = true
    while goesOn {
      goesOn = try context.merge(upTo: 40)
      // The count asks the store for news. This must not make the list apply the other rows.
      _ = try context.count(FetchRequest<Note>())
      counts.append(list.count)
      #expect(shortened.count == 210)
    }
    #expect(counts == [240, 280, 300])
    #expect(list.map(\.id) == (try context.fetch(byWeight)).map(\.id))
  }

  @Test("begins no moment for its own context's edits", arguments: Stores.all)
  func ownEdits(_ stores: Stores) async throws {
    let (store, context) = try await stores.notes()
    let notes = try insert(weights: Array(0..<100), in: context)
    let list = try LiveList(byWeight, in: context)
    let window = try WindowedList(byWeight, in: context)
    var heaviest: [Int] = []
    let observation = list.observe { list, _ in heaviest.append(list[99].weight) }
    let windowed = window.observe { list, _ in heaviest.append(list[99].weight) }
    try context.save()
    _ = store.take()
    for weight in 100..<104 { notes[weight - 100].weight = weight }
    #expect(store.take().moments == 0)
    #expect(heaviest == [100, 100, 101, 101, 102, 102, 103, 103])
    try context.save()
    // The save reads rows to compare them. The lists read nothing.
    #expect(store.take().moments <= 1)
    #expect(list.map(\.id) == (try context.fetch(byWeight)).map(\.id))
    for following in [observation, windowed] { following.cancel() }
  }

  @Test("is made up for after a fetch that fails", arguments: Stores.all)
  func failedFetch(_ stores: Stores) async throws {
    let (store, context) = try await stores.notes()
    let notes = try insert(weights: [2, 3, 100, 5, 6, 50], in: context)
    let other = store.makeContext()
    try other.object(with: notes[2].id).weight = 4
    try other.save()
    // The list is made before the merge, so it has the store's order but older objects.
    let list = try LiveList(byWeight, in: context)
    #expect(list.map(\.weight) == [2, 3, 5, 6, 50, 100])
    // There are more rows than a list applies one by one.
    for weight in 1000..<1200 { try other.insert(Note("z", weight: weight)) }
    try other.save()
    store.fail(with: GraphError("read", .inputOutput("disk")), onlyQueries: true)
    try context.merge()
    #expect(list.state.isStale)
    store.fail(with: nil)
    notes[5].weight = 7
    #expect(!list.state.isStale)
    #expect(list.map(\.weight) == (try context.fetch(byWeight)).map(\.weight))
    context.discard()
  }

  @Test("takes in at once what it hears of while it reads", arguments: Stores.all)
  func heardInReading(_ stores: Stores) async throws {
    let base = try await stores.notes().store
    let store = PassingStore(base)
    let context = store.makeContext()
    let list = try LiveList(FetchRequest<Note>(), in: context)
    // This ends the moment, so the next read of the list begins a new one.
    context.read {}
    let other = base.makeContext()
    let id = try other.insert(Note("replaced")).id
    try other.save()
    store.pass(.beforeRow) {
      let other = base.makeContext()
      try other.delete(other.object(with: id))
      try other.insert(Note("new"))
      try other.save()
    }
    // The store has one row both before and after the second commit.
    #expect(list.count == 1)
    #expect(list.first?.text == "new")
  }

  @Test("hears again of what is committed when a moment has begun", arguments: Stores.all)
  func afterBeginning(_ stores: Stores) async throws {
    let base = try await stores.notes().store
    let store = PassingStore(base)
    let context = store.makeContext()
    let list = try LiveList(byWeight, in: context)
    let limited = try LiveList(FetchRequest<Note>(sort: { $0.weight }, limit: 5), in: context)
    context.read {}
    store.pass(.afterBeginning) {
      let other = base.makeContext()
      try other.insert(Note("new"))
      try other.save()
    }
    // The moment of the lists began before the commit, although they learn of the commit in it.
    #expect(list.isEmpty && limited.isEmpty)
    context.read {}
    #expect(list.map(\.text) == ["new"])
    #expect(limited.map(\.text) == ["new"])
  }

  @Test("misses no merge of what is committed when a moment has begun", arguments: Stores.all)
  func mergedAfterBeginning(_ stores: Stores) async throws {
    let base = try await stores.notes().store
    let store = PassingStore(base)
    let context = store.makeContext()
    let lists = try [
      LiveList(byWeight, in: context), WindowedList(byWeight, in: context),
      LiveList(FetchRequest<Note>(sort: { $0.weight }, limit: 5), in: context),
      LiveList(FetchRequest<Note>(sort: { $0.topic.name }), in: context),
    ]
    context.read {}
    store.pass(.afterBeginning) {
      let other = base.makeContext()
      try other.insert(Note("new"))
      try other.save()
    }
    for list in lists { #expect(list.isEmpty) }
    try context.merge()
    for list in lists { #expect(list.map(\.text) == ["new"]) }
  }

  @Test("shows what its context saves within read", arguments: Stores.all)
  func savedInRead(_ stores: Stores) async throws {
    let context = try await stores.notes().context
    let limited = try LiveList(FetchRequest<Note>(sort: { $0.text }, limit: 5), in: context)
    let list = try LiveList(FetchRequest<Note>(sort: { $0.text }), in: context)
    try context.read {
      _ = try context.fetch(Note.self)
      try context.insert(Note("a"))
      try context.save()
      #expect(try context.fetch(Note.self).count == 1)
      let held = try context.insert(Note("b"))
      try context.save()
      #expect(held.text == "b")
    }
    #expect(list.map(\.text) == ["a", "b"])
    #expect(limited.map(\.text) == ["a", "b"])
    #expect(!limited.state.isStale)
  }

  @Test("loses nothing that was merged within read", arguments: Stores.all)
  func mergedInRead(_ stores: Stores) async throws {
    let (store, context) = try await stores.notes()
    let note = try context.insert(Note("old"))
    try context.save()
    let list = try LiveList(FetchRequest<Note>(sort: { $0.text }), in: context)
    let other = store.makeContext()
    try context.read {
      _ = try context.fetch(Note.self)
      try other.object(with: note.id).text = "new"
      try other.insert(Note("z"))
      try other.save()
      try context.merge()
    }
    try context.merge()
    #expect(note.text == "new")
    #expect(list.map(\.text) == ["new", "z"])
  }
}
