import Foundation
import LineageTestSupport
import ObjectGraph
import SQLiteStorage
import Testing

@Suite("What reading and saving cost, counted") struct CountTests {
  private let folder: Drawer
  private let store: SQLiteStore

  init() async throws {
    folder = try Drawer()
    store = try await SQLiteStore.open(at: folder.file(), [Item.self, Box.self])
  }

  private func cost(_ body: () throws -> Void) rethrows -> Counts {
    let before = store.writeCounts
    try body()
    return store.writeCounts - before
  }

  @Test("A save steps begin, one statement a row changed, commit; one more when others are there")
  func single()
    throws
  {
    try store.insert(1...10)
    try store.setCount(1, from: 1, to: 2)
    let update = try cost { try store.setCount(2, from: 2, to: 3) }
    #expect(update.prepared == 0 && update.stepped == 3)
    let many = try cost {
      try store.commit(
        (3...10).map {
          .update(
            Ref(key: Int64($0)), ["count"], from: Item(name: "i\($0)", count: $0),
            to: Item(name: "i\($0)", count: 0), in: store.model)
        }, from: nil)
    }
    #expect(many.prepared == 0 && many.stepped == 8 + 2)
  }

  @Test("While another process has the file open, its log is written") func together() async throws
  {
    let folder = try Drawer()
    let store = try await SQLiteStore.open(at: folder.file(), [Badge.self])
    func cost(_ id: Int64) throws -> Int {
      let before = store.writeCounts
      try store.commit([.insert(Ref(key: id), Badge("\(id)"), in: store.model)], from: nil)
      return (store.writeCounts - before).stepped
    }
    // The first commit also asks for the page size, and checks that the schema is unchanged.
    #expect(try cost(1) == 3 + 1 + 2)
    #expect(try cost(2) == 3)
    let other = try OtherProcess.probe("wait", folder.file().path, "badges")
    #expect(other.waits(for: "open"))
    #expect(try cost(3) == 4)
    other.kill()
    #expect(try cost(4) == 3)
  }

  @Test("Inserts take sixteen rows a statement, prepared once") func batches() throws {
    try store.insert(1...33)
    let cost = try cost { try store.insert(101...1124) }
    #expect(cost.prepared == 0 && cost.stepped == 1024 / 16 + 2)
  }

  @Test("Rows by id, and the same query again, prepare nothing") func reading() throws {
    try store.insert(1...2000)
    let reader = try store.makeReader()
    let count = PropertyPath(name: "count")
    func read(_ bound: Int64) throws {
      for id in 1...100 {
        #expect(try reader.value(Ref<Item>(key: Int64(id)), in: store.model) != nil)
      }
      _ = try reader.ids(
        Query(entity: 0, condition: .compare(count, .greater, .integer(bound)), limit: 10))
      reader.end()
    }
    try read(1)
    let before = store.readCounts
    try read(2)
    let cost = store.readCounts - before
    #expect(cost.prepared == 0)
    // Two steps begin the moment, 100 read rows by id, at most 11 belong to the query, and one
    // commits.
    #expect(cost.stepped <= 2 + 100 + 11 + 1)
  }

  @Test("A fetch in an order of texts makes one key text of each row that matches")
  func keyTexts() throws {
    try store.insert(1...1000)
    let context = store.makeContext()
    func cost(_ request: FetchRequest<Item>) throws -> Int {
      try context.merge()
      let before = store.readCounts
      #expect(try !context.fetch(request).isEmpty)
      // The merge ends the moment, because only the counts of idle connections are known.
      try context.merge()
      return (store.readCounts - before).keyTexts
    }
    #expect(try cost(FetchRequest(sort: { $0.name.folded })) == 1000)
    #expect(try cost(FetchRequest(sort: { $0.name.natural.descending }, limit: 3)) == 1000)
    let some = FetchRequest<Item>(
      where: { $0.count <= 100 },
      sort: {
        $0.name.natural
        $0.name.folded
        $0.name
      })
    #expect(try cost(some) == 200)
    let needless = FetchRequest<Item>(sort: {
      $0.name
      $0.name.folded
    })
    #expect(try cost(needless) == 0)
    // With unsaved objects, the context makes the keys. A limit needs those of the store as well.
    try context.insert(Item(name: "new"))
    #expect(try cost(FetchRequest(sort: { $0.name.folded })) == 0)
    #expect(try cost(FetchRequest(sort: { $0.name.folded }, limit: 3)) == 1000)
  }

  @Test("A context asks for others' commits once a moment; if there are none, that steps nothing")
  func hearing() throws {
    try store.insert(1...10)
    let context = store.makeContext()
    func cost(_ fetches: Int) throws -> Int {
      let before = store.readCounts
      for _ in 0..<fetches {
        #expect(try context.fetch(Item.self, where: { $0.count > 5 }).count == 5)
      }
      try context.merge()
      return (store.readCounts - before).stepped
    }
    _ = try cost(1)
    // Two steps begin the moment, six are for five rows and their end, and one commits.
    #expect(try cost(1) == 2 + 6 + 1)
    #expect(try cost(3) == 2 + 3 * 6 + 1)
  }

  @Test("Opening reads few pages, and the first rows of an indexed order few more, of 100,000")
  func pages() async throws {
    try store.insert(1...100_000)
    store.close()
    let again = try await SQLiteStore.open(at: folder.file(), [Item.self, Box.self])
    #expect(again.readCounts.pagesRead < 20)
    let reader = try again.makeReader()
    let order = OrderTerm(property: PropertyPath(name: "count"), isDescending: false)
    #expect(try reader.ids(Query(entity: 0, order: [order], limit: 50)) == Array(1...50))
    reader.end()
    #expect(again.readCounts.pagesRead < 60)
    #expect(again.readCounts.stepped < 80)
  }

  @Test("Looking for others when nothing happened asks SQLite nothing") func looking() throws {
    try store.insert(1...1)
    let before = (store.readCounts, store.writeCounts)
    for _ in 0..<100 { try store.postForeignCommits() }
    #expect(store.readCounts == before.0 && store.writeCounts == before.1)
  }
}
