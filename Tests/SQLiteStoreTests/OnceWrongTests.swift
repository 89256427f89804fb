import Foundation
import ObjectGraph
import SQLiteStore
import Synchronization
import TestSupport
import Testing

// Entities of the attacks.

private struct Tagged: Entity {
  var name = ""
  var tags: Set<String> = []
  static let schema = Schema<Tagged>("Tagged") {
    Attribute("name", \.name)
    Attribute("tags", json: \.tags)
  }
}

private struct MetaOld: Codable, Sendable { var a = 1 }
private struct MetaNew: Codable, Sendable {
  var a = 1
  var b = 2
  init() {}
  init(from decoder: any Decoder) throws {
    let box = try decoder.container(keyedBy: CodingKeys.self)
    a = try box.decode(Int.self, forKey: .a)
    b = try box.decodeIfPresent(Int.self, forKey: .b) ?? 2
  }
  enum CodingKeys: CodingKey { case a, b }
}

private enum Old {
  struct Doc: Entity {
    var name = ""
    var meta = MetaOld()
    static let schema = Schema<Doc>("Doc") {
      Attribute("name", \.name, unique: true)
      Attribute("meta", json: \.meta)
    }
  }
  struct Num: Entity {
    var name = ""
    var x = 0.0
    static let schema = Schema<Num>("Num") {
      Attribute("name", \.name)
      Attribute("x", \.x)
    }
  }
  struct Code: Entity {
    var code = ""
    static let schema = Schema<Code>("Code") { Attribute("code", \.code, indexed: true) }
  }
  struct Num2: Entity {
    var name = ""
    var x = 0.0
    static let schema = Schema<Num2>("Measure") {
      Attribute("name", \.name)
      Attribute("x", \.x)
    }
  }
  struct Text: Entity {
    var tags = ""
    static let schema = Schema<Text>("Text") { Attribute("tags", \.tags) }
  }
}
private enum New {
  struct Doc: Entity {
    var name = ""
    var meta = MetaNew()
    static let schema = Schema<Doc>("Doc") {
      Attribute("name", \.name, unique: true)
      Attribute("meta", json: \.meta)
    }
  }
  struct Num: Entity {
    var name = ""
    var x: Float = 0.0
    static let schema = Schema<Num>("Num") {
      Attribute("name", \.name)
      Attribute("x", \.x)
    }
  }
  struct Code: Entity {
    var code = ""
    static let schema = Schema<Code>("Code") { Attribute("code", \.code, unique: true) }
  }
  struct Text: Entity {
    var tags: [String] = []
    static let schema = Schema<Text>("Text") { Attribute("tags", json: \.tags) }
  }
}

private enum JSONValue: Codable, Sendable {
  case null, number(Int)
  init(from decoder: any Decoder) throws {
    let box = try decoder.singleValueContainer()
    self = box.decodeNil() ? .null : .number(try box.decode(Int.self))
  }
  func encode(to encoder: any Encoder) throws {
    var box = encoder.singleValueContainer()
    switch self {
    case .null: try box.encodeNil()
    case .number(let n): try box.encode(n)
    }
  }
}
private struct Loose: Entity {
  var json = JSONValue.null
  static let schema = Schema<Loose>("Loose") { Attribute("json", json: \.json) }
}

private struct Measure: Entity {
  var name = ""
  var x = 0.0
  var u: UInt64 = 0
  static let schema = Schema<Measure>("Measure") {
    Attribute("name", \.name)
    Attribute("x", \.x)
    Attribute("u", \.u)
  }
}

private struct Ident: Entity {
  var token = UUID()
  var url = URL(string: "http://a/")
  static let schema = Schema<Ident>("Ident") {
    Attribute("token", \.token)
    Attribute("url", \.url)
  }
}

private struct Pair: Sendable {
  var first = 0
  var second = "a text that is much longer than fifteen bytes"
}
private struct Nested: Entity {
  var pair = Pair()
  static let schema = Schema<Nested>("Nested") { Attribute("first", \.pair.first) }
}

private struct Umlaut: Entity {
  var size = 0
  static let schema = Schema<Umlaut>("Größe") { Attribute("höhe", \.size) }
}
private struct Twofold: Entity {
  var x: Int??
  static let schema = Schema<Twofold>("Twofold") { Attribute("x", \.x) }
}

private struct Wide: Entity {
  var n = 300
  static let schema = Schema<Wide>("Num") { Attribute("n", \.n) }
}
private struct Narrow: Entity {
  var n: UInt8 = 3
  static let schema = Schema<Narrow>("Num") { Attribute("n", \.n) }
}
private enum Order {
  struct One: Entity {
    var a = 0
    var b = ""
    static let schema = Schema<One>("Thing") {
      Attribute("a", \.a)
      Attribute("b", \.b)
    }
  }
  struct Two: Entity {
    var b = ""
    var a = 0
    static let schema = Schema<Two>("Thing") {
      Attribute("b", \.b)
      Attribute("a", \.a)
    }
  }
}
private enum Names {
  struct One: Entity {
    var title = ""
    static let schema = Schema<One>("Doc") { Attribute("title", \.title) }
  }
  struct Three: Entity {
    var heading = ""
    var title = "new"
    static let schema = Schema<Three>("Doc") {
      Attribute("heading", \.heading, formerly: "title")
      Attribute("title", \.title)
    }
  }
}

