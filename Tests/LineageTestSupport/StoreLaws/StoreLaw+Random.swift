import ObjectGraph

extension StoreLaw {
  /// The laws with random filters and orders. A store must find the rows that plain Swift finds.
  static let random: [StoreLaw] =
    (0...3).map { depth in
      law("Random filters of samples, \(depth) deep") { world, random, find in
        for _ in 0..<400 {
          let test = random.sampleFilter(depth: depth)
          let expected = world.samples.filter { test.holds(world, $0) }.map(\.id.key)
          try find.expect(FetchRequest(filter: test.filter), expected)
        }
      }
    }
    + (0...2).map { depth in
      law("Random filters of groups, whose members count, \(depth) deep") { world, random, find in
        for _ in 0..<200 {
          let test = random.groupFilter(depth: depth)
          let expected = world.groups.filter { test.holds(world, $0) }.map(\.id.key)
          try find.expect(FetchRequest(filter: test.filter), expected)
        }
      }
    }
    + [
      law("Random orders: nil first, bytes for texts, ids for ties; limit and offset") {
        world, random, find in
        for count in 0..<300 {
          let test = random.sampleOrder()
          let limit = count.isMultiple(of: 3) ? nil : count % 50
          let offset = count.isMultiple(of: 2) ? 0 : count % 45
          let sorted = world.samples.sorted { test.compare(world, $0, $1) < 0 }
          let expected = sorted.dropFirst(offset).prefix(limit ?? .max).map(\.id.key)
          try find.expect(
            FetchRequest(filter: nil, order: test.order, limit: limit, offset: offset), expected)
        }
      }
    ]

  /// A reader of a store that has the rows of a random world. Error messages contain the seed of
  /// the world.
  private struct Finder {
    let seed: UInt64
    let store: StoreUnderTest
    let reader: any StoreReader

    func expect<Value: Entity>(_ request: FetchRequest<Value>, _ expected: [Int64]) throws {
      let found = try reader.ids(try store.query(request))
      try store.expect(found == expected, "\(expected) but \(found), seed \(seed): \(request)")
    }
  }

  private static func law(
    _ description: String,
    _ body: @escaping @Sendable (World, inout RandomConditions, Finder) throws -> Void
  ) -> StoreLaw {
    StoreLaw(description) { store in
      let seed = SplitMix64.seed(2_026)
      let world = World(seed: seed)
      try store.store.commit(world.writes(in: store.model), from: nil)
      let reader = try store.store.makeReader()
      defer { reader.end() }
      var random = RandomConditions(seed: seed)
      try body(world, &random, Finder(seed: seed, store: store, reader: reader))
    }
  }
}
