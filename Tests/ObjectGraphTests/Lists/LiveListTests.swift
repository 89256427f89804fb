import Foundation
import LineageTestSupport
import ObjectGraph
import Testing

@Suite("A live list")
struct LiveListTests {
  private let byText = FetchRequest<Note>(sort: { $0.text })

  @Test(
    "follows unsaved edits: what is inserted, changed so that it moves, and deleted",
    arguments: Stores.all)
  func edits(_ stores: Stores) async throws {
    let context = try await stores.notes().context
    let list = try LiveList(byText, in: context)
    let mirror = ListMirror(list)
    try context.insert(letters: "bca")
    #expect(list.map(\.text) == ["a", "b", "c"])
    #expect(mirror.batches == 3 && mirror.last?.insertions == [[0, 0]])
    list[0].text = "x"
    #expect(list.map(\.text) == ["b", "c", "x"])
    #expect(mirror.last?.moves == [ListChanges.Move(from: [0, 0], to: [0, 2])])
    #expect(mirror.last?.updates == [[0, 2]])
    list[1].weight = 9
    #expect(mirror.last?.moves == [] && mirror.last?.updates == [[0, 1]])
    try context.delete(list[0])
    #expect(mirror.last?.deletions == [[0, 0]] && list.count == 2)
    #expect(try mirror.complaint() == nil)
  }

  @Test("tells a group, a save and a merge as one change each", arguments: Stores.all)
  func batches(_ stores: Stores) async throws {
    let (store, context) = try await stores.notes()
    let child = context.makeChild()
    let lists = try [context, child, store.makeContext()].map { try LiveList(byText, in: $0) }
    let mirrors = lists.map(ListMirror.init)
    try child.group { for text in ["c", "a", "b"] { try child.insert(Note(text)) } }
    #expect(mirrors.map(\.batches) == [0, 1, 0])
    try child.save()
    #expect(mirrors.map(\.batches) == [1, 1, 0])
    try context.save()
    #expect(mirrors.map(\.batches) == [1, 1, 0])
    try lists[2].context.merge()
    #expect(mirrors.map(\.batches) == [1, 1, 1])
    #expect(lists[2].map(\.text) == ["a", "b", "c"])
    #expect(try mirrors.compactMap { try $0.complaint() } == [])
  }

  @Test("has sections that come, go and are renamed", arguments: Stores.all)
  func sections(_ stores: Stores) async throws {
    let context = try await stores.notes().context
    let topics = try ["one", "two"].map { try context.insert(Topic($0)) }
    let list = try LiveList(byText, in: context, sections: { $0.topic.name })
    let mirror = ListMirror(list)
    #expect(list.sections.isEmpty)
    for text in ["a", "b", "c"] { try context.insert(Note(text, topic: topics[0].id)) }
    #expect(list.sections == [ListSection(name: "one", rows: 0..<3)])
    list[1].topic = topics[1]
    #expect(list.sections.map(\.name) == ["one", "two"] && list.map(\.text) == ["a", "c", "b"])
    #expect(mirror.last?.insertedSections == [1])
    #expect(mirror.last?.moves == [ListChanges.Move(from: [0, 1], to: [1, 0])])
    #expect(list[[1, 0]].text == "b" && list.indexPath(of: list[2]) == [1, 0])
    topics[0].name = "zero"
    #expect(list.sections.map(\.name) == ["two", "zero"])
    #expect(mirror.last?.deletedSections == [0] && mirror.last?.insertedSections == [1])
    try context.delete(topics[0])
    #expect(list.sections.map(\.name) == ["", "two"])
    #expect(try mirror.complaint() == nil)
  }

  @Test("without sections has one, even when it is empty", arguments: Stores.all)
  func single(_ stores: Stores) async throws {
    let context = try await stores.notes().context
    let list = try LiveList(byText, in: context)
    #expect(list.sections == [ListSection(name: "", rows: 0..<0)])
    try context.insert(letters: "a")
    #expect(list.sections == [ListSection(name: "", rows: 0..<1)])
    #expect(list.indexPath(at: 0) == [0, 0] && list.position(at: [0, 0]) == 0)
  }

