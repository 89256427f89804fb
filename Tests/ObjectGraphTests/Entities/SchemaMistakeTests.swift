import LineageTestSupport
import ObjectGraph
import Testing

@Suite("Mistakes of schemas")
struct SchemaMistakeTests {
  /// Returns the mistakes that a store finds in the schemas of entities.
  private func mistakes(_ entities: (any Entity.Type)...) -> [String] {
    guard case .schema(let mistakes)? = reason({ try MemoryStore(entities) }) else { return [] }
    return mistakes.map { "\($0.entity)\($0.property.map { ".\($0)" } ?? "")" }
  }

  @Test("Forgotten properties are named, also a Bool in the padding")
  func forgotten() {
    #expect(mistakes(Forgetful.self) == ["Forgetful.flag", "Forgetful.late", "Forgetful.link"])
  }

  @Test("A property named twice, a name used twice")
  func twice() {
    #expect(mistakes(Twice.self).sorted() == ["Twice.A", "Twice.b"])
  }

  @Test("Rules and indexes of what is no column, is named twice, or is a rule twice")
  func rules() {
    guard case .schema(let found)? = reason({ try MemoryStore([Ruled.self]) }) else {
      Issue.record("not refused")
      return
    }
    #expect(
      found.map { "\($0)" } == [
        "Ruled: Unique names no property",
        "Ruled: property 2 of Index is no attribute or to-one property",
        "Ruled: property 1 of Index is no attribute or to-one property",
        "Ruled: property 1 of Unique is no attribute or to-one property",
        "Ruled.tags: Index names it, but it is kept as JSON",
        "Ruled.name: Unique names it twice",
        "Ruled: two rules say that name is unique",
        "Ruled: two rules say that name, size are unique",
      ])
  }

  @Test("An optional of an optional")
  func nested() { #expect(mistakes(Nested.self) == ["Nested.number"]) }

  @Test("What has no place in the struct")
  func noPlace() {
    let found = mistakes(Placeless.self)
    for property in ["computed", "observed"] {
      #expect(found.contains("Placeless.\(property)"), "\(found)")
    }
  }

  @Test("A part of a property's value")
  func part() {
    #expect(mistakes(Partial.self) == ["Partial.pair"])
  }

  @Test("Names of every object and every row, and names that are none")
  func names() {
    let found = mistakes(Reserved.self)
    let properties = ["id", "context", "value", "isDeleted", "changes", "Id", "with space", ""]
    #expect(Set(found) == Set(properties.map { "Reserved.\($0)" }), "\(found)")
    #expect(mistakes(SpacedName.self) == ["two words"])
    #expect(mistakes(TakenName.self) == ["lineage_log"])
    #expect(mistakes(Empty.self) == ["Empty"])
  }

  @Test("Names that any engine refuses are refused by each store", arguments: Stores.all)
  func engines(_ stores: Stores) async throws {
    let error = await #expect(throws: GraphError.self) {
      try await stores.open([EngineNames.self, LongNames.self, Prefixed.self])
    }
    guard case .schema(let mistakes)? = error?.reason else {
      Issue.record("not refused")
      return
    }
    let columns = [
      "RowID", "oid", "_ROWID_", "ctid", "xmin", "Xmax", "cmin", "cmax", "tableoid",
    ]
    #expect(
      mistakes.map(\.description) == columns.map {
        "EngineNames.\($0): the name belongs to every row"
      } + [
        "LongNames.\(LongNames.long)y: the name has 64 bytes, and may have 63",
        "SQLite_cards: names that begin with sqlite_ are taken",
      ])
    _ = try await stores.open([LongEntity.self])
  }

  @Test("A type with the form of another type, in each way to declare an attribute")
  func forged() throws {
    let properties = ["plain", "optional", "raw", "rawOptional", "small", "absent"]
    #expect(mistakes(Forgeries.self) == properties.map { "Forgeries.\($0)" })
    let error = try #require(reason { try MemoryStore([Forgeries.self]) })
    #expect(
      "\(error)".contains(
        "Forgeries.plain: Forged returns the attributeForm of another type; make it"
          + " RawRepresentable, or declare the property with json:"))
  }

  @Test("A value whose type has the form of another type is never read by that form")
  func forgedLiteral() throws {
    let context = try MemoryStore([Sheltered.self]).makeContext()
    let forged = Forged(text: "a text that is much longer than fifteen bytes")
    let object = try context.insert(Sheltered(kept: forged))
    try context.save()
    #expect(object.kept == forged)
    #expect(throws: GraphError.self) {
      try context.fetch(Sheltered.self, where: { $0.kept == forged })
    }
    // No context has checked the schema of these two.
    let lone = Object(Forgeries())
    lone.link = Object(Forgeries())
    lone.plain = forged
    #expect(lone.plain == forged)
    #expect(refusal { try context.insert(lone) } == "unknownEntity")
  }

  @Test("Entities that are not among the store's, and two with one name")
  func entities() {
    #expect(mistakes(Card.self, Deck.self, Shelf.self).contains("Card.fans"))
    #expect(
      Set(mistakes(Deck.self)) == ["Deck.shelf", "Deck.cards"])
    #expect(mistakes(Namesake.self, OtherNamesake.self).count == 1)
    #expect(mistakes(Namesake.self, Namesake.self).isEmpty)
  }

  @Test("An inverse that the other side's schema lacks, or that refers to another entity")
  func inverses() {
    #expect(
      Set(mistakes(BadOwner.self, BadMember.self))
        == ["BadOwner.unlisted", "BadMember.hidden", "BadOwner.again", "BadOwner.strangers"])
  }

  @Test("All mistakes of all entities are told at once, and each message says which")
  func allAtOnce() {
    let found = mistakes(Forgetful.self, Twice.self, Reserved.self)
    #expect(Set(found.map { $0.prefix { $0 != "." } }) == ["Forgetful", "Twice", "Reserved"])
    guard let error = reason({ try MemoryStore([Forgetful.self, Twice.self]) }) else {
      Issue.record("no error")
      return
    }
    #expect("\(error)".contains("Forgetful.flag: the property is not in the schema"))
    #expect("\(error)".hasPrefix("the schema has 5 mistakes"))
    #expect(refusal { try ObjectContext(draftOf: [Twice.self]) } == "schema")
  }
}

