import LineageTestSupport
import ObjectGraph
import SQLiteStorage
import Testing

@Suite("Filters in SQL agree with plain Swift") struct FilterTests {
  private let folder: TestFolder
  private let store: SQLiteStore
  private let world: World
  private let seed: UInt64

  init() async throws {
    seed = SplitMix64.seed(2_026)
    world = World(seed: seed)
    folder = try TestFolder()
    store = try await SQLiteStore.open(at: folder.file, [Sample.self, Group.self])
    try store.commit(world.writes(in: store.model), from: nil)
  }

  @Test("Random filters of samples, up to four levels deep", arguments: 0...3)
  func samples(depth: Int) throws {
    var random = RandomConditions(seed: seed)
    let reader = try store.makeReader()
    for _ in 0..<400 {
      let test = random.sampleFilter(depth: depth)
      let query = try FetchRequest(filter: test.filter).query(in: store.model)
      let expected = world.samples.filter { test.holds(world, $0) }.map(\.id.key)
      try #require(try reader.ids(query) == expected, "seed \(seed): \(test.filter.condition)")
    }
  }

  @Test("Random filters of groups, whose members count", arguments: 0...2)
  func groups(depth: Int) throws {
    var random = RandomConditions(seed: seed)
    let reader = try store.makeReader()
    for _ in 0..<200 {
      let test = random.groupFilter(depth: depth)
      let query = try FetchRequest(filter: test.filter).query(in: store.model)
      let expected = world.groups.filter { test.holds(world, $0) }.map(\.id.key)
      try #require(try reader.ids(query) == expected, "seed \(seed): \(test.filter.condition)")
    }
  }

  @Test("Random orders: nil first, bytes for texts, ids for ties; limit and offset")
  func orders() throws {
    var random = RandomConditions(seed: seed)
    let reader = try store.makeReader()
    for count in 0..<300 {
      let test = random.sampleOrder()
      let limit = count.isMultiple(of: 3) ? nil : count % 50
      let offset = count.isMultiple(of: 2) ? 0 : count % 45
      let query = try FetchRequest(filter: nil, order: test.order, limit: limit, offset: offset)
        .query(in: store.model)
      let sorted = world.samples.sorted { test.compare(world, $0, $1) < 0 }
      let expected = sorted.dropFirst(offset).prefix(limit ?? .max).map(\.id.key)
      try #require(try reader.ids(query) == expected, "seed \(seed): \(test.order.terms)")
    }
  }

  @Test(
    "Ten thousand terms, and fifty thousand values, are no problem; a bottomless one is an error")
  func large() throws {
    let reader = try store.makeReader()
    let number = PropertyPath(name: "number")
    func ids(_ condition: Condition) throws -> [Int64] {
      try reader.ids(Query(entity: 0, condition: condition))
    }
    let all = try ids(.constant(true))
    let terms = (0..<10_000).map {
      Condition.compare(number, .notEqual, .integer(Int64($0 + 1000)))
    }
    #expect(try ids(.and(terms)).count <= all.count)
    #expect(try ids(.not(.and(terms + [.constant(false)]))) == all)
    let values = (0..<50_000).map { StoredValue.integer($0) }
    #expect(try ids(.isIn(PropertyPath(name: "id"), values)) == all)
    let texts = world.samples.map { StoredValue.text($0.value.text) }
    let many = texts + (0..<50_000).map { .text("no \($0)") }
    #expect(try ids(.isIn(PropertyPath(name: "text"), many)) == all)
    #expect(try ids(.not(.isIn(PropertyPath(name: "text"), many))) == [])
    var deep = Condition.compare(number, .equal, .integer(1))
    for level in 0..<5000 {
      let other = Condition.compare(number, .greater, .integer(Int64(level)))
      deep = level.isMultiple(of: 2) ? .and([deep, other]) : .or([deep, other])
    }
    #expect(throws: GraphError.self) { try ids(deep) }
    #expect(try ids(.constant(true)) == all)
  }
}
