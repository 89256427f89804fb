import Foundation
import LineageTestSupport
import ObjectGraph
import SQLiteStorage
import Testing

/// An entity with an attribute of nearly each kind.
private struct Sample: Entity, Equatable {
  enum Size: String, Sendable, Codable { case small, large }

  var text = ""
  var note: String?
  var number = 0
  var real = 0.0
  var isOn = false
  var date = Date(timeIntervalSinceReferenceDate: 0)
  var due: Date?
  var bytes = Data()
  var uuid = UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0))
  var link = URL(filePath: "/")
  var price = Decimal(0)
  var size = Size.small
  var tags: [String] = []
  var other: Ref<Sample>?

  static let schema = Schema<Sample>("Sample") {
    Attribute("text", \.text)
    Attribute("note", \.note)
    Attribute("number", \.number)
    Attribute("real", \.real)
    Attribute("isOn", \.isOn)
    Attribute("date", \.date)
    Attribute("due", \.due)
    Attribute("bytes", \.bytes)
    Attribute("uuid", \.uuid)
    Attribute("link", \.link)
    Attribute("price", \.price)
    Attribute("size", \.size)
    Attribute("tags", json: \.tags)
    ToOne("other", \.other)
  }
}

@Suite("Rows of statements in SQL")
struct SQLRowTests {
  private let store: SQLiteStore
  private let context: ObjectContext

  init() async throws {
    store = try await SQLiteStore.temporary([Sample.self, Item.self, Box.self])
    context = store.makeContext()
  }

  private static let nasty = [
    "", "'", "\"", "'; drop table Item; --", "?1", ":a", "\\", "a\0b", "\u{0}", "é", "e\u{301}",
    "👩‍👩‍👧‍👦", "\u{202E}", "%_", "/* */", "--", "\n;\r\n", "NULL", "1",
  ]

  @Test("A value never becomes text of the statement", arguments: nasty)
  func neverText(_ text: String) throws {
    let sample = try context.insert(Sample())
    sample.text = text
    sample.bytes = Data(text.utf8)
    try context.save()
    let rows = try context.rows(
      """
      select text, \(text), length(cast(\(text) as blob)), bytes = \(Data(text.utf8)) from Sample
        where text = \(text) and text in \([text, "other"])
      """, String.self, String.self, Int.self, Bool.self)
    #expect(rows.count == 1)
    #expect(rows[0].0.utf8.elementsEqual(text.utf8) && rows[0].1.utf8.elementsEqual(text.utf8))
    #expect(rows[0].2 == text.utf8.count && rows[0].3)
    #expect(try context.rows("select count(*) from Item", Int.self) == [0])
  }