private struct Forgetful: Entity {
  var small: Int8 = 0
  var flag = false
  var number = 0
  var late: String?
  var link: Ref<Forgetful>?

  static let schema = Schema<Forgetful>("Forgetful") {
    Attribute("small", \.small)
    Attribute("number", \.number)
  }
}

private struct Nested: Entity {
  var number: Int??
  var plain: Int?

  static let schema = Schema<Nested>("Nested") {
    Attribute("number", \.number)
    Attribute("plain", \.plain)
  }
}

private struct Twice: Entity {
  var a = 0
  var c = 0

  static let schema = Schema<Twice>("Twice") {
    Attribute("a", \.a)
    Attribute("b", \.a)
    Attribute("A", \.c)
  }
}

private struct Placeless: Entity {
  var stored = 0
  var observed = 0 { didSet { stored += 1 } }
  var computed: Int {
    get { stored }
    set { stored = newValue }
  }

  static let schema = Schema<Placeless>("Placeless") {
    Attribute("stored", \.stored)
    Attribute("observed", \.observed)
    Attribute("computed", \.computed)
  }
}

private struct Partial: Entity {
  struct Pair: Sendable {
    var first = 0
    var second = "a text that is much longer than fifteen bytes"
  }

  var pair = Pair()

  static let schema = Schema<Partial>("Partial") { Attribute("first", \.pair.first) }
}

private struct Reserved: Entity {
  var a = 0
  var b = 0
  var c = 0
  var d = 0
  var e = 0
  var f = 0
  var g = 0
  var h = 0

  static let schema = Schema<Reserved>("Reserved") {
    Attribute("id", \.a)
    Attribute("context", \.b)
    Attribute("value", \.c)
    Attribute("isDeleted", \.d)
    Attribute("changes", \.e)
    Attribute("Id", \.f)
    Attribute("with space", \.g)
    Attribute("", \.h)
  }
}

