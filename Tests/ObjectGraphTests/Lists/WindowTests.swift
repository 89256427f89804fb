import Foundation
import LineageTestSupport
import ObjectGraph
import SQLiteStorage
import Testing

@Suite("A windowed list")
struct WindowTests {
  private func fill(_ context: ObjectContext, _ count: Int) throws {
    try context.group {
      for index in 0..<count { try context.insert(Note("n\(index)", weight: index / 2)) }
    }
    try context.save()
  }

  private func weights(_ list: LiveList<Note>) -> [Int] { list.map(\.weight) }

  @Test(
    "begins with the first rows, and scrolls to the last and back with a bounded window",
    arguments: Stores.all)
  func scrolling(_ stores: Stores) async throws {
    let context = try await stores.notes().context
    try fill(context, 100)
    let list = try WindowedList(FetchRequest<Note>(sort: { $0.weight }), in: context, capacity: 16)
    #expect(weights(list) == [0, 0, 1, 1, 2, 2, 3, 3])
    #expect(!list.hasEarlier && list.hasLater)
    var seen = list.map(\.text)
    while list.hasLater {
      let count = try list.loadLater()
      seen += list.suffix(count).map(\.text)
      #expect(list.count <= 16)
    }
    #expect(seen == (0..<100).map { "n\($0)" })
    #expect(list.hasEarlier)
    while list.hasEarlier { try list.loadEarlier(5) }
    #expect(list.first?.text == "n0")
    #expect(try list.total() == 100)
  }