private struct Computed: Entity {
  var name = ""
  var boss: Ref<Computed>?
  var staff: Many<Computed> { Many(\.boss) }
  static var schema: Schema<Computed> {
    Schema<Computed>("Computed") {
      Attribute("name", \.name)
      ToOne("boss", \.boss)
      ToMany("staff", \.staff)
    }
  }
}

private struct Renamed: Entity {
  var name = ""
  var boss: Ref<Renamed>?
  static let schema = Schema<Renamed>("Renamed") {
    Attribute("name", \.name)
    ToOne("boss", \.boss, formerly: "chief")
  }
}

private enum Kind: CaseIterable { case memory, sqlite }

private struct Place {
  let store: any ObjectStore
  let folder: TestFolder
  init(_ kind: Kind, _ entities: [any Entity.Type]) async throws {
    folder = try TestFolder()
    store =
      kind == .memory
      ? try MemoryStore(entities) : try await SQLiteStore.open(at: folder.file, entities)
  }
  func context() -> ObjectContext { ObjectContext(store: store) }
}

private func ref<T: Entity>(_: T.Type, _ name: String, _ id: Int) throws -> Ref<T> {
  try JSONDecoder().decode([Ref<T>].self, from: Data("[\"\(name)/\(id)\"]".utf8))[0]
}

/// A store whose rows cannot be read at times.
private final class Faulty: ObjectStore {
  let base: MemoryStore
  let fails = Mutex(false)
  init(_ base: MemoryStore) { self.base = base }
  var id: String { base.id }
  var model: Model { base.model }
  func makeReader() throws -> any StoreReader { FaultyReader(try base.makeReader(), self) }
  func commit(_ writes: [Write], from inbox: Inbox?) throws {
    try base.commit(writes, from: inbox)
  }
  func subscribe(_ inbox: Inbox) { base.subscribe(inbox) }
  func lookForOthers() throws {}
}

private final class FaultyReader: StoreReader {
  let base: any StoreReader
  let store: Faulty
  init(_ base: any StoreReader, _ store: Faulty) { (self.base, self.store) = (base, store) }
  func check() throws {
    if store.fails.withLock({ $0 }) { throw GraphError("read", .inputOutput("for a while")) }
  }
  func cursor(_ query: Query) throws -> any RowCursor {
    try check()
    return try base.cursor(query)
  }
  func row(_ id: Int64, of entity: Int, into cells: UnsafeMutablePointer<Cell>) throws -> Bool {
    try check()
    return try base.row(id, of: entity, into: cells)
  }
  func aggregate(_ aggregate: Aggregate, of query: Query) throws -> Stored {
    try check()
    return try base.aggregate(aggregate, of: query)
  }
  func end() { base.end() }
}

@Suite("What was once wrong with contexts and files") struct OnceWrongTests {
  @Test(arguments: Kind.allCases)
  fileprivate func policyValueIsValidated(_ kind: Kind) async throws {
    let place = try await Place(kind, Library.entities)
    let root = place.context()
    let a = try root.insert(Card("a"))
    try root.save()
    let child = root.makeChild()
    try child.object(with: a.id).question = "mine"
    a.question = "theirs"
    child.conflictPolicy = .resolve { _ in .value(Card("forbidden")) }
    #expect(throws: GraphError.self) { try child.save() }
  }

  @Test(arguments: Kind.allCases)
  fileprivate func failedSaveKeepsEdits(_ kind: Kind) async throws {
    let place = try await Place(kind, Library.entities)
    let context = place.context()
    let card = try context.insert(Card("base"))
    try context.insert(Deck("taken"))
    try context.save()
    let other = place.context()
    try other.object(with: card.id).question = "theirs"
    try other.save()
    card.question = "mine"
    let deck = try context.insert(Deck("taken"))
    context.conflictPolicy = .theirs
    #expect(throws: GraphError.self) { try context.save() }
    #expect(card.question == "mine")
    #expect(card.changes.properties == ["question"])
    context.conflictPolicy = .mine
    deck.name = "free"
    try context.save()
    #expect(try place.context().object(with: card.id).question == "mine")
  }

  @Test(arguments: Kind.allCases)
  fileprivate func failedSaveKeepsDeletion(_ kind: Kind) async throws {
    let place = try await Place(kind, Library.entities)
    let context = place.context()
    let card = try context.insert(Card("base"))
    let card2 = try context.insert(Card("base2"))
    try context.save()
    let other = place.context()
    try other.object(with: card.id).question = "theirs"
    try other.object(with: card2.id).question = "theirs"
    try other.save()
    try context.delete(card)
    card2.question = "mine"
    struct Asked: Error {}
    context.conflictPolicy = .resolve { conflict in
      if conflict.properties.isEmpty { return .theirs }
      throw Asked()
    }
    #expect(throws: Asked.self) { try context.save() }
    #expect(card.isDeleted)
    #expect(card.changes.kind == .deleted)
  }

