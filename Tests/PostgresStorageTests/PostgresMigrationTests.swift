#if Postgres
import Foundation
import LineageTestSupport
import ObjectGraph
import PostgresStorage
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

/// A version that only adds to ``V1``: properties with and without initial values, an entity, and
/// indexes.
private enum V2 {
  struct Note: Entity {
    var title = ""
    var rank = 0
    var folder: Ref<Folder>?
    var stars: Int? = 3
    var weight = 0.1
    var isOpen = true
    var price = Decimal(string: "12.50") ?? 0
    var tint = "b\0l'ue"
    var bytes = Data([0, 255, 39])
    var seen = Date(timeIntervalSinceReferenceDate: 12.5)
    var mark = UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1))
    var words = ["a", "it's"]
    var parent: Ref<Note>?
    static let schema = Schema<Note>("Note") {
      Attribute("title", \.title, unique: true)
      Attribute("rank", \.rank, indexed: true)
      ToOne("folder", \.folder)
      Attribute("stars", \.stars, indexed: true)
      Attribute("weight", \.weight)
      Attribute("isOpen", \.isOpen)
      Attribute("price", \.price)
      Attribute("tint", \.tint)
      Attribute("bytes", \.bytes)
      Attribute("seen", \.seen)
      Attribute("mark", \.mark)
      Attribute("words", json: \.words)
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
  static let entities: [any Entity.Type] = [Tag.self, Note.self, Folder.self]
}

/// A version that needs steps after ``V1``: it has another type of a property, another name of an entity,
/// and one property less.
private enum V3 {
  struct Note: Entity {
    var title = ""
    var rank = ""
    static let schema = Schema<Note>("Note") {
      Attribute("title", \.title)
      Attribute("rank", \.rank, indexed: true)
    }
  }
  struct Binder: Entity {
    var name = ""
    static let schema = Schema<Binder>("Binder") { Attribute("name", \.name, unique: true) }
  }
  static let entities: [any Entity.Type] = [Note.self, Binder.self]