private struct SpacedName: Entity {
  var a = 0
  static let schema = Schema<SpacedName>("two words") { Attribute("a", \.a) }
}

private struct TakenName: Entity {
  var a = 0
  static let schema = Schema<TakenName>("lineage_log") { Attribute("a", \.a) }
}

private struct EngineNames: Entity {
  var a = 0
  var b = 0
  var c = 0
  var d = 0
  var e = 0
  var f = 0
  var g = 0
  var h = 0
  var i = 0

  static let schema = Schema<EngineNames>("EngineNames") {
    Attribute("RowID", \.a)
    Attribute("oid", \.b)
    Attribute("_ROWID_", \.c)
    Attribute("ctid", \.d)
    Attribute("xmin", \.e)
    Attribute("Xmax", \.f)
    Attribute("cmin", \.g)
    Attribute("cmax", \.h)
    Attribute("tableoid", \.i)
  }
}

private struct LongNames: Entity {
  var a = 0
  var b = 0
  /// A name of 63 bytes.
  static let long = "x" + String(repeating: "\u{E4}", count: 31)
  static let schema = Schema<LongNames>("LongNames") {
    Attribute(long, \.a)
    Attribute(long + "y", \.b)
  }
}

private struct LongEntity: Entity {
  var a = 0
  static let schema = Schema<LongEntity>(LongNames.long) { Attribute("A", \.a) }
}

private struct Prefixed: Entity {
  var a = 0
  static let schema = Schema<Prefixed>("SQLite_cards") { Attribute("a", \.a) }
}

private struct Sheltered: Entity {
  var kept = Forged()
  static let schema = Schema<Sheltered>("Sheltered") { Attribute("kept", json: \.kept) }
}

private struct Empty: Entity {
  static let schema = Schema<Empty>("Empty") {}
}

private struct Namesake: Entity {
  var a = 0
  static let schema = Schema<Namesake>("Namesake") { Attribute("a", \.a) }
}

private struct OtherNamesake: Entity {
  var a = 0
  static let schema = Schema<OtherNamesake>("namesake") { Attribute("a", \.a) }
}

private struct BadOwner: Entity {
  var name = ""
  var members: Many<BadMember> { Many(\.owner) }
  var again: Many<BadMember> { Many(\.owner) }
  var unlisted: Many<BadMember> { Many(\.hidden) }
  var strangers: Many<BadMember> { Many(\.other) }

  static let schema = Schema<BadOwner>("BadOwner") {
    Attribute("name", \.name)
    ToMany("members", \.members)
    ToMany("again", \.again)
    ToMany("unlisted", \.unlisted)
    ToMany("strangers", \.strangers)
  }
}

private struct BadMember: Entity {
  var owner: Ref<BadOwner>?
  var hidden: Ref<BadOwner>?
  var other: Ref<BadMember>?

  static let schema = Schema<BadMember>("BadMember") {
    ToOne("owner", \.owner)
    ToOne("other", \.other)
  }
}

private struct Ruled: Entity {
  var name = ""
  var size = 0
  var tags: [String] = []
  var pair = Pair()
  var upper: String { name.uppercased() }
  var others: Many<Ruled> { Many(\.other) }
  var other: Ref<Ruled>?

  struct Pair: Codable, Equatable { var first = 0 }

  static let schema = Schema<Ruled>("Ruled") {
    Attribute("name", \.name, unique: true)
    Attribute("size", \.size)
    Attribute("tags", json: \.tags)
    Attribute("pair", json: \.pair)
    ToOne("other", \.other)
    ToMany("others", \.others)
    Unique()
    Index(\.name, \.upper)
    Index(\.others)
    Unique(\.pair.first)
    Index(\.tags, \.size)
    Unique(\.name, \.name)
    Unique(\.name)
    Unique(\.name, \.size)
    Unique(\.name, \.size)
    Index(\.name, \.size)
  }
}
