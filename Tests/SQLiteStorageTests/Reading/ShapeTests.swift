import Foundation
import LineageTestSupport
import ObjectGraph
import SQLiteStorage
import Testing

@Suite("Filters of each size and shape are the same in SQL and in memory", .hangGuard)
struct ShapeTests {
  private let folder: Drawer
  private let file: SQLiteStore
  private let poor: PoorStore
  private let memory: MemoryStore
  private let seed: UInt64

  init() async throws {
    seed = SplitMix64.seed(13)
    let world = World(seed: seed)
    folder = try Drawer()
    file = try await SQLiteStore.open(at: folder.file(), [Sample.self, Group.self])
    poor = PoorStore(file)
    memory = try MemoryStore([Sample.self, Group.self])
    try file.commit(world.writes(in: file.model), from: nil)
    try memory.commit(world.writes(in: memory.model), from: nil)
  }

  /// Returns the ids that a request finds in each store, or the text of the error.
  private func answers(_ request: FetchRequest<Sample>) -> (file: String, memory: String) {
    func answer(_ store: any ObjectStore) -> String {
      do {
        return "\(try store.makeReader().ids(try request.query(in: store.model)))"
      } catch {
        return "\(error)"
      }
    }
    let inMemory = answer(memory)
    #expect(answer(poor) == inMemory, "the dialect that can say nothing but equality")
    return (answer(file), inMemory)
  }

  private func expectSame(
    _ request: FetchRequest<Sample>, _ location: SourceLocation = #_sourceLocation
  ) {
    let (inFile, inMemory) = answers(request)
    #expect(inFile == inMemory, "seed \(seed)", sourceLocation: location)
    #expect(inFile.hasPrefix("["), sourceLocation: location)
  }

  @Test("Random shapes", arguments: [4, 30, 120])
  func shapes(size: Int) throws {
    var random = RandomConditions(seed: seed)
    for _ in 0..<(size < 100 ? 60 : 15) {
      let filter = random.shape(upTo: size)
      let (inFile, inMemory) = answers(FetchRequest(filter: filter))
      try #require(inFile == inMemory, "seed \(seed): \(filter)")
      try #require(inFile.hasPrefix("["), "seed \(seed): \(inFile)")
    }
  }

