import Foundation
import LineageTestSupport
import ObjectGraph
import SQLiteStorage
import Synchronization
import Testing

/// The first version of the entities.
private enum V1 {
  struct Note: Entity {
    var title = ""
    var rank = 0
    var folder: Ref<Folder>?
    static let schema = Schema<Note>("Note") {
      Attribute("title", \.title)
      Attribute("rank", \.rank, indexed: true)
      ToOne("folder", \.folder)
    }
  }
  struct Folder: Entity {
    var name = ""
    static let schema = Schema<Folder>("Folder") { Attribute("name", \.name) }
  }
  static let entities: [any Entity.Type] = [Note.self, Folder.self]
}

/// A version that only adds to ``V1``: properties with and without initial values, an entity,
/// indexes, and a new name of a property.
private enum V2 {
  struct Note: Entity {
    var heading = ""
    var rank: Int? = 0
    var folder: Ref<Folder>?
    var stars = 3
    var weight = 0.1
    var body: String? = nil
    var tint = "b\0l'ue"
    var seen = Date(timeIntervalSinceReferenceDate: 12.5)
    var parent: Ref<Note>?
    static let schema = Schema<Note>("Note") {
      Attribute("heading", \.heading, unique: true, formerly: "title")
      Attribute("rank", \.rank)
      ToOne("folder", \.folder)
      Attribute("stars", \.stars, indexed: true)
      Attribute("weight", \.weight)
      Attribute("body", \.body)
      Attribute("tint", \.tint)
      Attribute("seen", \.seen)
      ToOne("parent", \.parent)
    }
  }
  struct Folder: Entity {
    var name = ""
    static let schema = Schema<Folder>("Folder") { Attribute("name", \.name) }
  }
  struct Tag: Entity {
    var note: Ref<Note>?
    static let schema = Schema<Tag>("Tag") { ToOne("note", \.note) }
  }
  static let entities: [any Entity.Type] = [Note.self, Folder.self, Tag.self]
}

/// A version that needs migration steps after ``V1``: it has another type of a property, another
/// name of an entity, and one property less.
private enum V3 {
  struct Note: Entity {
    var title = ""
    var rank = ""
    static let schema = Schema<Note>("Note") {
      Attribute("title", \.title)
      Attribute("rank", \.rank)
    }
  }
  struct Binder: Entity {
    var name = ""
    static let schema = Schema<Binder>("Binder") { Attribute("name", \.name) }
  }
  static let entities: [any Entity.Type] = [Note.self, Binder.self]

  static let steps = [
    Migration(to: 2, "rank in words") { file in
      try file.renameProperty("rank", of: "Note", to: "old")
      try file.execute("ALTER TABLE Note ADD COLUMN rank TEXT")
      for row in try file.rows("SELECT id, old FROM Note") {
        let word: StoredValue = row[1] == .integer(1) ? "first" : "later"
        try file.execute("UPDATE Note SET rank = ?2 WHERE id = ?1", [row[0], word])
      }
      try file.removeProperty("old", of: "Note")
    },
    Migration(to: 3, "folders are binders") { file in
      try file.removeProperty("folder", of: "Note")
      try file.renameEntity("Folder", to: "Binder")
    },
  ]
}

/// Two versions of an entity. In the second version, all properties have new names.
private enum Moments {
  struct One: Entity {
    var time = Date(timeIntervalSinceReferenceDate: 7.5)
    var flag = true
    var token = UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1))
    var owner: Ref<One>?
    static let schema = Schema<One>("Moment") {
      Attribute("time", \.time)
      Attribute("flag", \.flag)
      Attribute("token", \.token)
      ToOne("owner", \.owner)
    }
  }
  struct Two: Entity {
    var since = Date(timeIntervalSinceReferenceDate: 0)
    var isOpen = false
    var mark = UUID()
    var boss: Ref<Two>?
    static let schema = Schema<Two>("Moment") {
      Attribute("since", \.since, formerly: "time")
      Attribute("isOpen", \.isOpen, formerly: "flag")
      Attribute("mark", \.mark, formerly: "token")
      ToOne("boss", \.boss, formerly: "owner")
    }
  }
}

@Suite("Migrations") struct MigrationTests {
  private let folder: Drawer
  private let whole: Data

  init() async throws {
    folder = try Drawer()
    let store = try await SQLiteStore.open(at: folder.file(), V1.entities)
    try store.commit(
      [
        .insert(Ref(key: 1), V1.Folder(name: "f"), in: store.model),
        .insert(Ref(key: 2), V1.Note(title: "a", rank: 1, folder: Ref(key: 1)), in: store.model),
        .insert(Ref(key: 3), V1.Note(title: "b", rank: 2), in: store.model),
      ], from: nil)
    store.close()
    whole = try Data(contentsOf: folder.file())
  }