  static let words = Migration(to: 2, "rank in words") { store in
    try store.renameProperty("rank", of: "Note", to: "old")
    try store.execute(#"ALTER TABLE "Note" ADD COLUMN rank text COLLATE "C"; -- a remark; and more"#)
    for row in try store.rows(#"SELECT id, old FROM "Note" ORDER BY id"#) {
      let word: StoredValue = row[1] == .integer(1) ? "first" : "later"
      try store.execute(#"UPDATE "Note" SET rank = ?2 WHERE id = ?1"#, [row[0], word])
    }
    try store.removeProperty("old", of: "Note")
  }
  static let binders = Migration(to: 3, "folders are binders") { store in
    try store.removeProperty("folder", of: "Note")
    try store.renameEntity("Folder", to: "Binder")
  }
  static let steps = [words, binders]
}

/// A version in which a property of ``V1`` has another type.
private enum Retyped {
  struct Note: Entity {
    var title = ""
    var rank = ""
    var folder: Ref<V1.Folder>?
    static let schema = Schema<Note>("Note") {
      Attribute("title", \.title)
      Attribute("rank", \.rank)
      ToOne("folder", \.folder)
    }
  }
  static let entities: [any Entity.Type] = [Note.self, V1.Folder.self]
}

@Suite("Migrations of a store on a server", .enabled(if: TestServer.isThere), .hangGuard)
struct PostgresMigrationTests {
  /// Calls a closure with the options for a schema that has a store of the first version.
  private func withStore(_ body: (PostgresOptions) async throws -> Void) async throws {
    try await TestServer.withSchema { options in
      var options = options
      options.statementTimeout = 20
      let store = try await PostgresStore.open(options, V1.entities)
      let context = store.makeContext()
      let folder = try context.insert(V1.Folder(name: "f"))
      let note = try context.insert(V1.Note(title: "a", rank: 1))
      note.folder = folder
      try context.insert(V1.Note(title: "b", rank: 2))
      try context.save()
      store.close()
      try await body(options)
    }
  }

  private func opening(
    _ options: PostgresOptions, _ entities: [any Entity.Type], _ migrations: [Migration] = []
  ) async -> Opening<PostgresStore> {
    await PostgresStore.opening(options, entities, migrations: migrations)
  }

  /// The tables of the entities and the state, as texts.
  private func everything(_ options: PostgresOptions) throws -> [String] {
    try TestServer.texts(
      """
      SELECT c.relname || ' ' || a.attname || ' ' || format_type(a.atttypid, a.atttypmod)
        || ' ' || a.attnotnull FROM pg_attribute a JOIN pg_class c ON c.oid = a.attrelid
      WHERE c.relnamespace = '"\(options.schema)"'::regnamespace AND a.attnum > 0 ORDER BY 1
      """)
      + TestServer.texts(
        "SELECT schema_version || schema_hashes || oldest FROM"
          + " \"\(options.schema)_lineage\".state")
      + TestServer.texts("SELECT n::text FROM \"\(options.schema)\".\"Note\" n ORDER BY id")
  }

  private func indexes(_ options: PostgresOptions) throws -> [String] {
    try TestServer.texts(
      "SELECT replace(indexdef, '\(options.schema)', 's') FROM pg_indexes"
        + " WHERE schemaname = '\(options.schema)' ORDER BY 1")
  }

  @Test("adds what is only more by itself, and the older program goes on")
  func additions() async throws {
    try await withStore { options in
      let old = try await PostgresStore.open(options, V1.entities)
      defer { old.close() }
      let opening = await opening(options, V2.entities)
      guard case .migrated(let store, let migrated) = opening else { throw Unexpected(opening) }
      defer { store.close() }
      #expect(migrated.from == 1 && migrated.to == 1)
      #expect(migrated.steps.contains("add Tag") && migrated.steps.contains("add Note.stars"))
      let context = store.makeContext()
      let notes = try context.fetch(V2.Note.self, sort: { $0.title })
      let first = V2.Note()
      for note in notes {
        #expect(note.stars == 3 && note.weight == 0.1 && note.isOpen && note.tint == first.tint)
        #expect(note.price == first.price && note.bytes == first.bytes && note.seen == first.seen)
        #expect(note.mark == first.mark && note.words == first.words && note.parent == nil)
      }
      #expect(notes.map(\.title) == ["a", "b"] && notes[0].folder?.name == "f")
      notes[1].parent = notes[0]
      notes[1].stars = nil
      let tag = try context.insert(V2.Tag())
      tag.note = notes[1]
      try context.save()
      // The older program reads and writes, also in a program that starts now.
      for older in [old, try await PostgresStore.open(options, V1.entities)] {
        defer { if older !== old { older.close() } }
        let theirs = older.makeContext()
        try theirs.insert(V1.Note(title: older === old ? "c" : "d", rank: 5))
        try #require(try theirs.fetch(V1.Note.self, where: { $0.title == "a" }).first).rank += 10
        try theirs.save()
      }
      let again = store.makeContext()
      let new = try #require(try again.fetch(V2.Note.self, where: { $0.title == "d" }).first)
      #expect(new.weight == 0.1 && new.tint == first.tint && new.mark == first.mark)
      #expect(try again.fetch(V2.Note.self, where: { $0.title == "a" }).first?.rank == 21)
      // A rule that only the newer program knows holds for the older one too.
      let theirs = old.makeContext()
      try theirs.insert(V1.Note(title: "a", rank: 1))
      let error = #expect(throws: GraphError.self) { try theirs.save() }
      #expect("\(error, default: "")".contains("Note.title"))
      guard case .ready(let second) = await self.opening(options, V2.entities) else {
        throw Unexpected("not ready")
      }
      second.close()
      // The migrated tables have the same indexes as new tables.
      try await TestServer.withSchema { fresh in
        try await PostgresStore.open(fresh, V2.entities).close()
        #expect(try indexes(options) == indexes(fresh))
      }
    }
  }

  @Test("runs numbered steps once, in order, and older programs are refused in words")
  func steps() async throws {
    try await withStore { options in
      let old = try await PostgresStore.open(options, V1.entities)
      defer { old.close() }
      let context = old.makeContext()
      let note = try #require(try context.fetch(V1.Note.self, where: { $0.title == "a" }).first)
      let log = Mutex<[String]>([])
      let opening = await PostgresStore.opening(
        options, V3.entities, migrations: V3.steps.reversed(),
        progress: { step in log.withLock { $0.append("\(step.number)/\(step.count) \(step.step)") } })
      guard case .migrated(let store, let migrated) = opening else { throw Unexpected(opening) }
      defer { store.close() }
      #expect(migrated.from == 1 && migrated.to == 3)
      #expect(migrated.steps.prefix(2) == ["rank in words", "folders are binders"])
      #expect(log.withLock { $0 }.prefix(2) == ["1/2 rank in words", "2/2 folders are binders"])
      let notes = try store.makeContext().fetch(V3.Note.self, sort: { $0.title })
      #expect(notes.map(\.rank) == ["first", "later"])
      #expect(try store.makeContext().values(V3.Binder.self).map(\.name) == ["f"])
      // The program that has the store open is told, and so is one that opens it.
      note.title = "changed"
      let error = #expect(throws: GraphError.self) { try context.save() }
      #expect("\(error, default: "")".contains("migrated"), "\(String(describing: error))")
      #expect(throws: GraphError.self) { try old.makeContext().fetch(V1.Folder.self) }
      guard case .newer(let found, let known) = await self.opening(options, V1.entities) else {
        throw Unexpected("not newer")
      }
      #expect(found == 3 && known == 1)
      guard case .newer = await self.opening(options, V3.entities, [V3.words]) else {
        throw Unexpected("not newer")
      }
      guard case .ready(let again) = await self.opening(options, V3.entities, V3.steps) else {
        throw Unexpected("not ready")
      }
      again.close()
      #expect(
        try TestServer.texts("SELECT oldest FROM \"\(options.schema)_lineage\".state") == ["3"])
    }
  }

  @Test("lets no older program read values of another type")
  func otherType() async throws {
    try await withStore { options in
      let old = try await PostgresStore.open(options, V1.entities)
      defer { old.close() }
      let known = old.makeContext()
      _ = try known.fetch(V1.Note.self)
      try await PostgresStore.open(options, Retyped.entities, migrations: [V3.words]).close()
      for context in [known, old.makeContext()] {
        let error = #expect(throws: GraphError.self) {
          try context.merge()
          _ = try context.fetch(V1.Note.self, where: { $0.title == "a" }).map(\.rank)
        }
        #expect("\(String(describing: error))".contains("migrated"))
      }
    }
  }

