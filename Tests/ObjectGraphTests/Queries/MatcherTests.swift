import LineageTestSupport
import ObjectGraph
import Testing

@Suite("Filters in memory agree with plain Swift")
struct MatcherTests {
  private let store: MemoryStore
  private let world: World
  private let seed: UInt64

  init() throws {
    seed = SplitMix64.seed(21)
    world = World(seed: seed)
    store = try MemoryStore([Sample.self, Group.self])
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
      try #require(
        try reader.ids(query) == expected, "seed \(seed): \(test.filter.condition)")
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
      try #require(
        try reader.ids(query) == expected, "seed \(seed): \(test.filter.condition)")
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
      try #require(
        try reader.ids(query) == expected, "seed \(seed): \(test.order.terms)")
    }
  }
}