  private func opening(
    _ entities: [any Entity.Type], _ migrations: [Migration] = [],
    _ options: StoreOptions = StoreOptions()
  ) async -> Opening<SQLiteStore> {
    await SQLiteStore.opening(
      at: folder.file(), entities, options: options, migrations: migrations)
  }

  private func expectUntouched() throws {
    #expect(try Data(contentsOf: folder.file()) == whole)
    #expect(try folder.names == ["graph"])
  }

  @Test("What is only more is added by itself, and old rows get the first values")
  func additive() async throws {
    let opening = await opening(V2.entities)
    guard case .migrated(let store, let migrated) = opening else { throw Unexpected(opening) }
    #expect(migrated.from == 1 && migrated.to == 1)
    #expect(migrated.steps.contains("add Tag"))
    #expect(migrated.steps.contains("rename Note.title to heading"))
    let reader = try store.makeReader()
    let note = try #require(try reader.value(Ref<V2.Note>(key: 2), in: store.model))
    #expect(note.heading == "a" && note.rank == 1 && note.folder == Ref(key: 1))
    #expect(note.stars == 3 && note.weight == 0.1 && note.body == nil && note.tint == "b\0l'ue")
    #expect(note.seen == Date(timeIntervalSinceReferenceDate: 12.5) && note.parent == nil)
    reader.end()
    try store.commit(
      [
        .insert(
          Ref(key: 9), V2.Note(heading: "c", rank: nil, parent: Ref(key: 2)), in: store.model),
        .insert(Ref(key: 10), V2.Tag(note: Ref(key: 9)), in: store.model),
      ], from: nil)
    #expect(throws: GraphError.self) {
      try store.commit([.insert(Ref(key: 11), V2.Note(heading: "a"), in: store.model)], from: nil)
    }
    #expect(throws: GraphError.self) {
      try store.commit(
        [.insert(Ref(key: 12), V2.Tag(note: Ref(key: 99)), in: store.model)], from: nil)
    }
    #expect(try await store.check() == [])
    store.close()
    let second = await self.opening(V2.entities)
    guard case .ready(let again) = second else { throw Unexpected(second) }
    again.close()
    // The migrated file has the same indexes as a new file.
    let fresh = try Drawer()
    try await SQLiteStore.open(at: fresh.file(), V2.entities).close()
    let sql = "SELECT name FROM sqlite_schema WHERE type = 'index' ORDER BY name"
    #expect(try folder.sqlite3(sql) == fresh.sqlite3(sql))
  }

  @Test("The older program then refuses the newer file, and does not touch it") func older()
    async throws
  {
    await opening(V2.entities).store?.close()
    let bytes = try Data(contentsOf: folder.file())
    let opening = await opening(V1.entities)
    guard case .newer = opening else { throw Unexpected(opening) }
    #expect(try Data(contentsOf: folder.file()) == bytes)
    #expect(try folder.names == ["graph"])
  }

  @Test("What needs a step and has none is told by entity and property, all at once")
  func changed() async throws {
    let opening = await opening(V3.entities)
    guard case .changed(let changes) = opening else { throw Unexpected(opening) }
    #expect(
      Set(changes.map { "\($0.entity).\($0.property ?? "")" })
        == ["Folder.", "Note.rank", "Note.folder"])
    try expectUntouched()
  }

  @Test("Numbered steps run once, in order, with progress") func steps() async throws {
    let log = Mutex<[String]>([])
    let opening = await SQLiteStore.opening(
      at: folder.file(), V3.entities, migrations: V3.steps.reversed(),
      progress: { step in log.withLock { $0.append("\(step.number)/\(step.count) \(step.step)") } })
    guard case .migrated(let store, let migrated) = opening else { throw Unexpected(opening) }
    #expect(migrated.from == 1 && migrated.to == 3)
    #expect(migrated.steps.prefix(2) == ["rank in words", "folders are binders"])
    #expect(log.withLock { $0 }.prefix(2) == ["1/2 rank in words", "2/2 folders are binders"])
    let reader = try store.makeReader()
    #expect(try reader.value(Ref<V3.Note>(key: 2), in: store.model)?.rank == "first")
    #expect(try reader.value(Ref<V3.Note>(key: 3), in: store.model)?.rank == "later")
    #expect(try reader.value(Ref<V3.Binder>(key: 1), in: store.model)?.name == "f")
    #expect(try await store.check() == [])
    store.close()
    let second = await self.opening(V3.entities, V3.steps)
    guard case .ready(let again) = second else { throw Unexpected(second) }
    again.close()
    let third = await self.opening(V3.entities, Array(V3.steps.prefix(1)))
    guard case .newer(let found, let known) = third else { throw Unexpected(third) }
    #expect(found == 3 && known == 2)
  }

  @Test("A step that throws leaves the old version") func throwing() async throws {
    struct Stop: Error {}
    let steps = [V3.steps[0], Migration(to: 3, "stop") { _ in throw Stop() }]
    let opening = await opening(V3.entities, steps)
    guard case .stepFailed(let version, let message) = opening else { throw Unexpected(opening) }
    #expect(version == 3 && message.contains("Stop"))
    try expectUntouched()
    let wrong = Migration(to: 2, "wrong") { try $0.execute("UPDATE Nothing SET x = 1") }
    guard case .stepFailed = await self.opening(V3.entities, [wrong]) else {
      throw Unexpected("no failure")
    }
    try expectUntouched()
  }

  @Test("Steps that leave something over are told what") func incomplete() async throws {
    let opening = await opening(V3.entities, Array(V3.steps.prefix(1)))
    guard case .changed(let changes) = opening else { throw Unexpected(opening) }
    #expect(changes.contains { $0.entity == "Folder" })
    try expectUntouched()
  }

  @Test("A step that leaves a reference without its object is refused") func danglingStep()
    async throws
  {
    let step = Migration(to: 2, "forget") { try $0.execute("DELETE FROM Folder") }
    let opening = await opening(V1.entities, [step])
    guard case .stepFailed(2, let message) = opening else { throw Unexpected(opening) }
    #expect(message.contains("Note/2"))
    try expectUntouched()
  }

  @Test("A new unique property that rows do not have is named") func duplicates() async throws {
    struct Note: Entity {
      var title = ""
      var rank = 0
      var folder: Ref<V1.Folder>?
      var code = "x"
      static let schema = Schema<Note>("Note") {
        Attribute("title", \.title)
        Attribute("rank", \.rank, indexed: true)
        ToOne("folder", \.folder)
        Attribute("code", \.code, unique: true)
      }
    }
    let opening = await opening([Note.self, V1.Folder.self])
    guard case .changed(let changes) = opening else { throw Unexpected(opening) }
    #expect(changes.map(\.property) == ["code"])
    try expectUntouched()
  }

  @Test("A migration that is cancelled leaves the old version and no lock") func cancelled()
    async throws
  {
    let url = folder.file()
    let started = AsyncStream<Void>.makeStream()
    let step = Migration(to: 2, "long") { file in
      started.continuation.yield()
      _ = try file.rows(
        "WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n) SELECT count(*) FROM n")
    }
    let task = Task.detached {
      await SQLiteStore.opening(at: url, V1.entities, migrations: [step])
    }
    for await _ in started.stream { break }
    task.cancel()
    guard case .cancelled = await task.value else { throw Unexpected("not cancelled") }
    try expectUntouched()
    guard case .ready(let store) = await opening(V1.entities) else {
      throw Unexpected("not ready")
    }
    store.close()
  }

  @Test("A read-only file is not migrated") func readOnly() async throws {
    let opening = await opening(V2.entities, [], StoreOptions(isReadOnly: true))
    guard case .changed = opening else { throw Unexpected(opening) }
    try expectUntouched()
  }

  @Test("A removed property takes somebody's index along, and no other") func foreignIndexes()
    async throws
  {
    try folder.sqlite3(
      "CREATE INDEX mine ON Note (title, rank); CREATE INDEX other ON Note (title);"
        + "CREATE INDEX both ON Note (id, title)")
    let opening = await SQLiteStore.opening(
      at: folder.file(), V3.entities, migrations: V3.steps)
    guard case .migrated(let store, _) = opening else { throw Unexpected(opening) }
    store.close()
    #expect(
      try folder.sqlite3("SELECT name FROM sqlite_schema WHERE type = 'index' ORDER BY name")
        == "both\nother")
  }

  @Test("Names change beside a step, whatever the properties mean") func namesBesideSteps()
    async throws
  {
    let folder = try Drawer()
    let store = try await SQLiteStore.open(at: folder.file(), [Moments.One.self])
    let context = store.makeContext()
    let first = try context.insert(Moments.One())
    first.owner = first
    try context.save()
    let id = first.id
    store.close()
    let opening = await SQLiteStore.opening(
      at: folder.file(), [Moments.Two.self],
      migrations: [Migration(to: 2, "nothing else") { _ in }])
    guard case .migrated(let migrated, _) = opening else { throw Unexpected(opening) }
    let found = try #require(try migrated.makeContext().values(Moments.Two.self).first)
    let old = Moments.One()
    #expect(found.since == old.time && found.isOpen == old.flag && found.mark == old.token)
    #expect("\(found.boss.map { "\($0)" } ?? "")" == "\(id)")
  }
}
