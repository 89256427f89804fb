import LineageTestSupport
import ObjectGraph
import Testing

/// Tests that count the rows at which a memory store looks.
@Suite("What a memory store looks at")
struct MemoryCostTests {
  private let store: MemoryStore
  private let context: ObjectContext

  init() throws {
    store = try MemoryStore(Library.entities)
    context = store.makeContext()
  }

  private func visits(_ body: () throws -> Void) rethrows -> Int {
    let before = store.visitedRows
    try body()
    return store.visitedRows - before
  }

  /// Inserts and saves decks with ten cards each.
  private func fill(_ decks: Int) throws -> [Object<Deck>] {
    let decks = try (0..<decks).map { try context.insert(Deck("d\($0)")) }
    for deck in decks {
      for count in 0..<10 { try context.insert(Card("c", rightCount: count)).deck = deck }
    }
    try context.save()
    return decks
  }

  @Test("A to-many property costs its own objects")
  func toMany() throws {
    let decks = try fill(100)
    let cost = visits { #expect(decks[7].cards.count == 10) }
    #expect(cost <= 20, "\(cost)")
  }

  @Test("A cascade costs the objects it deletes, and saving it, too")
  func cascade() throws {
    func cost(_ count: Int) throws -> Int {
      let store = try MemoryStore([Link.self])
      let context = store.makeContext()
      let first = try context.insert(Link())
      var last = first
      for _ in 1..<count {
        let next = try context.insert(Link())
        next.before = last
        last = next
      }
      try context.save()
      let before = store.visitedRows
      try context.delete(first)
      try context.save()
      #expect(try context.count(Link.self) == 0)
      return store.visitedRows - before
    }
    let (few, many) = (try cost(200), try cost(1_600))
    #expect(many <= 10 * few, "\(many), \(few)")
    #expect(many <= 1_600 * 12, "\(many)")
  }

  @Test("A save of one object costs that object, whatever is unique or referred to")
  func saving() throws {
    let decks = try fill(100)
    let cost = try visits {
      decks[3].name = "other"
      try context.save()
      try context.delete(decks[4])
      try context.save()
    }
    #expect(cost <= 100, "\(cost)")
  }

  @Test("What is asked by id or by what is indexed costs what is found")
  func indexed() throws {
    let decks = try fill(100)
    let deck = decks[5]
    let cost = try visits {
      let cards = try context.values(
        Card.self, where: { $0.deck == deck && $0.question == "c" })
      let named = try context.values(Deck.self, where: { $0.name.isIn(["d1", "d2", "x"]) })
      let one = try context.count(Deck.self, where: { $0.id == deck })
      let third = try context.count(
        Card.self, where: { $0.deck == deck && $0.rightCount == 3 && $0.question == "c" })
      #expect([cards.count, named.count, one, third] == [10, 2, 1, 1])
    }
    #expect(cost <= 60, "\(cost)")
  }

  @Test("Snapshots stay what they were, whatever is committed later")
  func snapshots() throws {
    let decks = try fill(30)
    let reader = try store.makeReader()
    let all = Query(entity: 0)
    let before = try reader.ids(all)
    let other = try store.makeReader()
    for deck in decks.prefix(20) { try context.delete(deck) }
    for count in 0..<500 { try context.insert(Card("new", rightCount: count)) }
    try context.save()
    #expect(try reader.ids(all) == before)
    #expect(try other.ids(all).count == 300 - 200 + 500)
    let inDeck = Query(
      entity: 0,
      condition: .compare(PropertyPath(name: "deck"), .equal, .integer(decks[0].id.key)))
    #expect(try reader.ids(inDeck).count == 10)
    #expect(try other.ids(inDeck).isEmpty)
    reader.end()
    #expect(try reader.ids(all).count == 600)
  }

  @Test("Indexes agree with what a look at each row finds, after random commits")
  func model() throws {
    var random = SplitMix64(seed: SplitMix64.seed(41))
    let store = try MemoryStore(StoreLaw.entities)
    var values: [Int64: Sample] = [:]
    for _ in 0..<300 {
      var writes: [Write] = []
      var touched: Set<Int64> = []
      for _ in 0..<random.below(6) {
        let id = Int64(1 + random.below(40))
        guard touched.insert(id).inserted else { continue }
        var sample = values[id] ?? Sample()
        sample.maybeNumber = random.chance(20) ? nil : random.below(4)
        sample.friend = random.chance(50) ? nil : Ref(key: id)
        if let old = values[id] {
          if random.chance(30) {
            writes.append(.delete(Ref(key: id), old, in: store.model))
            values[id] = nil
          } else {
            writes.append(
              .update(
                Ref(key: id), ["maybeNumber", "friend"], from: old, to: sample, in: store.model))
            values[id] = sample
          }
        } else {
          writes.append(.insert(Ref(key: id), sample, in: store.model))
          values[id] = sample
        }
      }
      try store.commit(writes, from: nil)
      let reader = try store.makeReader()
      for number in 0..<4 {
        let query = try FetchRequest<Sample>(where: { $0.maybeNumber == number })
          .query(in: store.model)
        #expect(
          try reader.ids(query)
            == values.filter { $0.value.maybeNumber == number }.keys.sorted())
      }
      for id in 1...40 {
        let query = try FetchRequest<Sample>(where: { $0.friend == Ref(key: Int64(id)) })
          .query(in: store.model)
        #expect(
          try reader.ids(query)
            == values.filter { $0.value.friend?.key == Int64(id) }.keys.sorted())
      }
      #expect(try reader.ids(Query(entity: 0)) == values.keys.sorted())
    }
  }
}

/// An element of a chain. Its deletion deletes the elements after it.
private struct Link: Entity {
  var before: Ref<Link>?
  var after: Many<Link> { Many(\.before) }
  static let schema = Schema<Link>("Link") {
    ToOne("before", \.before)
    ToMany("after", \.after, onDelete: .cascade)
  }
}
