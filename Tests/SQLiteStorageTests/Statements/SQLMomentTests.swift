import Foundation
import LineageTestSupport
import ObjectGraph
import SQLiteStorage
import Testing

@Suite("The moments of statements in SQL")
struct SQLMomentTests {
  private let store: SQLiteStore

  init() async throws {
    store = try await SQLiteStore.temporary([Item.self, Box.self])
    try store.insert(1...3)
  }

  private func add(_ name: String) throws {
    let context = store.makeContext()
    try context.insert(Item(name: name))
    try context.save()
  }

  @Test("All reads in a moment see the same rows, by SQL and without")
  func moment() throws {
    let context = store.makeContext()
    try context.read {
      #expect(try context.rows("select count(*) from Item", Int.self) == [3])
      try add("a")
      #expect(try context.rows("select count(*) from Item", Int.self) == [3])
      #expect(try context.count(Item.self) == 3)
      #expect(try context.objects(Item.self, "select id from Item").count == 3)
    }
    #expect(try context.rows("select count(*) from Item", Int.self) == [4])
    try context.read {
      #expect(try context.count(Item.self) == 4)
      try Drawer.sqlite3("INSERT INTO Item (name, count) VALUES ('b', 1)", store.url)
      #expect(try context.rows("select count(*) from Item", Int.self) == [4])
    }
    #expect(try context.rows("select count(*) from Item", Int.self) == [5])
  }

  @Test("A live value that catches the error of its statement is computed again after the save")
  func caught() throws {
    let context = store.makeContext()
    let item = try context.object(with: Ref<Item>(key: 1))
    let compute = { (context: ObjectContext) in
      (try? context.rows("select sum(count) from Item", Int.self)) ?? [-1]
    }
    item.count = 5
    let live = try LiveValue(in: context, compute)
    var heard: [[Int]] = []
    let token = live.observe { heard.append($0) }
    #expect(try live.value == [-1])
    try context.save()
    item.count = 10
    #expect(try live.value == [-1])
    try context.save()
    #expect(heard == [[10], [-1], [15]])
    #expect(try live.value == [15])
    token.cancel()
  }

  @Test("A live value follows what a statement reads, and hears of a save that lets it read")
  func live() throws {
    let context = store.makeContext()
    var computed = 0
    let live = try LiveValue(in: context) { context in
      computed += 1
      return try context.rows(
        "select sum(count) from Item where id in (select id from Item)", Int.self)
    }
    var heard: [[Int]] = []
    let token = live.observe { heard.append($0) }
    #expect(try live.value == [6] && computed == 1)
    try context.insert(Box(label: "b"))
    #expect(try live.value == [6] && computed == 1)
    let item = try context.object(with: Ref<Item>(key: 1))
    item.count = 10
    #expect(refusedReason { try live.value }?.contains("Item") == true)
    #expect(heard.isEmpty)
    try context.save()
    #expect(heard == [[15]])
    #expect(try live.value == [15])
    // A change above, which is saved above.
    let child = context.makeChild()
    let below = try LiveValue(in: child) { try $0.rows("select sum(count) from Item", Int.self) }
    var heardBelow: [[Int]] = []
    let tokenBelow = below.observe { heardBelow.append($0) }
    item.count = 20
    try context.save()
    #expect(heard.last == [25] && heardBelow == [[25]])
    try child.object(with: item.id).count = 30
    try child.saveAll()
    #expect(heard.last == [35] && heardBelow.last == [35])
    // Another context's commit.
    let other = store.makeContext()
    try other.object(with: Ref<Item>(key: 2)).count = 12
    try other.save()
    try context.merge()
    #expect(heard.last == [45] && heardBelow.last == [45])
    try other.object(with: item.id).count = 31
    try other.save()
    try context.merge()
    #expect(heard.last == [46] && heardBelow.last == [46])
    _ = (token, tokenBelow)
  }

  @Test("A cancelled read ends, and so does a read that takes too long")
  func ends() async throws {
    let endless: SQL =
      "with recursive n(i) as (select 1 union all select i + 1 from n) select max(i) from n"
    let task = Task { [store] in
      try store.makeContext().rows(endless, Int.self)
    }
    try await Task.sleep(for: .milliseconds(50))
    task.cancel()
    let error = await #expect(throws: GraphError.self) { try await task.value }
    guard case .cancelled? = error?.reason else { throw Unexpected("\(String(describing: error))") }
    let limited = try await SQLiteStore.temporary(
      [Item.self, Box.self], options: StoreOptions(readLimit: 10_000))
    let context = limited.makeContext()
    #expect(
      refusedReason { try context.rows(endless, Int.self) } == "it takes more than 10000 steps")
    #expect(try context.rows("select 1", Int.self) == [1])
  }

  @Test("Objects of a statement are read even if the store ends the moment between two reads")
  func manyContexts() throws {
    // More contexts than the pool has connections.
    let contexts = (0..<20).map { _ in store.makeContext() }
    for round in 0..<3 {
      for context in contexts {
        #expect(
          try context.objects(Item.self, "select id from Item order by id").count == 3 + round)
      }
      try add("r\(round)")
      for context in contexts { try context.merge() }
    }
  }
}
