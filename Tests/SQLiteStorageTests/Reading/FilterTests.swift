import LineageTestSupport
import ObjectGraph
import SQLiteStorage
import Testing

@Suite("Filters that are large for SQL") struct FilterTests {
  private let folder: Drawer
  private let store: SQLiteStore
  private let world: World

  init() async throws {
    world = World(seed: SplitMix64.seed(2_026))
    folder = try Drawer()
    store = try await SQLiteStore.open(at: folder.file(), [Sample.self, Group.self])
    try store.commit(world.writes(in: store.model), from: nil)
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
