import Foundation
import LineageTestSupport
import ObjectGraph
import SQLiteStorage
import Testing

/// An entity with a unique price and an indexed discount.
private struct Ware: Entity, Equatable {
  var name = ""
  var price: Decimal = 1
  var discount: Decimal?

  static let schema = Schema<Ware>("Ware") {
    Attribute("name", \.name)
    Attribute("price", \.price, unique: true)
    Attribute("discount", \.discount, indexed: true)
  }
}

/// The entity `Ware` before a migration adds the prices.
private struct OldWare: Entity {
  var name = ""

  static let schema = Schema<OldWare>("Ware") { Attribute("name", \.name) }
}

@Suite("A decimal in a file") struct DecimalTests {
  private let folder: Drawer

  init() throws { folder = try Drawer() }

  private func open() async throws -> SQLiteStore {
    try await SQLiteStore.open(at: folder.file(), [Ware.self])
  }

  @Test("is plain text that any program reads, compares and writes") func plain() async throws {
    let store = try await open()
    let context = store.makeContext()
    for price in [Decimal.loose(-2, 150), 1200, -0.05] {
      try context.insert(Ware(price: price, discount: price))
    }
    try context.save()
    #expect(try folder.sqlite3("SELECT price FROM Ware ORDER BY id") == "1.5\n1200\n-0.05")
    #expect(try folder.sqlite3("SELECT sum(price) FROM Ware") == "1201.45")
    #expect(
      try folder.sqlite3(
        "INSERT INTO Ware VALUES (1, 'x', '2.25', NULL), (2, 'y', 3, 4.5);"
          + "UPDATE Ware SET price = '7' WHERE price = '1200'; PRAGMA integrity_check") == "ok")
    #expect(!(try folder.sqlite3("SELECT sql FROM sqlite_schema").lowercased().contains("collate")))
    let wares = try store.makeContext().fetch(Ware.self, sort: { $0.price })
    let prices = ["-0.05", "1.5", "2.25", "3", "7"].map { Decimal(string: $0) }
    #expect(wares.map(\.price) == prices)
    #expect(try await store.check() == [])
  }

  @Test(
    "in another text than its own cannot be read, and the error names the row",
    arguments: ["abc", "NaN", "1.50", "1e3", "", "-0", "01", " 1"])
  func bad(text: String) async throws {
    let store = try await open()
    let context = store.makeContext()
    try context.insert(Ware(price: 5))
    try context.save()
    try folder.sqlite3("INSERT INTO Ware VALUES (1, 'x', '\(text)', '\(text)')")
    let reader = store.makeContext()
    func isUnreadable(_ body: () throws -> Void) -> Bool {
      do {
        try body()
      } catch let error as GraphError {
        if case .unreadable("Ware/1", let message) = error.reason {
          return message == "price is the text \"\(text)\", not a Decimal"
        }
      } catch {}
      return false
    }
    #expect(isUnreadable { _ = try reader.fetch(Ware.self) })
    #expect(isUnreadable { _ = try reader.object(with: Ref<Ware>(key: 1)) })
    #expect(isUnreadable { _ = try reader.sum(Ware.self, of: { $0.price }) })
    #expect(isUnreadable { _ = try reader.average(Ware.self, of: { $0.price }) })
    // The unreadable price has a place in the order, so the prices of other rows are found.
    #expect(try reader.fetch(Ware.self, where: { $0.price == 5 }).count == 1)
  }

  @Test("is unique whatever its form, also while two rows exchange theirs") func unique()
    async throws
  {
    let store = try await open()
    let context = store.makeContext()
    let one = try context.insert(Ware(price: .loose(-1, 10)))
    let two = try context.insert(Ware(price: 2))
    try context.save()
    let other = store.makeContext()
    try other.insert(Ware(price: .loose(-2, 100)))
    let error = try #require(throws: GraphError.self) { try other.save() }
    guard case .notUnique("Ware", ["price"], _) = error.reason else { throw error }
    (one.price, two.price) = (.loose(-3, 2000), 1)
    try context.save()
    #expect(try folder.sqlite3("SELECT price FROM Ware ORDER BY id") == "2\n1")
  }

  @Test("that is set to an equal one in another form is no edit") func equal() async throws {
    let store = try await open()
    let context = store.makeContext()
    let ware = try context.insert(Ware(price: 1.5, discount: 2))
    try context.save()
    (ware.price, ware.discount) = (.loose(-3, 1500), .loose(-1, 20))
    #expect(!context.hasUnsavedChanges)
    ware.discount = nil
    #expect(context.hasUnsavedChanges)
    ware.discount = .loose(0, 2)
    #expect(!context.hasUnsavedChanges)
  }

  @Test("has an index that serves equality only") func plan() async throws {
    let store = try await open()
    let wares = (1...1000).map { Ware(price: Decimal($0), discount: Decimal($0)) }
    try store.commit(
      wares.enumerated().map { .insert(Ref(key: Int64($0 + 1)), $1, in: store.model) }, from: nil)
    func steps(_ request: FetchRequest<Ware>) throws -> Int {
      let reader = try store.makeReader()
      let before = store.readCounts
      #expect(try reader.ids(try request.query(in: store.model)).count == 1)
      reader.end()
      return (store.readCounts - before).machineSteps
    }
    #expect(try steps(FetchRequest(where: { $0.price == 7 })) < 100)
    #expect(try steps(FetchRequest(where: { $0.discount == 7 })) < 100)
    #expect(try steps(FetchRequest(where: { $0.discount.isIn([7, -1]) })) < 100)
    #expect(try steps(FetchRequest(where: { $0.price < 2 })) > 1000)
  }

  @Test("is added to rows that have none, with its initial value") func migration() async throws {
    let old = try await SQLiteStore.open(at: folder.file(), [OldWare.self])
    let context = old.makeContext()
    try context.insert(OldWare(name: "x"))
    try context.save()
    old.close()
    let store = try await open()
    let ware = try #require(try store.makeContext().fetch(Ware.self).first)
    #expect(ware.price == 1 && ware.discount == nil)
  }

  @Test("beyond the joins and keys that SQLite has is compared and ordered as in memory")
  func questions() async throws {
    let store = try await SQLiteStore.open(at: folder.file(), StoreLaw.entities)
    let memory = try MemoryStore(StoreLaw.entities)
    let world = World(seed: 11, samples: 60)
    let alone: [Write] = world.samples.map { sample in
      var value = Sample()
      value.maybePrice = sample.value.maybePrice
      return .insert(Ref(key: sample.id.key + 1), value, in: store.model)
    }
    for store in [store, memory] as [any ObjectStore] {
      try store.commit(world.writes(in: store.model) + alone, from: nil)
    }
    func friends(_ count: Int, _ name: String) -> PropertyPath {
      PropertyPath(relations: Array(repeating: "friend", count: count), name: name)
    }
    // These are more keys than SQLite sorts by. They are nil for samples without a friend, so only
    // the last term orders these samples.
    let keys = (1...61).map { OrderTerm(property: friends($0, "maybeRank"), isDescending: false) }
    for isDescending in [false, true] {
      for count in [0, 1, 70] {
        let path = friends(count, "maybePrice")
        let term = OrderTerm(property: path, isDescending: isDescending)
        for order in [keys + [term], [term]] {
          let query = Query(entity: 0, order: order)
          let found = try store.makeReader().ids(query)
          #expect(try memory.makeReader().ids(query) == found)
        }
        let condition = Condition.compare(path, isDescending ? .less : .greaterOrEqual, .text("1"))
        let query = Query(entity: 0, condition: condition)
        let found = try store.makeReader().ids(query)
        #expect(try memory.makeReader().ids(query) == found)
        for figure in [Aggregate.minimum(path), .maximum(path)] {
          let found = try store.makeReader().aggregate(figure, of: query)
          #expect(try memory.makeReader().aggregate(figure, of: query) == found)
        }
      }
    }
  }
}