  @Test(arguments: Kind.allCases)
  fileprivate func failedChildSaveKeepsEdits(_ kind: Kind) async throws {
    let place = try await Place(kind, Library.entities)
    let root = place.context()
    let a = try root.insert(Card("a"))
    let b = try root.insert(Card("b"))
    try root.save()
    let child = root.makeChild()
    let mineA = try child.object(with: a.id)
    let mineB = try child.object(with: b.id)
    mineA.question = "mine"
    mineB.question = "mine"
    a.question = "theirs"
    b.question = "theirs"
    struct Asked: Error {}
    child.conflictPolicy = .resolve { conflict in
      if conflict.object === mineA { return .theirs }
      throw Asked()
    }
    #expect(throws: Asked.self) { try child.save() }
    #expect(mineA.question == "mine")
  }

  @Test(arguments: Kind.allCases)
  fileprivate func theirsThenFailureInParent(_ kind: Kind) async throws {
    let place = try await Place(kind, Library.entities)
    let context = place.context()
    let card = try context.insert(Card("base"))
    try context.insert(Deck("taken"))
    try context.save()
    let other = place.context()
    try other.delete(try other.object(with: card.id))
    try other.save()
    card.question = "mine"
    try context.insert(Deck("taken"))
    context.conflictPolicy = .theirs
    #expect(throws: GraphError.self) { try context.save() }
    // The save has failed: the edit is still there, to be saved with another policy.
    #expect(card.changes.properties == ["question"] && !card.isDeleted)
    context.discard()
  }

  @Test func formerlyAndReusedName() async throws {
    let folder = try TestFolder()
    let old = try await SQLiteStore.open(at: folder.file, [Names.One.self])
    let before = old.makeContext()
    var one = Names.One()
    one.title = "heading of old"
    try before.insert(one)
    try before.save()
    old.close()
    let opening = await SQLiteStore.opening(at: folder.file, [Names.Three.self])
    if let store = opening.store {
      let value = try #require(try store.makeContext().values(Names.Three.self).first)
      #expect(value.heading == "heading of old" && value.title == "new")
    }
  }

  @Test func twoStatementsInAStep() async throws {
    let folder = try TestFolder()
    let store = try await SQLiteStore.open(at: folder.file, [Old.Code.self])
    try store.makeContext().save()
    let context = store.makeContext()
    try context.insert(Old.Code())
    try context.save()
    store.close()
    let opening = await SQLiteStore.opening(
      at: folder.file, [Old.Code.self],
      migrations: [
        Migration(to: 2, "two") {
          try $0.execute("UPDATE Code SET code = 'a'; UPDATE Code SET code = code || 'b'")
        }
      ])
    guard let migrated = opening.store else { return }
    #expect(try migrated.makeContext().values(Old.Code.self).map(\.code) == ["ab"])
  }

  @Test(arguments: Kind.allCases)
  fileprivate func equalIDsInDraft(_ kind: Kind) async throws {
    let place = try await Place(kind, Library.entities)
    let context = place.context()
    let card = Object(Card("imported"), id: try ref(Card.self, "Card", 1))
    let deck = Object(Deck("imported"), id: try ref(Deck.self, "Deck", 1))
    card.deck = deck
    #expect(card.deck === deck)
    #expect(deck.cards.map(\.question) == ["imported"])
    try context.insert(card)
    try context.save()
    #expect(try context.count(Card.self) == 1)
    #expect(try context.count(Deck.self) == 1)
  }

  @Test(arguments: Kind.allCases)
  fileprivate func equalIDsOutside(_ kind: Kind) async throws {
    let place = try await Place(kind, Library.entities)
    let context = place.context()
    let deck = Object(Deck("deck"), id: try ref(Deck.self, "Deck", 1))
    let other = Object(Card("other"), id: try ref(Card.self, "Card", 1))
    try context.insert(deck)
    try context.insert(other)
    try context.save()
    let card = Object(Card("draft"))
    card.deck = deck
    card.next = other
    #expect(card.deck === deck)
    #expect(card.next === other)
  }

  @Test(arguments: Kind.allCases)
  fileprivate func equalIDsDiscard(_ kind: Kind) async throws {
    let place = try await Place(kind, Library.entities)
    let context = place.context()
    let deck = Object(Deck("deck"), id: try ref(Deck.self, "Deck", 7))
    let card = Object(Card("card"), id: try ref(Card.self, "Card", 7))
    try context.insert(deck)
    try context.insert(card)
    card.deck = deck
    context.discard()
    #expect(card.deck === deck)
    try context.insert(card)
    try context.save()
    #expect(try context.count(Deck.self) == 1)
  }

  @Test func computedSchema() throws {
    let boss = Object(Computed())
    let one = Object(Computed())
    one.boss = boss
    #expect(boss.staff.count == 1)
  }

  @Test(arguments: Kind.allCases)
  fileprivate func setInJSON(_ kind: Kind) async throws {
    let place = try await Place(kind, [Tagged.self])
    let first = place.context()
    var tags = Set<String>(minimumCapacity: 1000)
    for number in 0..<20 { tags.insert("t\(number)") }
    var value = Tagged()
    value.tags = tags
    let id = try first.insert(value).id
    try first.save()
    let second = place.context()
    let mine = try second.object(with: id)
    #expect(mine.tags == tags)
    mine.tags.insert("new")
    try second.save()
    let third = place.context()
    try third.delete(try third.object(with: id))
    try third.save()
  }