  @Test("is refused if the engine cannot find the rows of a page itself")
  func unsayable() async throws {
    let poor = try await Stores.poor.notes().context
    try fill(poor, 20)
    #expect(try poor.fetch(Note.self, where: { $0.weight < 3 }, sort: { $0.weight }).count == 6)
    var deep = Filter<Note> { $0.weight > 3 }
    for weight in 0..<300 { deep = !deep && Filter { $0.weight != weight + 50 } }
    let file = try await Stores.sqlite.notes().context
    let requests = [
      (poor, FetchRequest<Note>(sort: { $0.weight })), (poor, FetchRequest<Note>(sort: { $0.id })),
      (file, FetchRequest<Note>(filter: deep, order: Ordering { $0.weight })),
    ]
    for (context, request) in requests {
      let error = try #require(throws: GraphError.self) {
        try WindowedList(request, in: context)
      }
      guard case .invalid = error.reason else {
        Issue.record("\(error)")
        continue
      }
    }
  }

  @Test("of a descending order breaks ties by descending ids", arguments: Stores.all)
  func descending(_ stores: Stores) async throws {
    let context = try await stores.notes().context
    try fill(context, 20)
    let list = try WindowedList(
      FetchRequest<Note>(sort: { $0.weight.descending }), in: context, capacity: 16)
    #expect(list.map(\.text) == ["n19", "n18", "n17", "n16", "n15", "n14", "n13", "n12"])
    try list.jumpToEnd()
    #expect(list.last?.text == "n0" && !list.hasLater && list.hasEarlier)
  }

  @Test("jumps to an object and to a key", arguments: Stores.all)
  func jumping(_ stores: Stores) async throws {
    let context = try await stores.notes().context
    try fill(context, 100)
    let list = try WindowedList(FetchRequest<Note>(sort: { $0.weight }), in: context, capacity: 16)
    let note = try #require(try context.fetch(Note.self, where: { $0.text == "n50" }).first)
    let position = try #require(try list.jump(to: note))
    #expect(list[position] === note && list.hasEarlier && list.hasLater)
    let key = try list.jump(toKey: 30)
    #expect(list[key].text == "n60")
    #expect(try list.jump(toKey: 1000) == list.count)
    #expect(list.last?.text == "n99")
    try list.jumpToStart()
    #expect(list.first?.text == "n0")
  }

  @Test("is filled again when everything in it is deleted", arguments: Stores.all)
  func emptied(_ stores: Stores) async throws {
    let context = try await stores.notes().context
    try fill(context, 60)
    let list = try WindowedList(FetchRequest<Note>(sort: { $0.weight }), in: context, capacity: 16)
    let mirror = ListMirror(list)
    try list.jump(toKey: 15)
    try context.group { for note in list { try context.delete(note) } }
    #expect(list.count == 8)
    let fresh = try context.fetch(list.request)
    let start = try #require(fresh.firstIndex { $0 === list.first })
    #expect(mirror.complaint(fresh: Array(fresh[start..<start + list.count])) == nil)
    for _ in 0..<10 { try context.group { for note in list { try context.delete(note) } } }
    #expect(list.isEmpty && !list.hasLater && !list.hasEarlier)
  }

  @Test("reads as many rows of a long table as of a short one", arguments: Stores.all)
  func bounded(_ stores: Stores) async throws {
    var counts: [[Int]] = []
    for count in [1_000, 20_000] {
      let (store, context) = try await stores.notes()
      try fill(context, count)
      counts.append(try rowsRead(store, count))
    }
    #expect(counts[0] == counts[1])
    #expect(counts[0].allSatisfy { $0 <= 100 })
  }

  /// Returns the numbers of rows that a window reads, one number for each operation on it.
  private func rowsRead(_ store: CountingStore, _ count: Int) throws -> [Int] {
    let context = store.makeContext()
    let list = try WindowedList(FetchRequest<Note>(sort: { $0.weight }), in: context, capacity: 32)
    var counts = [store.take().calls.readRows]
    func did() { counts.append(store.take().calls.readRows) }
    try list.loadLater()
    did()
    list[3].weight = 7
    try context.insert(Note("near", weight: 1))
    try context.insert(Note("far", weight: count))
    did()
    try list.jump(toKey: count / 4)
    did()
    try list.loadEarlier()
    did()
    try list.refresh()
    did()
    try context.group { for note in list.prefix(20) { try context.delete(note) } }
    did()
    try context.save()
    let other = store.makeContext()
    try #require(try other.fetch(Note.self, where: { $0.weight == count / 3 }).first).weight = 0
    try other.save()
    _ = store.take()
    try context.merge()
    did()
    return counts
  }

  @Test("keeps its rows when reading fails, says so, and recovers", arguments: Stores.all)
  func stale(_ stores: Stores) async throws {
    let (store, context) = try await stores.notes()
    try fill(context, 100)
    let list = try WindowedList(FetchRequest<Note>(sort: { $0.weight }), in: context, capacity: 16)
    let mirror = ListMirror(list)
    let texts = list.map(\.text)
    store.fail(with: GraphError("read", .closed))
    #expect(throws: GraphError.self) { try list.refresh() }
    #expect(list.state.isStale && list.map(\.text) == texts && mirror.batches == 1)
    #expect(throws: GraphError.self) { try list.loadLater() }
    store.fail(with: nil)
    list[0].text = "changed"
    #expect(!list.state.isStale && list[0].text == "changed")
    try list.loadLater()
    #expect(mirror.complaint(fresh: Array(try context.fetch(list.request).prefix(12))) == nil)
  }

  @Test("is refused without an index, and in the order of what others have", arguments: Stores.all)
  func refused(_ stores: Stores) async throws {
    let context = try await stores.notes().context
    #expect(throws: GraphError.self) {
      try WindowedList(FetchRequest<Note>(sort: { $0.text }), in: context)
    }
    #expect(throws: GraphError.self) {
      try WindowedList(FetchRequest<Note>(sort: { $0.topic.name }), in: context)
    }
  }

  @Test("is in the order of an index whose first properties the filter fixes")
  func fixed() async throws {
    let folder = try Drawer()
    // Without the index, a page would take more steps than this.
    let store = try await SQLiteStore.open(
      at: folder.file(), [Seat.self], options: StoreOptions(readLimit: 4_000))
    defer { store.close() }
    let context = store.makeContext()
    for number in 0..<3_000 {
      try context.insert(Seat("\(number % 3)", number, price: number * 7 % 1_000))
    }
    try context.save()
    let row = FetchRequest<Seat>(where: { $0.row == "1" }, sort: { $0.price })
    let window = try WindowedList(row, in: context, capacity: 16)
    var prices = window.map(\.price)
    while try window.loadLater(4) > 0, let last = window.last { prices.append(last.price) }
    #expect(prices.count > 240 && prices == prices.sorted())
    #expect(window.hasEarlier && !window.hasLater && window.allSatisfy { $0.row == "1" })
    let moved = try #require(window.first)
    moved.price = 5_000
    #expect(window.last?.id == moved.id)
    for request in [
      FetchRequest<Seat>(sort: { $0.price }),
      FetchRequest<Seat>(where: { $0.row >= "1" }, sort: { $0.price }),
      FetchRequest<Seat>(where: { $0.row == "1" || $0.price == 2 }, sort: { $0.price }),
    ] {
      let error = #expect(throws: GraphError.self) { try WindowedList(request, in: context) }
      guard case .request("Seat", "price", _)? = error?.reason else { throw BrokenWindow() }
    }
  }

  @Test("is in no order of decimals, which no index has")
  func decimals() throws {
    let context = try MemoryStore(StoreLaw.entities).makeContext()
    let request = FetchRequest<Sample>(sort: { $0.price })
    let error = #expect(throws: GraphError.self) { try WindowedList(request, in: context) }
    guard case .request("Sample", "price", _)? = error?.reason else { throw BrokenWindow() }
    #expect(throws: Never.self) { try LiveList(request, in: context) }
  }

  private struct BrokenWindow: Error {}

  @Test("is in the order of ids, if that is what it is ordered by first", arguments: Stores.all)
  func idsFirst(_ stores: Stores) async throws {
    let context = try await stores.notes().context
    for weight in [3, 1, 2] { try context.insert(Note("n", weight: weight)) }
    let request = FetchRequest<Note>(sort: {
      $0.id
      $0.weight
    })
    let window = try WindowedList(request, in: context)
    #expect(weights(window) == (try context.fetch(request)).map(\.weight))
    context.discard()
  }

  @Test("jumps to keys that can be compared with those of its order", arguments: Stores.all)
  func otherKeys(_ stores: Stores) async throws {
    let context = try await stores.notes().context
    try fill(context, 80)
    let byID = try WindowedList(FetchRequest<Note>(), in: context, capacity: 16)
    #expect(throws: GraphError.self) { try byID.jump(toKey: 5) }
    let list = try WindowedList(FetchRequest<Note>(sort: { $0.weight }), in: context, capacity: 16)
    #expect(throws: GraphError.self) { try list.jump(toKey: "five") }
    #expect(throws: GraphError.self) { try list.jump(toKey: Double.nan) }
    let position = try list.jump(toKey: 17.5)
    #expect(list[position].weight == 18)
    #expect(!list.state.isStale)
  }

  @Test("of hundreds of rows scrolls up", arguments: Stores.all)
  func large(_ stores: Stores) async throws {
    let context = try await stores.notes().context
    try fill(context, 4_000)
    let list = try WindowedList(FetchRequest<Note>(sort: { $0.weight }), in: context, capacity: 400)
    try list.jump(toKey: 1_000)
    try list.loadEarlier()
    #expect(weights(list) == weights(list).sorted())
  }

  @Test("of a request from before its key was renamed is made", arguments: Stores.all)
  func renamedKey(_ stores: Stores) async throws {
    let context = try await stores.open([Event.self]).makeContext()
    let encoded = try JSONEncoder().encode(FetchRequest<Event>(sort: { $0.points }))
    let text = String(decoding: encoded, as: UTF8.self)
    let former = text.replacingOccurrences(of: "points", with: "score")
    #expect(former != text)
    let request = try JSONDecoder().decode(FetchRequest<Event>.self, from: Data(former.utf8))
    _ = try LiveList(request, in: context)
    _ = try WindowedList(request, in: context)
  }

  @Test("is ordered by dates and by bytes", arguments: Stores.all)
  func datesAndBytes(_ stores: Stores) async throws {
    let context = try await stores.open([Event.self]).makeContext()
    for points in 0..<40 {
      try context.insert(
        Event(
          points: points, when: Date(timeIntervalSinceReferenceDate: Double(points % 7) - 3),
          token: Data([UInt8(points % 5)])))
    }
    try context.insert(Event(when: .distantPast))
    try context.insert(Event(when: .distantFuture, token: Data()))
    try context.save()
    for request in [
      FetchRequest<Event>(sort: { $0.when }),
      FetchRequest<Event>(sort: { $0.token.descending }),
    ] {
      let window = try WindowedList(request, in: context, capacity: 16)
      var seen = window.map(\.id)
      while window.hasLater {
        let count = try window.loadLater()
        seen += window.suffix(count).map(\.id)
      }
      #expect(seen == (try context.fetch(window.request)).map(\.id))
      while window.hasEarlier { try window.loadEarlier() }
      #expect(window.first?.id == seen.first)
    }
  }
}

private struct Event: Entity {
  var points = 0
  var when = Date(timeIntervalSinceReferenceDate: 0)
  var token = Data()

  static let schema = Schema<Event>("Event") {
    Attribute("points", \.points, indexed: true, formerly: "score")
    Attribute("when", \.when, indexed: true)
    Attribute("token", \.token, indexed: true)
  }
}