  @Test("leaves everything as it was if it is refused, fails or is cancelled")
  func refusals() async throws {
    struct Stop: Error {}
    try await withStore { options in
      let whole = try everything(options)
      guard case .changed(let changes) = await opening(options, V3.entities) else {
        throw Unexpected("not changed")
      }
      #expect(
        Set(changes.map { "\($0.entity).\($0.property ?? "")" })
          == ["Folder.", "Note.rank", "Note.folder"])
      let failing = [
        Migration(to: 3, "stop") { _ in throw Stop() },
        Migration(to: 3, "wrong") { try $0.execute("UPDATE \"Nothing\" SET x = 1") },
      ]
      for (step, words) in zip(failing, ["Stop", "Nothing"]) {
        let opening = await opening(options, V3.entities, [V3.words, step])
        guard case .stepFailed(3, let message) = opening else { throw Unexpected(opening) }
        #expect(message.contains(words), "\(message)")
        #expect(try everything(options) == whole)
      }
      let dangling = Migration(to: 2, "dangling") { try $0.execute("DELETE FROM \"Folder\"") }
      guard case .stepFailed(2, let message) = await opening(options, V1.entities, [dangling])
      else { throw Unexpected("not failed") }
      #expect(message.contains("Note.folder"), "\(message)")
      // What a step leaves over is told.
      guard case .changed = await opening(options, V3.entities, [V3.words]) else {
        throw Unexpected("not changed")
      }
      // Rows with equal values cannot become unique.
      try TestServer.run("UPDATE \"\(options.schema)\".\"Note\" SET title = 'a'")
      guard case .changed(let equal) = await opening(options, V2.entities) else {
        throw Unexpected("not changed")
      }
      #expect(equal.map(\.property) == ["title"])
      try TestServer.run(
        "UPDATE \"\(options.schema)\".\"Note\" SET title = CASE rank WHEN 1 THEN 'a' ELSE 'b' END")
      // A program that may not change tables says what must be done.
      var poor = options
      poor.schemaManagement = .assumeExists
      let refused = await opening(poor, V2.entities)
      #expect("\(refused)".contains("add Note.stars") && refused.store == nil, "\(refused)")
      #expect("\(await opening(poor, V3.entities, V3.steps))".contains("to version 3"))
      let (started, continuation) = AsyncStream<Void>.makeStream()
      let long = Migration(to: 2, "long") { store in
        continuation.yield()
        _ = try store.rows("SELECT pg_sleep(100)")
      }
      let task = Task.detached {
        await PostgresStore.opening(options, V1.entities, migrations: [long])
      }
      for await _ in started { break }
      task.cancel()
      guard case .cancelled = await task.value else { throw Unexpected("not cancelled") }
      #expect(try everything(options) == whole)
    }
  }

  @Test("waits for a kept moment, which sees all rows, and names its process if it lasts")
  func keptMoment() async throws {
    try await withStore { options in
      var named = options
      named.address += " application_name=keeper"
      let old = try await PostgresStore.open(named, V1.entities)
      defer { old.close() }
      let context = old.makeContext()
      let reached = Mutex(false)
      let retyping = Migration(to: 2, "other type") { store in
        reached.withLock { $0 = true }
        try store.execute(#"ALTER TABLE "Note" ALTER COLUMN rank TYPE float8"#)
        try store.execute(#"ALTER TABLE "Note" ALTER COLUMN rank TYPE bigint"#)
      }
      var impatient = options
      impatient.statementTimeout = 1
      var migration: Task<Opening<PostgresStore>, Never>?
      let waited = try context.read { [impatient, options] in
        #expect(try context.count(V1.Note.self) == 2)
        let refused = Task.detached {
          await PostgresStore.opening(impatient, V1.entities, migrations: [retyping])
        }
        let refusal = "\(Self.result(of: refused))"
        #expect(refusal.contains("process ") && refusal.contains("(keeper)"), "\(refusal)")
        migration = Task.detached {
          await PostgresStore.opening(options, V1.entities, migrations: [retyping])
        }
        // Others read and write meanwhile.
        let other = old.makeContext()
        try other.insert(V1.Note(title: "c", rank: 3))
        try other.save()
        Thread.sleep(forTimeInterval: 1)
        #expect(try context.fetch(V1.Note.self).map(\.rank).sorted() == [1, 2])
        return !reached.withLock { $0 }
      }
      #expect(waited)
      let outcome = await migration?.value
      guard case .migrated(let store, _)? = outcome else { throw Unexpected("\(outcome, default: "")") }
      #expect(try store.makeContext().count(V1.Note.self) == 3)
      store.close()
    }
  }

  /// Waits for a task on the calling thread.
  private static func result<Value: Sendable>(of task: Task<Value, Never>) -> Value {
    let done = DispatchSemaphore(value: 0)
    let result = Mutex<Value?>(nil)
    Task.detached {
      let value = await task.value
      result.withLock { $0 = value }
      done.signal()
    }
    done.wait()
    guard let value = result.withLock({ $0 }) else { fatalError("a task has no result") }
    return value
  }

  @Test("is done by one of five programs that open the store at once")
  func five() async throws {
    try await withStore { options in
      let runs = Mutex(0)
      let step = Migration(to: 2, "count") { _ in
        runs.withLock { $0 += 1 }
        Thread.sleep(forTimeInterval: 0.5)
      }
      let outcomes = await withTaskGroup(of: Opening<PostgresStore>.self) { group in
        for _ in 0..<5 {
          group.addTask {
            await PostgresStore.opening(options, V2.entities, migrations: [step])
          }
        }
        return await group.reduce(into: []) { $0.append($1) }
      }
      let migrated = outcomes.filter { if case .migrated = $0 { true } else { false } }
      #expect(migrated.count == 1 && runs.withLock { $0 } == 1)
      #expect(outcomes.compactMap(\.store).count == 5, "\(outcomes)")
      for store in outcomes.compactMap(\.store) { store.close() }
    }
  }

  @Test("builds a half-built index again, and refuses rows that it cannot have")
  func halfBuilt() async throws {
    try await withStore { options in
      try await PostgresStore.open(options, V2.entities).close()
      let complete = try indexes(options)
      let name = "\"\(options.schema)\".\"Note.title\""
      for index in ["Note.title", "Note.stars"] {
        try TestServer.run(
          "UPDATE pg_index SET indisvalid = false, indisready = false"
            + " WHERE indexrelid = '\"\(options.schema)\".\"\(index)\"'::regclass")
      }
      var poor = options
      poor.schemaManagement = .assumeExists
      #expect("\(await opening(poor, V2.entities))".contains("not complete"))
      try await PostgresStore.open(options, V2.entities).close()
      #expect(try indexes(options) == complete)
      let valid = try TestServer.texts(
        "SELECT indisvalid FROM pg_index WHERE indexrelid = '\(name)'::regclass")
      #expect(valid == ["t"])
      try TestServer.run("DROP INDEX \(name)")
      try TestServer.run("UPDATE \"\(options.schema)\".\"Note\" SET title = 'same'")
      guard case .changed(let changes) = await opening(options, V2.entities) else {
        throw Unexpected("not changed")
      }
      #expect(changes.map(\.property) == ["title"])
      #expect(try !indexes(options).contains { $0.contains("Note.title") })
      // A missing table or column is told by the check of the tables.
      try TestServer.run("ALTER TABLE \"\(options.schema)\".\"Note\" DROP COLUMN stars")
      #expect("\(await opening(options, V1.entities))".contains("it is open"))
      try TestServer.run("UPDATE \"\(options.schema)\".\"Note\" SET title = id::text")
      #expect("\(await opening(options, V2.entities))".contains("Note.stars has no column"))
      try TestServer.run("DROP TABLE \"\(options.schema)\".\"Note\" CASCADE")
      #expect("\(await opening(options, V2.entities))".contains("Note has no table"))
    }
  }

  @Test("lets a commit wait no longer than its limit for locks")
  func waitingCommit() async throws {
    try await withStore { options in
      var options = options
      options.lockTimeout = 0.2
      let store = try await PostgresStore.open(options, V1.entities)
      defer { store.close() }
      let context = store.makeContext()
      try context.insert(V1.Note(title: "c", rank: 3))
      let (started, continuation) = AsyncStream<Void>.makeStream()
      let hasEnded = DispatchSemaphore(value: 0)
      let long = Migration(to: 2, "long") { _ in
        continuation.yield()
        hasEnded.wait()
      }
      let task = Task.detached { [options] in
        await PostgresStore.opening(options, V1.entities, migrations: [long])
      }
      for await _ in started { break }
      let error = #expect(throws: GraphError.self) { try context.save() }
      guard case .timeout(seconds: 0.2)? = error?.reason else {
        throw Unexpected("\(error, default: "")")
      }
      hasEnded.signal()
      await task.value.store?.close()
    }
  }
}
#endif
