import LineageTestSupport
import ObjectGraph
import Testing

@Suite("A list that loads elsewhere", .hangGuard)
struct LoadingTests {
  private let byWeight = FetchRequest<Note>(sort: { $0.weight })

  /// Opens a store with notes of the given weights, and pauses the readers of lists.
  private func notes(
    _ stores: Stores, _ weights: some Sequence<Int>
  ) async throws -> (store: PausedStore, counts: CountingStore, context: ObjectContext) {
    let counts = try await stores.notes().store
    let store = PausedStore(counts)
    let context = store.makeContext()
    for weight in weights { try context.insert(Note("n", weight: weight)) }
    try context.save()
    return (store, counts, store.makeContext())
  }

  @Test(
    "shows a page, then slices, then is complete; observers hear of each", arguments: Stores.all)
  func slices(_ stores: Stores) async throws {
    let (store, counts, context) = try await notes(stores, (0..<1_250).reversed())
    _ = counts.take()
    let list = try LiveList(byWeight, in: context, loading: .elsewhere)
    #expect(list.isEmpty && !list.isComplete && !list.state.isStale)
    #expect(counts.take().calls.readRows == 0)
    let mirror = ListMirror(list)
    #expect(!context.takeLoadedRows(upTo: 500))
    store.letRead(for: [list])
    // What has arrived is not applied at a read.
    #expect(list.isEmpty)
    var shown: [Int] = []
    while context.takeLoadedRows(upTo: 500) { shown.append(list.count) }
    #expect(shown == [64, 564, 1_064, 1_250])
    #expect(mirror.batches == 4 && list.isComplete)
    #expect(list.map(\.weight) == Array(0..<1_250))
    #expect(try mirror.complaint() == nil)
    // Each row was found by the reader and read here once.
    let calls = counts.take().calls
    #expect(calls.rows - 1_250 == 1_250 && calls.lookups == 1_250)
    #expect(!context.takeLoadedRows(upTo: 500))
  }

  @Test("visits only the rows of a slice, and no row of another", arguments: Stores.all)
  func costs(_ stores: Stores) async throws {
    let (store, _, context) = try await notes(stores, 0..<3_000)
    let list = try LiveList(byWeight, in: context, loading: .elsewhere)
    let mirror = ListMirror(list)
    store.letRead(for: [list])
    var visits: [Int] = []
    var before = list.visitCount
    while context.takeLoadedRows(upTo: 500) {
      visits.append(list.visitCount - before)
      before = list.visitCount
    }
    #expect(Set(visits.dropFirst().dropLast()).count == 1 && visits.count == 7)
    #expect(try mirror.complaint() == nil)
  }

  @Test("of no rows becomes complete, and tells so", arguments: Stores.all)
  func empty(_ stores: Stores) async throws {
    let (store, _, context) = try await notes(stores, [])
    let list = try LiveList(byWeight, in: context, loading: .elsewhere)
    var heard: [Bool] = []
    let token = list.observe { list, changes in heard.append(list.isComplete && changes.isEmpty) }
    store.letRead(for: [list])
    try context.merge()
    #expect(heard == [true] && list.isComplete)
    token.cancel()
  }

  @Test(
    "shows edits and unsaved objects of its chain, also before rows have arrived",
    arguments: Stores.all)
  func edits(_ stores: Stores) async throws {
    let (store, _, root) = try await notes(stores, 0..<10)
    let context = root.makeChild()
    let early = try root.insert(Note("early", weight: 100))
    try root.object(with: root.fetch(byWeight)[3].id).weight = 50
    let list = try LiveList(byWeight, in: context, loading: .elsewhere)
    let mirror = ListMirror(list)
    try context.insert(Note("new", weight: -1))
    #expect(list.map(\.weight) == [-1])
    try context.delete(try context.fetch(byWeight)[1])
    store.letRead(for: [list])
    let other = store.makeContext()
    try other.insert(Note("committed", weight: 20))
    try other.delete(other.fetch(byWeight)[8])
    try other.save()
    try root.merge(upTo: .max)
    #expect(list.map(\.weight) == [-1, 20])
    early.weight = 101
    while context.takeLoadedRows(upTo: 2) {
      #expect(mirror.complaint(fresh: Array(list)) == nil)
    }
    #expect(list.map(\.weight) == [-1, 1, 2, 4, 5, 6, 7, 9, 20, 50, 101])
    #expect(try mirror.complaint() == nil && list.isComplete)
    context.discard()
    root.discard()
  }