  @Test("Figures of random shapes")
  func figures() throws {
    var random = RandomConditions(seed: seed)
    let number = PropertyPath(relations: ["friend"], name: "number")
    for _ in 0..<40 {
      let query = try FetchRequest(filter: random.shape(upTo: 40)).query(in: file.model)
      for aggregate in [Aggregate.count, .minimum(number), .maximum(number)] {
        let wanted = try memory.makeReader().aggregate(aggregate, of: query)
        for store in [file, poor] as [any ObjectStore] {
          try #require(
            try store.makeReader().aggregate(aggregate, of: query) == wanted, "seed \(seed)")
        }
      }
    }
  }

  @Test("As deep, wide and nested as a request may be")
  func largest() {
    var random = RandomConditions(seed: seed)
    expectSame(FetchRequest(filter: random.deep(levels: RequestLimit.levels.most - 3)))
    expectSame(FetchRequest(filter: random.wide(terms: RequestLimit.terms.most)))
    expectSame(FetchRequest(filter: random.nested(closures: RequestLimit.closures.most)))
  }

  @Test("A negation in each step of a loop, four hundred times")
  func negations() {
    var filter = Filter<Sample> { $0.number == 0 }
    for number in 0..<400 { filter = !filter && Filter { $0.number != number } }
    expectSame(FetchRequest(filter: filter))
    var closures = Filter<Sample> { $0.number == 0 }
    for _ in 0..<20 {
      let inner = closures
      closures = Filter { $0.friends.contains { _ in inner } || $0.flag }
    }
    expectSame(FetchRequest(filter: closures))
  }

  @Test("Lists of texts and prefixes, of which each takes several parameters")
  func parameters() {
    var filter = Filter<Sample>.all(false)
    for number in 0..<10_000 { filter = filter || Filter { $0.text.hasPrefix("\(number)x") } }
    filter = filter || Filter { $0.text.isIn((0..<30).map { "t\($0)" } + ["a"]) }
    expectSame(FetchRequest(filter: filter))
    var lists = Filter<Sample> { $0.flag }
    for number in 0..<1_000 {
      lists = lists || Filter { $0.text.isIn((0..<40).map { "\(number) \($0)" }) }
    }
    expectSame(FetchRequest(filter: lists))
  }

  @Test(
    "Orders of two thousand keys, with limit and offset", arguments: [59, 60, 61, 64, 100, 2_000])
  func orders(keys: Int) throws {
    var random = RandomConditions(seed: seed)
    for count in 0..<3 {
      expectSame(
        FetchRequest(
          filter: nil, order: random.order(keys: keys), limit: count.isMultiple(of: 2) ? nil : 9,
          offset: count))
    }
    // Now as many keys as before, but all different. All but the last ones leave most rows equal.
    let names = Sample.layout.columns.filter { !$0.isJSON }.map(\.name)
    var terms: [OrderTerm] = []
    for number in (1..<128).reversed() {
      var relations: [String] = []
      var rest = number
      while rest > 1 {
        relations += rest.isMultiple(of: 2) ? ["friend"] : ["group", "leader"]
        rest /= 2
      }
      for name in names where terms.count < keys {
        let path = PropertyPath(relations: relations, name: name)
        terms.append(OrderTerm(property: path, isDescending: terms.count.isMultiple(of: 3)))
      }
    }
    #expect(Set(terms).count == keys)
    expectSame(FetchRequest(filter: nil, order: Ordering(terms: terms)))
  }

  @Test("Each kind of value sorts by bytes as it sorts by size")
  func ranks() async throws {
    let folder = try Drawer()
    let file = try await SQLiteStore.open(at: folder.file(), [Sample.self, Group.self])
    let memory = try MemoryStore([Sample.self, Group.self])
    for store in [file, memory] as [any ObjectStore] {
      try store.commit(
        World(seed: seed).samples.map { row in
          var sample = row.value
          (sample.friend, sample.group) = (nil, nil)
          return .insert(row.id, sample, in: store.model)
        }, from: nil)
    }
    let names = Sample.layout.columns.filter { !$0.isJSON }.map(\.name)
    for (name, isDescending) in names.flatMap({ [($0, true), ($0, false)] }) {
      // No sample has a friend, so these keys leave all rows equal. They use up the keys that plain
      // SQL can have.
      var terms = (1...60).map { count in
        OrderTerm(
          property: PropertyPath(
            relations: Array(repeating: "friend", count: count / 20 + 1),
            name: names[count % 20]), isDescending: false)
      }
      terms += [name, "number", "text"].map {
        OrderTerm(property: PropertyPath(name: $0), isDescending: isDescending)
      }
      let query = Query(entity: 0, order: terms)
      #expect(
        try file.makeReader().ids(query) == memory.makeReader().ids(query),
        "seed \(seed): \(name)")
    }
  }

  @Test("More relations than SQLite joins tables")
  func joins() {
    var random = RandomConditions(seed: seed)
    for depth in [1, 49, 50, 51, 64, 100] {
      let path = PropertyPath(relations: Array(repeating: "friend", count: depth), name: "number")
      for comparison in [Comparison.less, .notEqual] {
        let condition = Condition.or([
          .compare(path, comparison, .integer(1)), random.sampleFilter(depth: 1).filter.condition,
        ])
        expectSame(
          FetchRequest(
            filter: Filter(condition),
            order: Ordering(terms: [OrderTerm(property: path, isDescending: true)])))
      }
    }
    let terms = (0..<100).map { count in
      Condition.compare(
        PropertyPath(
          relations: (0..<7).map { count >> $0 & 1 == 0 ? "friend" : "group" }.filter {
            $0 == "friend"
          } + (count.isMultiple(of: 2) ? ["group", "leader"] : []), name: "flag"), .equal,
        .integer(1))
    }
    expectSame(FetchRequest(filter: Filter(.or(terms))))
  }

  @Test("What exceeds a limit, or names what is not there, is refused in the same words")
  func refusals() throws {
    var deep = Filter<Sample> { $0.flag }
    for _ in 0..<100_000 { deep = !deep && Filter { $0.number == 1 } }
    var wide = Filter<Sample> { $0.flag }
    for _ in 0..<30_000 { wide = wide || Filter { $0.number == 1 } }
    var nested = Filter<Sample> { $0.flag }
    for _ in 0..<1_000 {
      let inner = nested
      nested = Filter { $0.friends.contains { _ in inner } }
    }
    let far = PropertyPath(relations: Array(repeating: "friend", count: 30_000), name: "flag")
    let term = OrderTerm(property: PropertyPath(name: "flag"), isDescending: false)
    let gone = Condition.compare(PropertyPath(name: "gone"), .equal, .null)
    var deepGone = Condition.or([gone])
    for _ in 0..<100 { deepGone = .not(.and([.constant(true), deepGone])) }
    let requests: [(FetchRequest<Sample>, String)] = [
      (FetchRequest(filter: deep), "more than 1000 levels"),
      (FetchRequest(filter: wide), "more than 20000 terms"),
      (FetchRequest(filter: nested), "more than 32 closures"),
      (FetchRequest(filter: Filter(.compare(far, .equal, .null))), "more than 100 relations"),
      (
        FetchRequest(filter: nil, order: Ordering(terms: Array(repeating: term, count: 2_001))),
        "more than 2000 keys"
      ),
      (FetchRequest(filter: Filter(deepGone)), "Sample.gone: there is no such property"),
    ]
    for (request, message) in requests {
      let (inFile, inMemory) = answers(request)
      #expect(inFile == inMemory)
      #expect(inFile.contains(message), "\(inFile)")
    }
  }

  @Test("Nothing recurses: a thread with half a megabyte of stack suffices")
  func stack() throws {
    let file = file
    let memory = memory
    let failure = Outcome()
    let thread = Thread {
      do {
        for isNested in [false, true] {
          var filter = Filter<Sample> { $0.number == 1 }
          let levels = RequestLimit.levels.most
          if isNested {
            for count in 0..<RequestLimit.closures.most {
              let inner = filter
              filter = Filter {
                count.isMultiple(of: 2)
                  ? $0.group.members.contains { _ in inner } : $0.friends.allSatisfy { _ in inner }
              }
            }
          }
          while filter.condition.levels < levels - 1 {
            filter = !(filter && Filter { $0.number != 2 })
          }
          let request = FetchRequest(filter: filter)
          let bytes = try JSONEncoder().encode(request)
          let again = try JSONDecoder().decode(FetchRequest<Sample>.self, from: bytes)
          guard again == request, again.hashValue == request.hashValue else {
            throw Mishap("It came back as something else.")
          }
          _ = "\(request)".count
          for store in [file, memory] as [any ObjectStore] {
            _ = try store.makeReader().ids(try again.query(in: store.model))
          }
          // A chain counts as one level, but it nests as many nodes as it has terms.
          var chain = Filter<Sample> { $0.number == 1 }
          for number in 0..<5_000 { chain = chain || Filter { $0.number == number } }
          _ = try memory.makeReader().ids(
            FetchRequest(filter: chain).query(in: memory.model))
        }
        failure.set("")
      } catch {
        failure.set("\(error)")
      }
    }
    thread.stackSize = 512 << 10
    thread.start()
    #expect(failure.wait() == "")
  }

  @Test("Closures cost in proportion to the rows, for each of them", arguments: [1, 2, 3])
  func costs(closures: Int) async throws {
    var filter = Filter<Sample> { $0.number == -1 }
    for _ in 0..<closures {
      let inner = filter
      filter = Filter {
        $0.group.members.contains { _ in inner }
          || $0.friend.friends.allSatisfy { _ in !inner }
            && $0.group.members.count < 0
      }
    }
    func cost(_ rows: Int) async throws -> (file: Int, memory: Int) {
      let folder = try Drawer()
      let file = try await SQLiteStore.open(at: folder.file(), [Sample.self, Group.self])
      let memory = try MemoryStore([Sample.self, Group.self])
      // All samples are in one group and have one friend.
      var sample = Sample()
      sample.group = Ref(key: 1)
      sample.friend = Ref(key: 1)
      for store in [file, memory] as [any ObjectStore] {
        try store.commit(
          (1...rows).map { .insert(Ref(key: Int64($0)), sample, in: store.model) }
            + [.insert(Ref(key: 1), Group(), in: store.model)], from: nil)
      }
      let request = FetchRequest(filter: filter)
      let reader = try file.makeReader()
      let before = file.readCounts
      #expect(try reader.ids(try request.query(in: file.model)).isEmpty)
      reader.end()
      let steps = (file.readCounts - before).machineSteps
      let visits = memory.visitedRows
      #expect(try memory.makeReader().ids(try request.query(in: memory.model)).isEmpty)
      return (steps, memory.visitedRows - visits)
    }
    let few = try await cost(200)
    let many = try await cost(800)
    #expect(many.file <= 5 * few.file, "\(many.file), \(few.file)")
    #expect(many.memory <= 5 * few.memory, "\(many.memory), \(few.memory)")
    #expect(few.memory <= 200 * 16 << closures, "\(few.memory)")
    #expect(few.file <= 200 * 100 << closures, "\(few.file)")
  }

  @Test("Closures deeper than SQL holds cost in proportion to the rows, too")
  func deepCosts() async throws {
    func steps(_ rows: Int) async throws -> Int {
      let folder = try Drawer()
      let file = try await SQLiteStore.open(at: folder.file(), [Sample.self, Group.self])
      var sample = Sample()
      sample.group = Ref(key: 1)
      try file.commit(
        (1...rows).map { .insert(Ref(key: Int64($0)), sample, in: file.model) }
          + [.insert(Ref(key: 1), Group(), in: file.model)], from: nil)
      var filter = Filter<Sample> { $0.number == -1 }
      for _ in 0..<20 {
        let inner = filter
        filter = Filter { $0.group.members.contains { _ in inner } }
      }
      let before = file.readCounts
      let reader = try file.makeReader()
      #expect(try reader.ids(try FetchRequest(filter: filter).query(in: file.model)).isEmpty)
      reader.end()
      return (file.readCounts - before).stepped
    }
    #expect(try await steps(400) <= 3 * steps(200))
  }

  @Test("Any limit and offset give the same, in and out of the order of SQL")
  func windows() throws {
    let numbers = [0, 1, 2, 7, 1_000, .max]
    let orders: [Ordering<Sample>] = [Ordering(), Ordering { $0.number.descending }]
    for (order, limit) in orders.flatMap({ order in numbers.map { (order, $0) } }) {
      for offset in numbers {
        expectSame(
          FetchRequest(
            filter: Filter { $0.number != 1 && $0.text.hasPrefix("") }, order: order, limit: limit,
            offset: offset))
      }
    }
  }
}

/// A text that one thread sets and another thread waits for.
private final class Outcome: @unchecked Sendable {
  // It is written before the semaphore is signalled, and read afterwards.
  private var text: String?
  private let isDone = DispatchSemaphore(value: 0)

  func set(_ text: String) {
    self.text = text
    isDone.signal()
  }

  func wait() -> String? {
    isDone.wait()
    return text
  }
}