  @Test(
    "keeps its rows when reading fails, says so, and recovers with the next operation",
    arguments: Stores.all)
  func stale(_ stores: Stores) async throws {
    let (store, context) = try await stores.notes()
    try context.insert(letters: "ab")
    try context.save()
    let list = try LiveList(
      FetchRequest<Note>(sort: { $0.text }, limit: 5), in: context)
    let mirror = ListMirror(list)
    store.fail(with: GraphError("read", .inputOutput("disk")))
    try context.insert(letters: "c")
    #expect(list.state.isStale && list.map(\.text) == ["a", "b"])
    #expect(mirror.batches == 1 && mirror.last?.isEmpty == true)
    #expect(throws: GraphError.self) { try list.refresh() }
    store.fail(with: nil)
    #expect(list.state.isStale)
    try context.insert(letters: "d")
    #expect(!list.state.isStale && list.map(\.text) == ["a", "b", "c", "d"])
    #expect(try mirror.complaint() == nil)
    store.fail(with: GraphError("read", .closed))
    try context.insert(letters: "e")
    store.fail(with: nil)
    try list.refresh()
    #expect(!list.state.isStale && list.count == 5)
    #expect(try mirror.complaint() == nil)
  }

  @Test("of many objects reads nothing when one of them changes", arguments: Stores.all)
  func incremental(_ stores: Stores) async throws {
    let (store, context) = try await stores.notes()
    try context.group { for index in 0..<2_000 { try context.insert(Note("\(index)")) } }
    try context.save()
    let list = try LiveList(byText, in: context)
    let mirror = ListMirror(list)
    _ = store.take()
    list[1_000].text = "a"
    list[5].weight = 3
    try context.delete(list[77])
    try context.insert(Note("5"))
    #expect(list.count == 2_000 && mirror.batches == 4)
    #expect(store.take().calls.readRows == 0)
    #expect(try mirror.complaint() == nil)
  }

  @Test("can be gone through while its rows are deleted", arguments: Stores.all)
  func iterating(_ stores: Stores) async throws {
    let context = try await stores.notes().context
    try context.insert(letters: "abcdef")
    let list = try LiveList(byText, in: context)
    for note in list { try context.delete(note) }
    #expect(list.isEmpty)
  }

  @Test("is up to date when it is read in the middle of a group", arguments: Stores.all)
  func middle(_ stores: Stores) async throws {
    let context = try await stores.notes().context
    let list = try LiveList(byText, in: context)
    let mirror = ListMirror(list)
    try context.insert(letters: "mn")
    try context.group {
      try context.insert(letters: "x")
      #expect(list.map(\.text) == ["m", "n", "x"])
      list[0].text = "z"
      #expect(list.map(\.text) == ["n", "x", "z"])
      try context.delete(list[1])
      try context.insert(letters: "a")
      #expect(list.map(\.text) == ["a", "n", "z"])
      #expect(mirror.batches == 2)
    }
    #expect(mirror.batches == 3 && mirror.rows[0].count == 3)
    #expect(try mirror.complaint() == nil)
  }

  @Test("of an unknown property, or of another store's entity, is not made", arguments: Stores.all)
  func unknown(_ stores: Stores) async throws {
    let context = try await stores.notes().context
    #expect(throws: GraphError.self) { try LiveList(FetchRequest<Sample>(), in: context) }
  }

  @Test("names rows for an archive, and finds them where they are then", arguments: Stores.all)
  func association(_ stores: Stores) async throws {
    let context = try await stores.notes().context
    try context.insert(letters: "abc")
    try context.save()
    let list = try LiveList(byText, in: context)
    let name = try #require(list.modelIdentifierForElement(at: [0, 1]))
    #expect(name == (try context.uri(of: list[1]).absoluteString))
    list[0].text = "z"
    #expect(list.indexPathForElement(withModelIdentifier: name) == [0, 0])
    try context.delete(list[0])
    #expect(list.indexPathForElement(withModelIdentifier: name) == nil)
    #expect(list.indexPathForElement(withModelIdentifier: "no URI") == nil)
    #expect(list.modelIdentifierForElement(at: [0, 7]) == nil)
    #expect(list.modelIdentifierForElement(at: [3]) == nil)
  }

  @Test("takes many rows at once, side by side among many others", arguments: Stores.all)
  func manyAtOnce(_ stores: Stores) async throws {
    let context = try await stores.notes().context
    try context.group { for number in 0..<200 { try context.insert(Note("n", weight: number)) } }
    try context.save()
    let list = try LiveList(FetchRequest<Note>(sort: { $0.weight }), in: context)
    let mirror = ListMirror(list)
    try context.group { for _ in 0..<70 { try context.insert(Note("n", weight: 100)) } }
    #expect(list.map(\.weight) == list.map(\.weight).sorted())
    #expect(try mirror.complaint() == nil)
    context.discard()
  }

  @Test("is up to date though what it is ordered by is no number yet", arguments: Stores.all)
  func notANumber(_ stores: Stores) async throws {
    let context = try await stores.open([Sample.self, Group.self]).makeContext()
    let list = try LiveList(FetchRequest<Sample>(sort: { $0.score }), in: context)
    let sample = try context.insert(Sample())
    sample.score = .nan
    try context.insert(Sample())
    #expect(!list.state.isStale && list.count == 2)
  }
}