  @Test(
    "cancels for a new request, whose first rows replace the former ones", arguments: Stores.all)
  func requests(_ stores: Stores) async throws {
    let (store, _, context) = try await notes(stores, 0..<20)
    let list = try LiveList(byWeight, in: context, loading: .elsewhere)
    store.letRead(for: [list])
    try context.merge()
    let selected = list[12]
    let mirror = ListMirror(list)
    list.request = FetchRequest(where: { $0.weight < 5 }, sort: { $0.weight })
    list.request = FetchRequest(where: { $0.weight > 9 }, sort: { $0.weight.descending })
    #expect(!list.isComplete && list.count == 20)
    #expect(list.request.order == Ordering { $0.weight.descending })
    // Rows of the former request follow changes.
    list[0].weight = 30
    #expect(list.last?.weight == 30)
    #expect(mirror.complaint(fresh: try context.fetch(byWeight)) == nil)
    store.letRead(for: [list])
    context.takeLoadedRows(upTo: 4)
    // The edited row, two of the former rows, which do not match, and the first of the new ones.
    #expect(list.map(\.weight) == [30, 19])
    #expect(mirror.complaint(fresh: Array(list)) == nil)
    try context.merge()
    #expect(list.map(\.weight) == [30] + (10...19).reversed())
    #expect(list.position(of: selected) == 8 && list.isComplete)
    #expect(try mirror.complaint() == nil)
    // Rows that both requests have stay.
    list.request = FetchRequest(where: { $0.weight > 12 }, sort: { $0.weight.descending })
    store.letRead(for: [list])
    try context.merge()
    #expect(mirror.last?.deletions.count == 3 && mirror.last?.insertions.isEmpty == true)
    #expect(try mirror.complaint() == nil)
    context.discard()
  }

  @Test("fetches requests at once whose rows cannot be judged one by one", arguments: Stores.all)
  func atOnce(_ stores: Stores) async throws {
    let (store, _, context) = try await notes(stores, 0..<20)
    let requests = [
      FetchRequest<Note>(sort: { $0.weight }, limit: 5),
      FetchRequest<Note>(sort: { $0.weight }, offset: 5),
      FetchRequest<Note>(sort: { $0.topic.name }),
    ]
    for request in requests {
      let list = try LiveList(request, in: context, loading: .elsewhere)
      let fresh = try context.fetch(request)
      #expect(list.isComplete && Array(list) == fresh)
    }
    let list = try LiveList(byWeight, in: context, loading: .elsewhere)
    let mirror = ListMirror(list)
    for request in requests {
      list.request = request
      #expect(list.isComplete && !list.isEmpty)
      #expect(try mirror.complaint() == nil)
      list.request = byWeight
      #expect(!list.isComplete && list.isEmpty)
      #expect(mirror.complaint(fresh: []) == nil)
      store.letRead(for: [list])
      try context.merge()
      #expect(list.isComplete && list.count == 20)
      #expect(try mirror.complaint() == nil)
    }
    let draft = try ObjectContext(draftOf: [Note.self, Topic.self])
    try draft.insert(Note("n"))
    let drafted = try LiveList(byWeight, in: draft, loading: .elsewhere)
    #expect(drafted.isComplete && drafted.count == 1)
    store.resume()
  }

