import LineageTestSupport
import ObjectGraph
import SQLiteStorage
import Testing

@Suite("Queries of stored values are answered as a slow oracle answers them", .hangGuard)
struct HeldOutTests {
  /// Three stores with the rows of a world, and the oracle of them.
  private struct Stores {
    let folder: Drawer
    let file: SQLiteStore
    let poor: PoorStore
    let memory: MemoryStore
    let oracle: HeldOutOracle

    init(_ world: World) async throws {
      folder = try Drawer()
      file = try await SQLiteStore.open(at: folder.file(), [Sample.self, Group.self])
      poor = PoorStore(file)
      memory = try MemoryStore([Sample.self, Group.self])
      try file.commit(world.writes(in: file.model), from: nil)
      try memory.commit(world.writes(in: memory.model), from: nil)
      oracle = try HeldOutOracle(world, memory.model)
    }
  }

  private static let sizes = [0, 1, 40, 499, 500, 501, 1_001]

  private func answer<Value>(_ body: () throws -> Value) -> String {
    do { return "\(try body())" } catch { return "\(error)" }
  }

  @Test("Random queries", arguments: sizes)
  func queries(size: Int) async throws {
    for seed in SplitMix64.seeds(1, from: 900) {
      let world = World(seed: seed, samples: size, groups: size == 0 ? 0 : 1 + size / 7)
      let stores = try await Stores(world)
      var random = HeldOutConditions(seed: seed &+ UInt64(size), stores.oracle)
      let readers: [(String, any StoreReader)] = [
        ("memory", try stores.memory.makeReader()), ("file", try stores.file.makeReader()),
        ("poor", try stores.poor.makeReader()),
      ]
      for round in 0..<(size > 100 ? 25 : 150) {
        let query = try random.query()
        let wanted = answer { try stores.oracle.ids(query) }
        for (name, reader) in readers {
          let found = answer { try reader.ids(query) }
          try #require(
            found == wanted, "seed \(seed), size \(size), round \(round), \(name): \(query)")
        }
      }
      for (_, reader) in readers { reader.end() }
    }
  }

  @Test("Random figures", arguments: sizes)
  func figures(size: Int) async throws {
    for seed in SplitMix64.seeds(1, from: 700) {
      let world = World(seed: seed, samples: size, groups: size == 0 ? 0 : 1 + size / 7)
      let stores = try await Stores(world)
      var random = HeldOutConditions(seed: seed &+ UInt64(size), stores.oracle)
      let memory = try stores.memory.makeReader()
      let file = try stores.file.makeReader()
      let poor = try stores.poor.makeReader()
      for round in 0..<(size > 100 ? 25 : 150) {
        let query = try random.query()
        let aggregate = random.aggregate(of: query.entity)
        let wanted = answer { try memory.aggregate(aggregate, of: query) }
        let about = "seed \(seed), size \(size), round \(round): \(aggregate) of \(query)"
        try #require(answer { try file.aggregate(aggregate, of: query) } == wanted, "file \(about)")
        try #require(answer { try poor.aggregate(aggregate, of: query) } == wanted, "poor \(about)")
        let values = stores.oracle.matches(query).compactMap { id in
          aggregate.path.map { stores.oracle.value($0, query.entity, id) }
        }.filter { !$0.isNull }
        switch aggregate {
        case .count:
          #expect(wanted == "\(StoredValue.integer(Int64(stores.oracle.matches(query).count)))")
        case .minimum(let path), .maximum(let path):
          let order = try stores.oracle.model.place(path, from: query.entity).order
          let isMinimum = if case .minimum = aggregate { true } else { false }
          let best = values.reduce(StoredValue.null) { best, value in
            guard let place = HeldOutOracle.compare(value, best, order) else {
              return best.isNull ? value : best
            }
            return (isMinimum ? place < 0 : place > 0) ? value : best
          }
          let isZero = wanted.contains("0.0") && "\(best)".contains("0.0")
          #expect(wanted == "\(best)" || isZero, "\(about)")
        case .sum:
          let integers = values.compactMap { if case .integer(let one) = $0 { one } else { nil } }
          guard !values.isEmpty, integers.count == values.count else { continue }
          let sum = integers.reduce(Int128(0)) { $0 + Int128($1) }
          if let sum = Int64(exactly: sum) {
            #expect(wanted == "\(StoredValue.integer(sum))", "\(about)")
          } else {
            #expect(wanted.contains("64 bits"), "\(about)")
          }
        case .average: continue
        }
      }
    }
  }

  @Test("Columns of integers and reals compare exactly with each literal", arguments: [0, 1, 2])
  func literals(shape: Int) async throws {
    let stores = try await Stores(World(seed: 5, samples: 40, groups: 4))
    let reals: [Double] = [
      0, -0.0, 0.5, -0.5, 1, 2.5, -2.5, 0x1p53 - 1, 0x1p53, 0x1p53 + 2, -0x1p53, 0x1p62, 0x1p63,
      0x1p63.nextDown, 0x1p63.nextUp, -0x1p63, (-0x1p63).nextUp, (-0x1p63).nextDown, 0x1p64, 1e300,
      -1e300, .infinity, -.infinity, .nan, .signalingNaN, .leastNonzeroMagnitude, 0.1,
      Double(Float(0.1)),
    ]
    let integers: [Int64] = [
      0, 1, -1, 2, (1 << 53) - 1, 1 << 53, (1 << 53) + 1, -(1 << 53) - 1, .max, .max - 1, .min,
      .min + 1,
    ]
    let literals =
      reals.map { StoredValue.real($0) } + integers.map { StoredValue.integer($0) } + [.null]
    let names = ["number", "flag", "byte", "huge", "score", "ratio", "maybeNumber", "group", "id"]
    let readers: [(String, any StoreReader)] = [
      ("memory", try stores.memory.makeReader()), ("file", try stores.file.makeReader()),
      ("poor", try stores.poor.makeReader()),
    ]
    var faults: [String] = []
    let comparisons: [Comparison] = [
      .equal, .notEqual, .less, .lessOrEqual, .greater, .greaterOrEqual,
    ]
    for name in names {
      let path = PropertyPath(relations: shape == 1 ? ["friend"] : [], name: name)
      var conditions: [Condition] = []
      for literal in literals {
        conditions += comparisons.map { .compare(path, $0, literal) }
        conditions.append(.isIn(path, [literal]))
        conditions.append(.isIn(path, [literal, .integer(7), .null]))
      }
      for condition in conditions {
        let condition = shape == 2 ? Condition.not(condition) : condition
        let query = Query(entity: 0, condition: condition)
        let answers = readers.map { reader in (reader.0, answer { try reader.1.ids(query) }) }
        let wanted = answer { try stores.oracle.ids(query) }
        for (store, found) in answers where found != wanted && found.hasPrefix("[") {
          faults.append("\(store): \(condition.form)")
        }
        if Set(answers.map(\.1)).count > 1 {
          faults.append("differ: \(condition.form) \(answers.map { "\($0.0) \($0.1.prefix(60))" })")
        }
      }
    }
    #expect(faults.isEmpty, "\(faults.count)\n\(faults.prefix(60).joined(separator: "\n"))")
  }
}
