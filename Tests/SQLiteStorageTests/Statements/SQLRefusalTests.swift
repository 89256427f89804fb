import Foundation
import LineageTestSupport
import ObjectGraph
import SQLiteStorage
import Testing

@Suite("Statements in SQL that must not run")
struct SQLRefusalTests {
  private let folder: Drawer
  private let store: SQLiteStore

  init() async throws {
    folder = try Drawer()
    store = try await SQLiteStore.open(at: folder.file(), [Item.self, Box.self])
    try store.insert(1...3)
    try folder.sqlite3("CREATE VIEW few AS SELECT name FROM Item; CREATE TABLE other (x)")
  }

  private static let writes: [SQL] = [
    "insert into Item (name, count) values ('x', 1)", "update Item set count = 7",
    "delete from Item", "replace into Item (id, name, count) values (1, 'x', 1)",
    "insert into Item (name, count) values ('x', 1) returning id",
    "delete from Item returning id", "update Item set count = 7 returning id",
    "with a as (select 1) delete from Item", "with a as (select 1) insert into other select 1",
    "create table more (x)", "create temp table more (x)", "create index more on Item (count)",
    "create view more as select 1", "create table more as select * from Item",
    "create trigger more after insert on Item begin select 1; end",
    "create virtual table more using fts5(x)", "drop table Item", "drop view few",
    "alter table Item add column x", "alter table Item rename to x", "attach ':memory:' as x",
    "attach 'file.db' as x", "detach main", "pragma journal_mode = delete", "pragma user_version",
    "pragma user_version = 5", "pragma writable_schema = 1", "pragma table_info(Item)",
    "select * from pragma_table_info('Item')", "select * from pragma_user_version",
    "vacuum", "vacuum into 'copy'", "begin", "begin immediate", "commit", "end", "rollback",
    "savepoint a", "release a", "rollback to a", "reindex", "reindex Item", "analyze",
    "explain select 1", "explain query plan select 1", "explain delete from Item",
    "select 1; delete from Item", "select 1; select 2", "select 1; begin", "select 1; nonsense",
    "select 1;;; -- x\n select 2", "; delete from Item", "", " ", ";", "-- nothing",
    "/* nothing */",
    "select", "select * from nothing", "select load_extension('x')", "select writefile('x', 'y')",
    "select lineage_order(name, 1) from Item", "select LINEAGE_test(name, 1) from Item",
    "select * from lineage_store", "select count(*) from LINEAGE_log",
    "select 1 from (select 1 from lineage_log)", "select * from sqlite_master",
    "select count(*) from sqlite_schema", "select * from temp.sqlite_master",
    "select * from few", "select \u{0} 1", "select 1 \u{0}; delete from Item",
  ]

  @Test(
    "Each is refused, changes nothing, and leaves the context as it was",
    arguments: 0..<writes.count)
  func forbidden(_ index: Int) throws {
    let context = store.makeContext()
    let before = try folder.sqlite3("SELECT * FROM Item; SELECT * FROM sqlite_schema")
    #expect(throws: GraphError.self) { try context.rows(Self.writes[index], Int.self) }
    #expect(throws: GraphError.self) { try context.objects(Item.self, Self.writes[index]) }
    #expect(try context.rows("select id from Item order by id", Int.self) == [1, 2, 3])
    #expect(try folder.sqlite3("SELECT * FROM Item; SELECT * FROM sqlite_schema") == before)
    #expect(try folder.sqlite3("PRAGMA user_version; PRAGMA journal_mode").hasSuffix("wal"))
    try context.insert(Item(name: "new"))
    try context.save()
  }