  @Test("Each kind of value is bound and read in the form of its column")
  func kinds() throws {
    var value = Sample()
    (value.text, value.note, value.number, value.real) = ("t", "n", -5, 1.5)
    (value.isOn, value.date, value.due) = (true, Date(timeIntervalSinceReferenceDate: 5.5), nil)
    (value.bytes, value.uuid, value.price) = (Data([0, 255]), UUID(), Decimal(string: "1.5")!)
    (value.link, value.size) = (URL(string: "https://example.com/?q=1")!, .large)
    let sample = try context.insert(value)
    sample.other = sample
    try context.save()
    let same: SQL = """
      select id from \(Sample.self) where \(\Sample.text) = \(value.text)
        and \(\Sample.note) is \(value.note) and \(\Sample.number) = \(value.number)
        and \(\Sample.real) = \(value.real) and \(\Sample.isOn) = \(value.isOn)
        and \(\Sample.date) = \(value.date) and \(\Sample.due) is \(value.due)
        and \(\Sample.bytes) = \(value.bytes) and \(\Sample.uuid) = \(value.uuid)
        and \(\Sample.link) = \(value.link) and \(\Sample.price) = \(value.price)
        and \(\Sample.size) = \(value.size) and \(\Sample.other) = \(sample.id)
        and \(\Sample.other) is \(sample) and id in \([sample]) and id in \([sample.id])
        and size in \([Sample.Size.large, .small]) and \(\Sample.tags) = \("[]")
      """
    #expect(try context.objects(Sample.self, same).map(\.id) == [sample.id])
    let some = try context.rows(
      "select text, note, number, real, isOn, date from Sample", String.self, String?.self,
      Int8.self, Double.self, Bool.self, Date.self)
    #expect(some.count == 1 && some[0] == ("t", "n", -5, 1.5, true, value.date))
    let others = try context.rows(
      "select bytes, uuid, link, price, size, due from Sample", Data.self, UUID.self, URL.self,
      Decimal.self, String.self, Date?.self)
    #expect(
      others.count == 1
        && others[0] == (value.bytes, value.uuid, value.link, value.price, "large", nil as Date?))
    struct Row: Decodable, Equatable {
      var text: String
      var note: String?
      var number: Int
      var real: Double
      var isOn: Bool
      var date: Date
      var due: Date?
      var bytes: Data
      var uuid: UUID
      var link: URL
      var price: Decimal
      var size: Sample.Size
      var other: Ref<Sample>?
      var id: Ref<Sample>
    }
    let row = Row(
      text: "t", note: "n", number: -5, real: 1.5, isOn: true, date: value.date, due: nil,
      bytes: value.bytes, uuid: value.uuid, link: value.link, price: value.price, size: .large,
      other: sample.id, id: sample.id)
    #expect(try context.rows("select * from Sample", as: Row.self) == [row])
    #expect(try context.rows("select text from Sample", as: String.self) == ["t"])
    #expect(try context.rows("select uuid from Sample", as: UUID.self) == [value.uuid])
    #expect(try context.rows("select size from Sample", as: Sample.Size.self) == [.large])
  }

  @Test("A tuple of mixed sizes and alignments has each value in its place")
  func layout() throws {
    let rows = try context.rows(
      """
      with recursive n(i) as (select 1 union all select i + 1 from n where i < 1000)
        select i % 2, i, i % 100, 'text ' || i, i / 2.0, null, i, cast('d' || i as blob), i % 3 = 0
        from n
      """, Bool.self, Int16?.self, Int8.self, String.self, Double?.self, UUID?.self, Float.self,
      Data.self, Bool?.self)
    #expect(rows.count == 1000)
    for (index, row) in rows.enumerated() {
      let i = index + 1
      #expect(row.0 == (i % 2 == 1) && row.1 == Int16(i) && row.2 == Int8(i % 100))
      #expect(row.3 == "text \(i)" && row.4 == Double(i) / 2 && row.5 == nil && row.6 == Float(i))
      #expect(row.7 == Data("d\(i)".utf8) && row.8 == (i % 3 == 0))
    }
    #expect(try context.rows("values (1), (2)", Int.self) == [1, 2])
    #expect(try context.rows("values (1), (2)", as: Ref<Item>.self) == [Ref(key: 1), Ref(key: 2)])
    #expect(try context.rows("select 9e999", Float.self) == [.infinity])
    #expect(try context.rows("select 1 where 0", Int.self) == [])
  }

  @Test("Statements are parts of statements, and parameters are numbered at the end")
  func splicing() throws {
    try store.insert(1...9)
    let few: SQL = "count < \(4)"
    let named: SQL = "name in \(["i1", "i2", "i9"])"
    let both: SQL = "(\(few)) and (\(named))"
    let query: SQL =
      "select id from \(Item.self) where \(both) or id = \(9) order by \(\Item.count) desc"
    #expect(try context.rows(query, Int.self) == [9, 2, 1])
    #expect(
      "\(query)"
        == "select id from \"Item\" where (count < ?) and (name in (?, ?, ?)) or id = ?"
        + " order by \"count\" desc")
    // A digit after a parameter does not become a part of its number.
    #expect(refusedReason { try context.rows("select \(1)0", Int.self) } != nil)
    #expect(try context.rows("select \(1)+\(2)", Int.self) == [3])
  }

  @Test("An empty list contains nothing, and a long one is a list like others")
  func lists() throws {
    try store.insert(1...9)
    let none: [Int] = []
    let refs: [Ref<Item>] = []
    #expect(try context.rows("select id from Item where id in \(none)", Int.self).isEmpty)
    #expect(try context.rows("select id from Item where id in \(refs)", Int.self).isEmpty)
    #expect(try context.rows("select id from Item where id not in \(none)", Int.self).count == 9)
    let many = Array(5...20_000)
    #expect(
      try context.rows("select id from Item where id in \(many) order by id", Int.self)
        == Array(5...9))
  }

  @Test("Objects come in the order of the rows, and have their identity")
  func objects() throws {
    try store.insert(1...2000)
    let first = try context.object(with: Ref<Item>(key: 3))
    let some = try context.objects(
      Item.self, "select id, name from Item where count <= \(4) order by count desc")
    #expect(some.map(\.name) == ["i4", "i3", "i2", "i1"])
    #expect(some[1] === first)
    let twice = try context.objects(
      Item.self, "select id from Item where id = 7 union all select 7 union all select 3")
    #expect(twice.map(\.id.key) == [7, 7, 3] && twice[0] === twice[1] && twice[2] === first)
    #expect(try context.objects(Item.self, "select id from Item").count == 2000)
    #expect(try context.objects(Item.self, "select id from Item where 0").isEmpty)
    let child = context.makeChild()
    #expect(try child.objects(Item.self, "select 3")[0] !== first)
    #expect(
      refusedReason { try context.objects(Item.self, "select 5000") } == "there is no Item/5000")
    #expect(
      refusedReason { try context.objects(Item.self, "select null") }
        == "row 1: null is null, not a Int64")
  }

  @Test("json_each and json_tree work, on each connection and again")
  func json() throws {
    for _ in 0..<3 {
      let fresh = store.makeContext()
      #expect(
        try fresh.rows(
          "select key, value from json_each(\("[3, 4]")) order by key", Int.self, Int.self
        ).map { $0.0 * 10 + $0.1 } == [3, 14])
      #expect(try fresh.rows("select count(*) from json_tree('[[1]]')", Int.self) == [3])
      #expect(try fresh.rows("select json_extract(tags, '$[0]') from Sample", String?.self) == [])
    }
  }

  @Test("A fault names the statement, the row and the column")
  func faults() throws {
    try store.insert(1...3)
    func fault<Result>(_ body: () throws -> Result) -> String { refusedText(body) ?? "none" }
    #expect(
      fault { try context.rows("selec 1", Int.self) }
        == "could not run \"selec 1\": near \"selec\": syntax error (1)")
    #expect(
      fault { try context.rows("select name, absent from Item", String.self, Int.self) }
        == "could not run \"select name, absent from Item\": no such column: absent (1)")
    #expect(
      fault { try context.rows("select name, count from Item where id = \(1)", String.self) }
        == "could not run \"select name, count from Item where id = ?\": "
        + "it has 2 columns (name, count), not 1")
    #expect(
      fault { try context.rows("select 1", Int.self, Int.self) }
        == "could not run \"select 1\": it has 1 column (1), not 2")
    #expect(
      fault {
        try context.rows(
          "select id, iif(id = 2, null, name) as n from Item order by id", Int.self, String.self)
      }.hasSuffix(": row 2: n is null, not a String"))
    #expect(
      fault { try context.rows("select name as n from Item order by id desc", Int.self) }
        .hasSuffix(": row 1: n is the text \"i3\", not a Int"))
    #expect(
      fault { try context.rows("select 300 as n", Int8.self) }
        .hasSuffix(": row 1: n is the integer 300, not a Int8"))
    #expect(
      fault { try context.rows("select 1e300 as n", Float.self) }
        .hasSuffix("row 1: n is the number 1e+300, not a Float"))
    #expect(
      fault { try context.rows("select \(Double.nan)", Double.self) }.contains("is not a number"))
    #expect(fault { try context.rows("select \(UInt.max)", Int.self) }.contains("more than"))
    #expect(
      fault { try context.rows("select \(\Box.items)", Int.self) }
        .hasSuffix("it is neither an attribute nor a to-one property"))
    #expect(
      fault { try context.rows("select 1 from \(Stranger.self)", Int.self) }.contains("no entity"))
    #expect(fault { try context.rows("select '\(1)'", Int.self) }.contains("within quotes"))
    #expect(fault { try context.rows("select \(1) -- \(2)", Int.self) }.contains("within quotes"))
    #expect(fault { try context.rows("select '\(1)', \(2)", Int.self) }.contains("within quotes"))
    #expect(fault { try context.rows("select ?, :a", Int.self) }.contains("must be interpolated"))
    context.name = "main"
    #expect(fault { try context.rows("selec 1", Int.self) }.contains(" in \"main\": near"))
  }

  @Test("A fault of a decoded row names the row and the column")
  func decoding() throws {
    try store.insert(1...2)
    struct Pair: Decodable {
      var name: String
      var count: Int?
    }
    struct Nested: Decodable {
      struct Inner: Decodable { var x: Int }
      var name: Inner
    }
    struct List: Decodable { var name: [Int] }
    struct Sized: Decodable { var name: Sample.Size }
    func fault<Row: Decodable>(_ query: SQL, _ type: Row.Type) -> String {
      refusedReason { try context.rows(query, as: type) } ?? "none"
    }
    #expect(
      fault("select name from Item", Pair.self) == "it has no column count, but name")
    #expect(
      fault("select name, 1 as count, 2 as count from Item", Pair.self)
        == "several of its columns have the name count")
    #expect(
      fault("select null as name, 1 as count", Pair.self) == "row 1: name is null, not a String")
    #expect(fault("select name from Item", Nested.self).hasPrefix("row 1: name is one value"))
    #expect(fault("select name from Item", List.self).hasPrefix("row 1: name is one value"))
    #expect(fault("select name from Item", Sized.self).hasPrefix("row 1: Cannot initialize Size"))
    #expect(fault("select 1, 2", Int.self) == "it has 2 columns, but is read as one value")
    #expect(fault("select 1", [Int].self) == "a row has names, and is no list")
    #expect(try context.rows("select name, count from Item", as: Pair.self).map(\.count) == [1, 2])
  }

  @Test("A store in memory and a draft run no SQL, and say so")
  func noSQL() throws {
    let memory = try MemoryStore([Item.self, Box.self]).makeContext()
    #expect(
      refusedText { try memory.rows("select \(1)", Int.self) }
        == "could not run \"select ?\": a store in memory runs no SQL; "
        + "use SQLiteStore.temporary(_:) instead")
    let draft = try ObjectContext(draftOf: [Item.self, Box.self])
    #expect(refusedReason { try draft.rows("select 1", Int.self) } == "a draft has no store")
  }

  @Test("A statement is prepared once, and again after the tables have changed")
  func preparedOnce() throws {
    try store.insert(1...3)
    func ask(_ bound: Int) throws -> Int {
      let fresh = store.makeContext()
      return try fresh.rows("select count(*) from Item where count < \(bound)", Int.self)[0]
    }
    #expect(try ask(2) == 1)
    let before = store.readCounts.prepared
    for bound in 0...4 { #expect(try ask(bound) == max(0, bound - 1)) }
    #expect(store.readCounts.prepared == before)
    try Drawer.sqlite3("CREATE TABLE other (x); CREATE INDEX more ON Item (name, count)", store.url)
    #expect(try ask(4) == 3)
    #expect(store.readCounts.prepared > before)
  }

  @Test("A temporary store is a store of SQLite, whose folder ends with it")
  func temporary() async throws {
    let other = try await SQLiteStore.temporary([Item.self, Box.self])
    let folder = other.url.deletingLastPathComponent().path
    #expect(FileManager.default.fileExists(atPath: folder))
    #expect(other.url != store.url && other.id != store.id)
    // A context that has read keeps nobody from saving.
    let reader = other.makeContext()
    #expect(try reader.rows("select count(*) from Item", Int.self) == [0])
    try other.insert(1...3)
    let writer = other.makeContext()
    try writer.insert(Item(name: "new"))
    try writer.save()
    #expect(try writer.rows("select count(*) from Item", Int.self) == [4])
    other.close()
    #expect(!FileManager.default.fileExists(atPath: folder))
    do {
      let released = try await SQLiteStore.temporary([Item.self, Box.self]).url
      #expect(
        !FileManager.default.fileExists(atPath: released.deletingLastPathComponent().path))
    }
  }
}

private struct Stranger: Entity {
  var name = ""
  static let schema = Schema<Stranger>("Stranger") { Attribute("name", \.name) }
}
