import Lineage
import LineageTestSupport
import Testing

@Suite("Lists that load elsewhere in trees", .hangGuard)
@MainActor
struct LoadingListTests {
  private let store: PausedStore
  private let application = Application()
  private let screen = Controller()

  init() throws {
    let base = try MemoryStore([Note.self, Topic.self])
    let context = base.makeContext()
    for weight in 0..<1_250 { try context.insert(Note("n", weight: weight)) }
    try context.save()
    store = PausedStore(base)
    application.provide(store.makeContext())
    screen.branch(ObjectContext.self)
    try application.append(screen)
  }

  private func list(_ context: ObjectContext) throws -> LiveList<Note> {
    try LiveList(FetchRequest(sort: { $0.weight }), in: context, loading: .elsewhere)
  }

  @Test("A slice is a turn, and all of them are awaited by settle")
  func turns() async throws {
    let list = try list(try screen.require(ObjectContext.self))
    var shown: [Int] = []
    application.onTurn { _ in if shown.last != list.count { shown.append(list.count) } }
    while application.drain() > 0 {}
    let error = await #expect(throws: UnsettledError.self) {
      try await application.settle(within: .zero)
    }
    #expect(error?.work == ["the loading of a list of Note"])
    store.letRead(for: [list])
    await application.settle()
    #expect(shown == [0] + Array(stride(from: 64, through: 1_164, by: 100)) + [1_250])
    #expect(list.isComplete)
    list.request.filter = Filter { $0.weight < 10 }
    store.resume()
    await application.settle()
    #expect(list.count == 10 && list.isComplete)
  }

  @Test("A place stays as it is until the list has its row, or is complete")
  func place() async throws {
    let context = try screen.require(ObjectContext.self)
    let whole = try LiveList<Note>(FetchRequest(sort: { $0.weight }), in: context)
    var places = [
      ListPlace(at: 1_100, in: whole), ListPlace(index: 1_100), ListPlace(index: 9_000),
    ]
    let list = try list(context)
    var moves = 0
    let observation = list.observe { list, _ in
      let before = places
      for index in places.indices { places[index].follow(list) }
      if !list.isComplete, list.count < 1_100 { moves += places == before ? 0 : 1 }
    }
    store.resume()
    await application.settle()
    #expect(places.map(\.index) == [1_100, 1_100, 1_249] && moves == 0)
    #expect(places[0].object === whole[1_100] && places[1].object === whole[1_100])
    observation.cancel()
  }

  @Test("Two lists take turns")
  func twoLists() async throws {
    let lists = try [application, screen].map { try list($0.require(ObjectContext.self)) }
    store.letRead(for: lists)
    var shown: [[Int]] = []
    application.onTurn { _ in shown.append(lists.map(\.count)) }
    while application.drain() > 0 {}
    #expect(shown.prefix(5) == [[64, 0], [64, 64], [164, 64], [164, 164], [264, 164]])
    #expect(shown.last == [1_250, 1_250] && shown.count == 26)
  }

  @Test("A tree that waits settles when the list is released, or its loading fails")
  func cancelled() async throws {
    var list: LiveList<Note>? = try list(try screen.require(ObjectContext.self))
    let settling = Task { @MainActor [application] in await application.settle() }
    for _ in 0..<20 { await Task.yield() }
    list = nil
    #expect(list == nil)
    store.resume()
    await settling.value
  }

  @Test("A context that joins later takes what has arrived before")
  func joinsLater() async throws {
    let context = store.makeContext()
    let list = try list(context)
    store.letRead(for: [list])
    #expect(list.isEmpty)
    screen.provide(context)
    await application.settle()
    #expect(list.count == 1_250 && list.isComplete)
  }

  @Test("A closed store makes the list stale, and the tree settles")
  func closed() async throws {
    let folder = try Drawer()
    let file = folder.file("notes.sqlite")
    let store = try await SQLiteStore.open(at: file, [Note.self, Topic.self])
    let paused = PausedStore(store)
    let application = Application()
    let context = paused.makeContext()
    application.provide(context)
    let list = try list(context)
    store.close()
    paused.resume()
    await application.settle()
    #expect(list.state.isStale && !list.isComplete && list.isEmpty)
  }
}
