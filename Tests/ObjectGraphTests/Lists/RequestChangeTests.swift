import LineageTestSupport
import ObjectGraph
import Testing

@Suite("A list whose request changes") struct RequestChangeTests {
  private func notes(_ stores: Stores) async throws -> ObjectContext {
    let context = try await stores.notes().context
    for (weight, text) in ["sea", "season", "sand", "bed", "bee"].enumerated() {
      try context.insert(Note(text, weight: weight))
    }
    return context
  }

  @Test(
    "Tells the difference as changes; observers and rows that stay are kept", arguments: Stores.all)
  func typing(_ stores: Stores) async throws {
    let context = try await notes(stores)
    let list = try LiveList<Note>(FetchRequest(sort: { $0.text }), in: context)
    let mirror = ListMirror(list)
    var heard: [[Int]] = []
    let token = list.observe { _, changes in
      heard.append([changes.insertions, changes.deletions].map(\.count) + [changes.updates.count])
    }
    let sea = list[3]
    for (text, texts) in [
      ("s", ["sand", "sea", "season"]), ("se", ["sea", "season"]), ("sea", ["sea", "season"]),
      ("be", ["bed", "bee"]), ("", ["bed", "bee", "sand", "sea", "season"]),
    ] {
      list.request.filter = Filter { $0.text.hasPrefix(text) }
      #expect(list.map(\.text) == texts)
      #expect(try mirror.complaint() == nil)
      #expect(list.position(of: sea) == texts.firstIndex(of: "sea"))
    }
    #expect(heard == [[0, 2, 0], [0, 1, 0], [2, 2, 0], [3, 0, 0]])
    list.request = FetchRequest(sort: { $0.weight.descending }, limit: 2)
    #expect(list.map(\.text) == ["bee", "bed"])
    #expect(try mirror.complaint() == nil)
    try context.insert(Note("new", weight: 9))
    #expect(list.map(\.text) == ["new", "bee"])
    list.request = list.request
    #expect(heard.count == 6)
    token.cancel()
    context.discard()
  }

  @Test("Keeps its sections", arguments: Stores.all)
  func sections(_ stores: Stores) async throws {
    let context = try await notes(stores)
    let list = try LiveList<Note>(
      FetchRequest(sort: { $0.text }), in: context, sections: { $0.weight })
    let mirror = ListMirror(list)
    let request = list.request
    list.request = FetchRequest(where: { $0.weight < 2 })
    #expect(list.sections.count == 2 && list.map(\.text) == ["sea", "season"])
    #expect(try mirror.complaint() == nil)
    list.request = request
    #expect(list.sections.count == 5 && list.request == request)
    #expect(try mirror.complaint() == nil)
    context.discard()
  }

  @Test("An observer may change the request", arguments: Stores.all)
  func inCallback(_ stores: Stores) async throws {
    let context = try await notes(stores)
    let list = try LiveList<Note>(FetchRequest(sort: { $0.text }), in: context)
    var counts: [Int] = []
    let token = list.observe { list, _ in
      counts.append(list.count)
      if list.count == 6 { list.request.limit = 1 }
    }
    let mirror = ListMirror(list)
    try context.insert(Note("z"))
    #expect(counts == [6, 1])
    #expect(try mirror.complaint() == nil)
    token.cancel()
    context.discard()
  }

  @Test("A request that cannot be shown leaves the rows, and the next one replaces it")
  func refused() throws {
    let context = try MemoryStore([Note.self, Topic.self]).makeContext()
    try context.insert(Note("a"))
    let list = try LiveList<Note>(FetchRequest(), in: context)
    let mirror = ListMirror(list)
    let good = list.request
    list.request.filter = Filter(
      .compare(PropertyPath(name: "unknown"), .equal, .integer(1)))
    #expect(list.state.isStale && list.count == 1)
    try context.insert(Note("b"))
    #expect(list.state.isStale && list.count == 1)
    #expect(refusal { try list.refresh() } == "request")
    list.request = good
    #expect(!list.state.isStale && list.count == 2)
    #expect(try mirror.complaint() == nil)
    context.discard()
  }

  @Test("A window begins anew, in the new order", arguments: Stores.all)
  func windows(_ stores: Stores) async throws {
    let context = try await stores.open().makeContext()
    for count in 0..<100 { try context.insert(Card("\(count % 10)", rightCount: count)) }
    try context.save()
    let list = try WindowedList<Card>(
      FetchRequest(sort: { $0.rightCount }), in: context, capacity: 8)
    let mirror = ListMirror(list)
    try list.jumpToEnd()
    #expect(!list.hasLater)
    list.request = FetchRequest(
      where: { $0.question == "3" }, sort: { $0.rightCount.descending })
    #expect(list.map(\.rightCount).prefix(4) == [93, 83, 73, 63])
    #expect(!list.hasEarlier && list.hasLater)
    #expect(mirror.complaint(fresh: Array(list)) == nil)
    #expect(try list.total() == 10)
    list.request = FetchRequest(sort: { $0.question })
    #expect(list.state.isStale && list.first?.rightCount == 93)
    list.request = FetchRequest(sort: { $0.rightCount })
    #expect(!list.state.isStale && list.first?.rightCount == 0)
    #expect(mirror.complaint(fresh: Array(list)) == nil)
  }
}