  @Test func codableThatGrew() async throws {
    let folder = try TestFolder()
    let old = try await SQLiteStore.open(at: folder.file, [Old.Doc.self])
    let before = old.makeContext()
    var doc = Old.Doc()
    doc.name = "d"
    try before.insert(doc)
    try before.save()
    old.close()
    let store = try await SQLiteStore.open(at: folder.file, [New.Doc.self])
    let context = store.makeContext()
    let mine = try #require(try context.fetch(New.Doc.self).first)
    #expect(mine.meta.b == 2)
    mine.meta.a = 5
    #expect(throws: Never.self) { try context.save() }
    let other = store.makeContext()
    try other.delete(try #require(try other.fetch(New.Doc.self).first))
    #expect(throws: Never.self) { try other.save() }
  }

  @Test func doubleBecameFloat() async throws {
    let folder = try TestFolder()
    let old = try await SQLiteStore.open(at: folder.file, [Old.Num.self])
    let before = old.makeContext()
    var num = Old.Num()
    num.x = 0.1
    try before.insert(num)
    try before.save()
    old.close()
    let opening = await SQLiteStore.opening(at: folder.file, [New.Num.self])
    guard case .ready(let store) = opening else { Issue.record("\(opening)"); return }
    let context = store.makeContext()
    let mine = try #require(try context.fetch(New.Num.self).first)
    mine.x = 5
    #expect(throws: Never.self) { try context.save() }
    let other = store.makeContext()
    try other.delete(try #require(try other.fetch(New.Num.self).first))
    #expect(throws: Never.self) { try other.save() }
  }

  @Test func lowercaseUUID() async throws {
    let folder = try TestFolder()
    let store = try await SQLiteStore.open(at: folder.file, [Ident.self])
    #expect(
      try folder.sqlite3(
        "INSERT INTO Ident (id, token, url) VALUES (5, '0b9d5c0e-1c7f-4f6d-9a5c-6d4d1d2f3a4b', 'http://a/ä b')"
      ).isEmpty)
    let context = store.makeContext()
    let mine = try #require(try context.fetch(Ident.self).first)
    mine.token = UUID()
    #expect(throws: Never.self) { try context.save() }
    let other = store.makeContext()
    let url = try #require(try other.fetch(Ident.self).first)
    url.url = URL(string: "http://b/")
    #expect(throws: Never.self) { try other.save() }
    let third = store.makeContext()
    try third.delete(try #require(try third.fetch(Ident.self).first))
    #expect(throws: Never.self) { try third.save() }
  }

  @Test(arguments: Kind.allCases)
  fileprivate func saveInRead(_ kind: Kind) async throws {
    let place = try await Place(kind, Library.entities)
    let context = place.context()
    for number in 0..<4 { try context.insert(Card("c\(number)", rightCount: number)) }
    try context.save()
    try context.read {
      let all = try context.fetch(Card.self)
      try context.delete(all[0])
      all[1].rightCount = 100
      try context.insert(Card("new"))
      try context.save()
      #expect(try context.count(Card.self) == 4)
      #expect(try context.fetch(Card.self).map(\.question) == ["c1", "c2", "c3", "new"])
      #expect(try context.fetch(Card.self, where: { $0.rightCount > 50 }).count == 1)
      #expect(try context.fetch(Card.self, limit: 2).count == 2)
    }
  }

  @Test(arguments: Kind.allCases)
  fileprivate func mergeInRead(_ kind: Kind) async throws {
    let place = try await Place(kind, Library.entities)
    let context = place.context()
    let mine = try context.insert(Card("base"))
    try context.save()
    try context.read {
      _ = try context.count(Card.self)
      let other = place.context()
      try other.object(with: mine.id).question = "theirs"
      try other.save()
      try context.merge()
    }
    try context.merge()
    #expect(mine.question == "theirs")
    _ = try context.fetch(Card.self)
    #expect(mine.question == "theirs")
  }

  @Test(arguments: Kind.allCases)
  fileprivate func fetchInPolicy(_ kind: Kind) async throws {
    let place = try await Place(kind, Library.entities)
    let context = place.context()
    let mine = try context.insert(Card("base"))
    try context.save()
    let other = place.context()
    try other.object(with: mine.id).question = "theirs"
    try other.save()
    mine.question = "mine"
    let added = try context.insert(Card("added"))
    context.conflictPolicy = .resolve { [unowned context] _ in
      _ = try context.count(Deck.self)
      return .mine
    }
    try context.save()
    #expect(try context.count(Card.self) == 2)
    #expect(try context.fetch(Card.self, where: { $0.question == "mine" }).count == 1)
    _ = added
  }

  @Test(arguments: Kind.allCases)
  fileprivate func saveInGroup(_ kind: Kind) async throws {
    let place = try await Place(kind, Library.entities)
    let context = place.context()
    context.recordsUndo = true
    let card = try context.insert(Card("base"))
    try context.group {
      card.question = "one"
      try context.save()
      card.question = "two"
    }
    context.undo()
    #expect(card.question == "one")
    #expect(!context.hasUnsavedChanges)
    #expect(throws: Never.self) { try context.save() }
  }

  @Test(arguments: Kind.allCases)
  fileprivate func recordsUndoInGroup(_ kind: Kind) async throws {
    let place = try await Place(kind, Library.entities)
    let context = place.context()
    context.group { context.recordsUndo = true }
    let a = try context.insert(Card("a"))
    context.group {
      a.question = "b"
      a.answer = "b"
    }
    context.undo()
    #expect(a.question == "a" && a.answer == "")
  }

  @Test func renamedPrefetch() async throws {
    let place = try await Place(.sqlite, [Renamed.self])
    let context = place.context()
    try context.insert(Renamed())
    try context.save()
    let text =
      #"{"entity":"Renamed","order":[{"property":"chief.name","isDescending":false}],"prefetch":[["chief"]]}"#
    let request = try JSONDecoder().decode(FetchRequest<Renamed>.self, from: Data(text.utf8))
    #expect(throws: Never.self) { try context.fetch(request) }
  }

  @Test(arguments: Kind.allCases)
  fileprivate func linkOnDeletedInserts(_ kind: Kind) async throws {
    let place = try await Place(kind, Library.entities)
    let context = place.context()
    let card = try context.insert(Card("card"))
    try context.save()
    try context.delete(card)
    let deck = Object(Deck("new"))
    #expect(throws: GraphError.self) { try context.set(\.deck, of: card, to: deck) }
    #expect(deck.context == nil)
    #expect(try context.count(Deck.self) == 0)
  }

  @Test(arguments: Kind.allCases)
  fileprivate func jsonNull(_ kind: Kind) async throws {
    let place = try await Place(kind, [Loose.self])
    let context = place.context()
    let one = try context.insert(Loose())
    #expect(throws: Never.self) { try context.save() }
    one.json = .number(2)
    #expect(throws: Never.self) { try context.save() }
  }

  @Test func nestedKeyPath() {
    #expect(throws: GraphError.self) { try MemoryStore([Nested.self]) }
  }

  @Test func plainBecomesUniqueWithStep() async throws {
    let folder = try TestFolder()
    try await SQLiteStore.open(at: folder.file, [Old.Code.self]).close()
    let opening = await SQLiteStore.opening(
      at: folder.file, [New.Code.self], migrations: [Migration(to: 2, "nothing") { _ in }])
    #expect(opening.store != nil, "\(opening)")
  }

  @Test func foreignTable() async throws {
    let folder = try TestFolder()
    try await SQLiteStore.open(at: folder.file, [Old.Code.self]).close()
    try folder.sqlite3("CREATE TABLE my_own (a INTEGER)")
    let plain = await SQLiteStore.opening(at: folder.file, [Old.Code.self])
    #expect(plain.store != nil, "\(plain)")
    plain.store?.close()
    let opening = await SQLiteStore.opening(
      at: folder.file, [Old.Code.self], migrations: [Migration(to: 2, "nothing") { _ in }])
    #expect(opening.store != nil, "\(opening)")
  }

  @Test func listMadeBeforeNews() async throws {
    let folder = try TestFolder()
    let entities: [any Entity.Type] = [Sample.self, Group.self]
    let store = try await SQLiteStore.open(at: folder.file, entities)
    let context = store.makeContext()
    var held: [Object<Group>] = []
    for (id, weight) in [(1, 20), (2, 40), (3, 1), (4, 50), (5, 60)] {
      var group = Group()
      group.weight = weight
      let object = Object(group, id: try ref(Group.self, "Group", id))
      try context.insert(object)
      held.append(object)
    }
    try context.save()
    let other = try OtherProcess.probe("increment", folder.file.path, "3", "40")
    #expect(other.end().contains("done"))
    // Nobody has looked for others' commits yet.
    let list = try LiveList(FetchRequest<Group>(sort: { $0.weight }), in: context)
    var late = Group()
    late.weight = 30
    try context.insert(late)
    _ = list.count
    try context.merge()
    #expect(held[2].weight == 41)
    let fresh = try context.fetch(Group.self, sort: { $0.weight })
    #expect(fresh.map(\.weight) == [20, 30, 40, 41, 50, 60])
    #expect(list.map(\.weight) == fresh.map(\.weight))
  }

  @Test func staleLogBesideNewFile() async throws {
    let folder = try TestFolder()
    let store = try await SQLiteStore.open(at: folder.file, Library.entities)
    let context = store.makeContext()
    for number in 0..<50 { try context.insert(Card("old \(number)")) }
    try context.save()
    let log = folder.file.path + "-wal"
    let bytes = try Data(contentsOf: URL(fileURLWithPath: log))
    #expect(!bytes.isEmpty)
    store.close()
    for end in ["", "-wal", "-shm"] {
      try? FileManager.default.removeItem(atPath: folder.file.path + end)
    }
    // The user deleted the file of a program that was killed, but not what lies beside it.
    try bytes.write(to: URL(fileURLWithPath: log))
    let opening = await SQLiteStore.opening(at: folder.file, Library.entities)
    let now = try opening.store?.makeContext().count(Card.self)
    #expect(now ?? 0 == 0, "\(opening) \(String(describing: now))")
  }

  @Test func staleLogBesideBackup() async throws {
    let folder = try TestFolder()
    let store = try await SQLiteStore.open(at: folder.file, Library.entities)
    let context = store.makeContext()
    for number in 0..<50 { try context.insert(Card("old \(number)")) }
    try context.save()
    let bytes = try Data(contentsOf: URL(fileURLWithPath: folder.file.path + "-wal"))
    for card in try context.fetch(Card.self) { try context.delete(card) }
    try context.save()
    let target = folder.url.appending(path: "backup.store")
    try bytes.write(to: URL(fileURLWithPath: target.path + "-wal"))
    try? await store.backup(to: target)
    guard FileManager.default.fileExists(atPath: target.path) else { return }
    let opening = await SQLiteStore.opening(at: target, Library.entities)
    let now = try opening.store?.makeContext().count(Card.self)
    #expect(now ?? 0 == 0, "\(opening) \(String(describing: now))")
  }

  @Test(arguments: Kind.allCases)
  fileprivate func unicodeNames(_ kind: Kind) async throws {
    let place = try await Place(kind, [Umlaut.self])
    let context = place.context()
    let one = try context.insert(Umlaut())
    try context.save()
    let uri = try context.uri(of: one)
    #expect(try place.context().object(at: uri).isDeleted == false)
    #expect(try context.fetch(Umlaut.self, where: { $0.size == 0 }, sort: { $0.size }).count == 1)
  }

  @Test(arguments: Kind.allCases)
  fileprivate func twoUnique(_ kind: Kind) async throws {
    let place = try await Place(kind, [Badge.self])
    let context = place.context()
    let a = try context.insert(Badge("a", code: 1))
    let b = try context.insert(Badge("b", code: 2))
    let c = try context.insert(Badge("c", code: 3))
    try context.save()
    (a.name, b.name, c.name) = ("b", "c", "a")
    (a.code, b.code, c.code) = (3, 1, 2)
    try context.save()
    try context.delete(a)
    try context.insert(Badge("b", code: 1))
    b.code = 3
    c.name = "c"
    b.name = "a"
    try context.save()
    #expect(try place.context().values(Badge.self).map(\.name).sorted() == ["a", "b", "c"])
  }

  @Test(arguments: Kind.allCases)
  fileprivate func conflictWhileSwapping(_ kind: Kind) async throws {
    let place = try await Place(kind, [Badge.self])
    let context = place.context()
    let a = try context.insert(Badge("a", code: 1))
    let b = try context.insert(Badge("b", code: 2))
    try context.save()
    let other = place.context()
    try other.object(with: b.id).code = 9
    try other.save()
    (a.name, b.name) = ("b", "a")
    (a.code, b.code) = (2, 1)
    context.conflictPolicy = .mine
    try context.save()
    let found = try place.context().values(Badge.self)
    #expect(found.map(\.name) == ["b", "a"] && found.map(\.code) == [2, 1])
  }

  @Test(arguments: Kind.allCases)
  fileprivate func threeDeepDeletes(_ kind: Kind) async throws {
    let place = try await Place(kind, Library.entities)
    let root = place.context()
    let deck = try root.insert(Deck("d"))
    let card = try root.insert(Card("c"))
    card.deck = deck
    try root.save()
    let one = root.makeChild()
    let two = one.makeChild()
    let three = two.makeChild()
    let deep = try three.insert(Card("deep"))
    deep.deck = try three.object(with: deck.id)
    try three.save()
    // The middle deletes the deck with the deep card of the third, which it has unsaved.
    try two.delete(try two.object(with: deck.id))
    #expect(deep.isDeleted)
    try two.saveAll()
    #expect(try place.context().count(Card.self) == 0)
    #expect(try place.context().count(Deck.self) == 0)
    #expect(!root.hasUnsavedChanges && card.isDeleted)
  }

  @Test(arguments: Kind.allCases)
  fileprivate func linkToOwnDraftContext(_ kind: Kind) async throws {
    let place = try await Place(kind, Library.entities)
    let context = place.context()
    let a = Object(Card("a"))
    a.next = a
    try context.insert(a)
    try context.save()
    #expect(a.next === a)
    try context.delete(a)
    try context.save()
    #expect(try place.context().count(Card.self) == 0)
  }

  /// A save that fails, or meets a conflict, must not swallow what it heard of other processes.
  @Test(arguments: ["conflict", "settled", "unique", "fine"])
  func newsOfFailedSave(_ case: String) async throws {
    let folder = try TestFolder()
    let store = try await SQLiteStore.open(at: folder.file, Library.entities)
    let context = store.makeContext()
    let mine = try context.insert(Card("mine"))
    let held = try context.insert(Card("held"))
    try context.insert(Deck("taken"))
    try context.save()
    try context.refresh()
    #expect(try folder.sqlite3("UPDATE Card SET question = 'theirs'").isEmpty)
    switch `case` {
    case "conflict":
      mine.question = "edited"
      #expect(throws: GraphError.self) { try context.save() }
      context.discard()
    case "settled":
      mine.question = "edited"
      context.conflictPolicy = .mine
      try context.save()
    case "unique":
      try context.insert(Deck("taken"))
      #expect(throws: GraphError.self) { try context.save() }
      context.discard()
    default:
      mine.answer = "edited"
      try context.save()
    }
    try context.merge()
    #expect(held.question == "theirs")
  }

  /// The same when the other process writes the log.
  @Test func newsOfFailedSaveByLog() async throws {
    let folder = try TestFolder()
    let entities: [any Entity.Type] = [Sample.self, Group.self, Badge.self]
    let plain: [any Entity.Type] = [Sample.self, Group.self]
    let store = try await SQLiteStore.open(at: folder.file, plain)
    let context = store.makeContext()
    var group = Group()
    group.weight = 1
    let one = Object(group, id: try ref(Group.self, "Group", 1))
    let two = Object(group, id: try ref(Group.self, "Group", 2))
    try context.insert(one)
    try context.insert(two)
    try context.save()
    for id in ["1", "2"] {
      #expect(try OtherProcess.probe("increment", folder.file.path, id, "5").end().contains("done"))
    }
    one.weight = 100
    context.conflictPolicy = .mine
    try context.save()
    try context.merge()
    #expect(two.weight == 6)
    _ = entities
  }

  @Test func newsWithoutWAL() async throws {
    let folder = try TestFolder()
    let first = try await SQLiteStore.open(at: folder.file, Library.entities)
    let context = first.makeContext()
    let id = try context.insert(Card("base")).id
    try context.save()
    first.close()
    let copy = folder.url.appending(path: "copy.store")
    try folder.sqlite3("VACUUM INTO '\(copy.path)'")
    let store = try await SQLiteStore.open(
      at: copy, Library.entities, options: StoreOptions(timeout: 0.5))
    let mine = store.makeContext()
    let card = try mine.object(with: id)
    mine.read {}
    let other = try OtherProcess.probe("sql", copy.path, "UPDATE Card SET question = 'theirs'")
    #expect(other.end().isEmpty)
    try mine.merge()
    #expect(card.question == "theirs")
  }

  @Test(arguments: Kind.allCases)
  fileprivate func relationInPolicy(_ kind: Kind) async throws {
    let place = try await Place(kind, Library.entities)
    let context = place.context()
    let deck = try context.insert(Deck("deck"))
    let mine = try context.insert(Card("base"))
    mine.deck = deck
    try context.save()
    let other = place.context()
    try other.object(with: mine.id).question = "theirs"
    try other.save()
    mine.question = "mine"
    try context.insert(Card("added"))
    context.conflictPolicy = .resolve { conflict in
      let card = conflict.object as? Object<Card>
      return card?.deck?.cards.isEmpty == false ? .mine : .theirs
    }
    try context.save()
    #expect(try context.count(Card.self) == 2)
  }

  @Test(arguments: Kind.allCases)
  fileprivate func fakeConflictOnMerge(_ kind: Kind) async throws {
    // Somebody else changes the name; I change the tags: different properties.
    let place = try await Place(kind, [Tagged.self])
    let first = place.context()
    var value = Tagged()
    value.tags = Set((0..<10).map { "t\($0)" })
    let object = try first.insert(value)
    try first.save()
    let other = place.context()
    try other.object(with: object.id).name = "theirs"
    try other.save()
    object.tags.insert("mine")
    try first.merge()
    #expect(throws: Never.self) { try first.save() }
    first.discard()
  }

  /// A merge that cannot read for a while must not forget what it was to read.
  @Test func newsSurviveAReadError() async throws {
    let base = try MemoryStore(Library.entities)
    let store = Faulty(base)
    let context = ObjectContext(store: store)
    let card = try context.insert(Card("base"))
    try context.save()
    let other = base.makeContext()
    try other.object(with: card.id).question = "theirs"
    try other.save()
    store.fails.withLock { $0 = true }
    #expect(throws: GraphError.self) { try context.merge() }
    store.fails.withLock { $0 = false }
    try context.merge()
    #expect(card.question == "theirs")
  }

  /// What the parent deleted is no draft of the child after a save that failed and a discard.
  @Test(arguments: Kind.allCases)
  fileprivate func goneIsNoDraft(_ kind: Kind) async throws {
    let place = try await Place(kind, Library.entities)
    let root = place.context()
    let a = try root.insert(Card("a"))
    let b = try root.insert(Card("b"))
    try root.save()
    let child = root.makeChild()
    let mineA = try child.object(with: a.id)
    let mineB = try child.object(with: b.id)
    mineA.question = "mine"
    mineB.question = "mine"
    try root.delete(a)
    b.question = "theirs"
    struct Asked: Error {}
    child.conflictPolicy = .resolve { conflict in
      if conflict.properties.isEmpty { return .theirs }
      throw Asked()
    }
    #expect(throws: Asked.self) { try child.save() }
    child.discard()
    #expect(mineA.isDeleted && mineA.context === child)
    root.discard()
    #expect(try child.find(a.id) === mineA)
    #expect(!mineA.isDeleted)
  }

  @Test func valuesInAnUnfinishedForm() async throws {
    // One unsaved not-a-number makes each list of the context stale.
    let place = try await Place(.memory, [Measure.self])
    let context = place.context()
    let list = try LiveList(FetchRequest<Measure>(sort: { $0.x }), in: context)
    let object = try context.insert(Measure())
    object.x = .nan
    try context.insert(Measure())
    #expect(!list.state.isStale && list.count == 2)
  }

  /// The order of a schema's lines is no change of the file.
  @Test func reordered() async throws {
    let folder = try TestFolder()
    try await SQLiteStore.open(at: folder.file, [Order.One.self]).close()
    let reading = await SQLiteStore.opening(
      at: folder.file, [Order.Two.self], options: StoreOptions(isReadOnly: true))
    if case .readOnly = reading {} else { Issue.record("\(reading)") }
    reading.store?.close()
    let second = await SQLiteStore.opening(at: folder.file, [Order.Two.self])
    if case .ready = second {} else { Issue.record("\(second)") }
    second.store?.close()
    let first = await SQLiteStore.opening(at: folder.file, [Order.One.self])
    if case .ready = first {} else { Issue.record("\(first)") }
  }

  /// The child's fetch in the middle of a read of its root, after its save went through.
  @Test(arguments: Kind.allCases)
  fileprivate func readThroughChild(_ kind: Kind) async throws {
    let place = try await Place(kind, Library.entities)
    let root = place.context()
    try root.insert(Card("a"))
    try root.save()
    let child = root.makeChild()
    try child.read {
      #expect(try child.count(Card.self) == 1)
      try child.insert(Card("b"))
      try child.saveAll()
      #expect(try child.count(Card.self) == 2)
      #expect(try child.values(Card.self).count == 2)
    }
  }

  /// An unsaved deletion below, a commit of others above, a discard: the row of now.
  @Test(arguments: Kind.allCases)
  fileprivate func discardAfterMerge(_ kind: Kind) async throws {
    let place = try await Place(kind, Library.entities)
    let root = place.context()
    let id = try root.insert(Card("a")).id
    try root.save()
    let child = root.makeChild().makeChild()
    let mine = try child.object(with: id)
    try child.delete(mine)
    let other = place.context()
    try other.object(with: id).question = "theirs"
    try other.save()
    try root.merge()
    child.discard()
    #expect(mine.question == "theirs" && !mine.isDeleted)
  }

  @Test func rollbackJournal() async throws {
    let folder = try TestFolder()
    try await SQLiteStore.open(at: folder.file, Library.entities).close()
    #expect(try folder.sqlite3("PRAGMA journal_mode = DELETE") == "delete")
    let store = try await SQLiteStore.open(
      at: folder.file, Library.entities, options: StoreOptions(timeout: 0.5))
    let reading = store.makeContext()
    #expect(try reading.count(Card.self) == 0)
    let writing = store.makeContext()
    try writing.insert(Card("c"))
    #expect(throws: Never.self) { try writing.save() }
    writing.discard()
  }

  @Test func newsWithoutLog() async throws {
    let folder = try TestFolder()
    let first = try await SQLiteStore.open(at: folder.file, Library.entities)
    let context = first.makeContext()
    let id = try context.insert(Card("base")).id
    try context.save()
    first.close()
    let copy = folder.url.appending(path: "copy.store")
    try folder.sqlite3("VACUUM INTO '\(copy.path)'")
    let store = try await SQLiteStore.open(
      at: copy, Library.entities, options: StoreOptions(timeout: 0.5))
    let mine = store.makeContext()
    let card = try mine.object(with: id)
    try mine.refresh()
    let other = try OtherProcess.probe("sql", copy.path, "UPDATE Card SET question = 'theirs'")
    #expect(other.end().isEmpty)
    try mine.merge()
    #expect(card.question == "theirs")
  }

  @Test(arguments: Kind.allCases)
  fileprivate func simplestSet(_ kind: Kind) async throws {
    let place = try await Place(kind, [Tagged.self])
    let first = place.context()
    var value = Tagged()
    value.tags = ["one", "two", "three"]
    let id = try first.insert(value).id
    try first.save()
    var failures = 0
    for _ in 0..<20 {
      let context = place.context()
      let mine = try context.object(with: id)
      mine.tags.formSymmetricDifference(["four"])
      do { try context.save() } catch {
        failures += 1
        context.discard()
      }
    }
    #expect(failures == 0)
  }

  @Test(arguments: Kind.allCases)
  fileprivate func undoAcrossReadSave(_ kind: Kind) async throws {
    // A conflict's closure that reads, then a child.
    let place = try await Place(kind, Library.entities)
    let root = place.context()
    let card = try root.insert(Card("base"))
    try root.save()
    let child = root.makeChild()
    let mine = try child.object(with: card.id)
    mine.question = "mine"
    try child.read { try child.saveAll() }
    #expect(try place.context().object(with: card.id).question == "mine")
    #expect(try root.fetch(Card.self, where: { $0.question == "mine" }).count == 1)
  }

}