  @Test("is stale if the reader or a slice fails, and begins anew later", arguments: Stores.all)
  func failures(_ stores: Stores) async throws {
    let (store, counts, context) = try await notes(stores, 0..<20)
    let list = try LiveList(byWeight, in: context, loading: .elsewhere)
    var heard: [Bool] = []
    let mirror = ListMirror(list)
    let token = list.observe { list, _ in heard.append(list.state.isStale) }
    func fail(_ onlyQueries: Bool) {
      counts.fail(with: GraphError("read", .inputOutput("disk")), onlyQueries: onlyQueries)
    }
    fail(true)
    store.letRead(for: [list])
    try context.merge()
    #expect(list.state.isStale && !list.isComplete && list.isEmpty && heard == [true])
    // It does not try again by itself.
    try context.merge()
    #expect(!list.isReading)
    counts.fail(with: nil)
    try context.insert(Note("new", weight: 5))
    #expect(!list.state.isStale && !list.isComplete && list.isReading)
    store.letRead(for: [list])
    context.takeLoadedRows(upTo: 4)
    fail(false)
    context.takeLoadedRows(upTo: 4)
    #expect(list.state.isStale && !list.isComplete)
    counts.fail(with: nil)
    try list.refresh()
    #expect(!list.state.isStale && !list.isComplete)
    store.letRead(for: [list])
    while context.takeLoadedRows(upTo: 3) {}
    #expect(list.isComplete && list.count == 21)
    #expect(try mirror.complaint() == nil)
    // A request that cannot be shown ends the loading, and leaves the rows.
    list.request = FetchRequest(where: { $0.weight < 5 })
    list.request.filter = Filter(
      .compare(PropertyPath(name: "unknown"), .equal, .integer(1)))
    #expect(list.state.isStale && list.count == 21)
    list.request = FetchRequest(where: { $0.weight < 5 })
    store.letRead(for: [list])
    try context.merge()
    #expect(!list.state.isStale && list.isComplete && list.count == 5)
    #expect(try mirror.complaint() == nil)
    token.cancel()
    context.discard()
  }

  @Test("ends its reader when nobody has the list, and nothing is left", arguments: Stores.all)
  func released(_ stores: Stores) async throws {
    weak var store: PausedStore?
    weak var context: ObjectContext?
    weak var list: LiveList<Note>?
    do {
      let (paused, _, made) = try await notes(stores, 0..<1_000)
      (store, context) = (paused, made)
      var waiting: LiveList<Note>? = try LiveList(byWeight, in: made, loading: .elsewhere)
      var arrived: LiveList<Note>? = try LiveList(byWeight, in: made, loading: .elsewhere)
      list = waiting
      #expect(made.loadingLists.count == 2)
      waiting?.request.filter = Filter { $0.weight > 2 }
      paused.letRead(for: [waiting, arrived].compactMap(\.self))
      made.takeLoadedRows(upTo: 10)
      (waiting, arrived) = (nil, nil)
      #expect(list == nil && made.loadingLists.isEmpty && !made.hasLoadedRows)
      let last = try LiveList(byWeight, in: made, loading: .elsewhere)
      list = last
      withExtendedLifetime(last) {}
      paused.resume()
    }
    #expect(list == nil && context == nil)
    // The thread of the last reader sees that it was cancelled.
    try await until { store == nil }
  }

  @Test("is read by a loop over its updates, without a tree", arguments: Stores.all) @MainActor
  func loop(_ stores: Stores) async throws {
    let (store, _, context) = try await notes(stores, 0..<1_250)
    store.resume()
    let list = try LiveList(byWeight, in: context.makeChild(), loading: .elsewhere)
    var (rows, largest): ([[Int]], Int) = ([[]], 0)
    for await changes in list.updates {
      changes.apply(to: &rows) { list[$0].weight }
      largest = max(largest, changes.insertions.count)
      if list.isComplete { break }
    }
    #expect(rows == [Array(0..<1_250)] && largest <= 200)
  }

  @Test("loads beside others that save", arguments: Stores.all) @MainActor
  func besideSaves(_ stores: Stores) async throws {
    let (store, _, context) = try await notes(stores, 0..<2_000)
    store.resume()
    let saving = Task.detached {
      let other = store.makeContext()
      for round in 0..<30 {
        for note in try other.fetch(FetchRequest<Note>(sort: { $0.weight }, limit: 7)) {
          note.weight += 1_000 + round
        }
        try other.insert(Note("z", weight: round))
        try other.save()
      }
    }
    let list = try LiveList(byWeight, in: context, loading: .elsewhere)
    let mirror = ListMirror(list)
    for await _ in list.updates where list.isComplete { break }
    try await saving.value
    try context.merge()
    #expect(list.count == 2_030 && list.isComplete)
    #expect(try mirror.complaint() == nil)
  }
}