  @Test("The error says what is forbidden")
  func messages() throws {
    let context = store.makeContext()
    func reason(_ query: SQL) -> String {
      refusedReason { try context.rows(query, Int.self) } ?? ""
    }
    #expect(reason("delete from Item") == "it must only read, but contains a deletion")
    #expect(reason("pragma user_version") == "it must only read, but contains a pragma")
    #expect(reason("vacuum") == "it is no statement that reads rows")
    #expect(reason("select 1; delete from Item") == "it is more than one statement")
    #expect(reason("-- x") == "it contains no statement")
    #expect(
      reason("select * from lineage_log")
        == "it must not read lineage_log, which is no table of an entity")
    #expect(reason("select lineage_order(1, 1)") == "it must not call lineage_order")
    #expect(reason("select \u{0}1") == "its text has a NUL")
    #expect(reason("select * from few").contains("few"))
  }

  @Test(
    "White space, comments and semicolons may follow a statement, and stand before it",
    arguments: [
      "select 1;", "select 1 ; \n\t", "select 1 -- end", "select 1; /* a */ -- b\n ;; ",
      " \n select 1", "/* x */ select 1", "with a as (select 1) select * from a", "values (1)",
      "SELECT 1", "select 1; /* not closed",
    ] as [SQL])
  func accepted(_ query: SQL) throws {
    #expect(try store.makeContext().rows(query, Int.self) == [1])
  }

  // Each reads items, and none reads boxes.
  private static let reads: [SQL] = [
    "select count(*) from Item", "select count(*) from ITEM", "select 1 from main.item limit 1",
    "select \(\Item.count) from \(Item.self) as x", "select rowid from Item",
    "select (select count(*) from Item)", "select 1 where exists (select 1 from Item)",
    "with a as (select name from Item) select length(name) from a",
    "with a as materialized (select 1 from Item) select count(*) from a",
    "select 1 from other left join Item on count = x union all select 1",
    "select 1 union select count from Item", "select 1 order by (select max(id) from Item)",
    "select count(*) from json_each('[1]'), Item", "select sum(count) over () from Item",
    "with recursive n(i) as (select 1 union all select i + 1 from n, Item where i < 2)"
      + " select i from n",
  ]

  @Test(
    "Unsaved and unmerged changes refuse a statement that reads their entity",
    arguments: 0..<reads.count)
  func unsaved(_ index: Int) throws {
    let query = Self.reads[index]
    let context = store.makeContext()
    let child = context.makeChild()
    func refusal(_ context: ObjectContext) -> [String]? {
      do { _ = try context.rows(query, Int.self) } catch let error as GraphError {
        if case .unsaved(let entities) = error.reason { return entities }
        Issue.record(error)
      } catch { Issue.record(error) }
      return nil
    }
    #expect(refusal(context) == nil && refusal(child) == nil)
    // Another entity's changes do not matter.
    let box = try context.insert(Box(label: "b"))
    #expect(refusal(context) == nil && refusal(child) == nil)
    // An update, here and above.
    let item = try context.object(with: Ref<Item>(key: 1))
    item.count = 50
    #expect(refusal(context) == ["Item"] && refusal(child) == ["Item"])
    item.count = 1
    #expect(refusal(context) == nil && refusal(child) == nil)
    // An insertion and a deletion below, of which the context above knows nothing.
    let new = try child.insert(Item(name: "n"))
    #expect(refusal(context) == nil && refusal(child) == ["Item"])
    try child.delete(new)
    #expect(refusal(child) == nil)
    try child.delete(child.object(with: Ref<Item>(key: 2)))
    #expect(refusal(context) == nil && refusal(child) == ["Item"])
    try child.save()
    #expect(refusal(context) == ["Item"] && refusal(child) == ["Item"])
    context.discard()
    #expect(refusal(context) == nil && refusal(child) == nil)
    _ = box
    // Rows that others have changed matter if an object shows older values.
    let other = store.makeContext()
    try other.object(with: Ref<Item>(key: 3)).count = 9
    try other.save()
    #expect(refusal(context) == nil)
    try other.object(with: Ref<Item>(key: 1)).count = 8
    try other.save()
    #expect(refusal(context) == nil, "the moment is still the old one")
    context.read { #expect(refusal(context) == ["Item"] && refusal(child) == ["Item"]) }
    try context.merge()
    #expect(refusal(context) == nil && refusal(child) == nil && item.count == 8)
  }

  @Test("The error names all entities, in the order of their names")
  func names() throws {
    let context = store.makeContext()
    try context.insert(Box(label: "b"))
    try context.insert(Item(name: "x"))
    #expect(
      refusedText { try context.rows("select 1 from Item, Box", Int.self) }
        == "could not run \"select 1 from Item, Box\": "
        + "it reads Box, Item, of which changes are not saved or not merged yet")
    #expect(try context.rows("select count(*) from other", Int.self) == [0])
    try context.save()
    #expect(try context.rows("select count(*) from Item, Box", Int.self) == [4])
  }
}

extension SQL {
  fileprivate static func + (one: SQL, other: SQL) -> SQL { "\(one)\(other)" }
}
