#if Postgres
import Foundation
import LineageTestSupport
import ObjectGraph
import PostgresStorage
import Synchronization
import Testing

@Suite("Migrations of a store on a server", .enabled(if: TestServer.isThere), .hangGuard)
struct PostgresMigrationTests {
  @Test("adds what is only more by itself, and the older program goes on")
  func additions() async throws {
    try await NoteStore.with { options in
      let old = try await PostgresStore.open(options, V1.entities)
      defer { old.close() }
      let opening = await NoteStore.opening(options, V2.entities)
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
      guard case .ready(let second) = await NoteStore.opening(options, V2.entities) else {
        throw Unexpected("not ready")
      }
      second.close()
      // The migrated tables have the same indexes as new tables.
      try await TestServer.withSchema { fresh in
        try await PostgresStore.open(fresh, V2.entities).close()
        #expect(try NoteStore.indexes(options) == NoteStore.indexes(fresh))
      }
    }
  }

  @Test("runs numbered steps once, in order, and older programs are refused in words")
  func steps() async throws {
    try await NoteStore.with { options in
      let old = try await PostgresStore.open(options, V1.entities)
      defer { old.close() }
      let context = old.makeContext()
      let note = try #require(try context.fetch(V1.Note.self, where: { $0.title == "a" }).first)
      let log = Mutex<[String]>([])
      let opening = await PostgresStore.opening(
        options, V3.entities, migrations: V3.steps.reversed(),
        progress: { step in log.withLock { $0.append("\(step.number)/\(step.count) \(step.step)") }
        })
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
      guard case .newer(let found, let known) = await NoteStore.opening(options, V1.entities) else {
        throw Unexpected("not newer")
      }
      #expect(found == 3 && known == 1)
      guard case .newer = await NoteStore.opening(options, V3.entities, [V3.words]) else {
        throw Unexpected("not newer")
      }
      guard case .ready(let again) = await NoteStore.opening(options, V3.entities, V3.steps) else {
        throw Unexpected("not ready")
      }
      again.close()
      #expect(
        try TestServer.texts("SELECT oldest FROM \"\(options.schema)_lineage\".state") == ["3"])
    }
  }

  @Test("lets no older program read values of another type")
  func otherType() async throws {
    try await NoteStore.with { options in
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
    try await NoteStore.with { options in
      let whole = try NoteStore.everything(options)
      guard case .changed(let changes) = await NoteStore.opening(options, V3.entities) else {
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
        let opening = await NoteStore.opening(options, V3.entities, [V3.words, step])
        guard case .stepFailed(3, let message) = opening else { throw Unexpected(opening) }
        #expect(message.contains(words), "\(message)")
        #expect(try NoteStore.everything(options) == whole)
      }
      let dangling = Migration(to: 2, "dangling") { try $0.execute("DELETE FROM \"Folder\"") }
      guard
        case .stepFailed(2, let message) = await NoteStore.opening(options, V1.entities, [dangling])
      else { throw Unexpected("not failed") }
      #expect(message.contains("Note.folder"), "\(message)")
      // What a step leaves over is told.
      guard case .changed = await NoteStore.opening(options, V3.entities, [V3.words]) else {
        throw Unexpected("not changed")
      }
      // Rows with equal values cannot become unique.
      try TestServer.run("UPDATE \"\(options.schema)\".\"Note\" SET title = 'a'")
      guard case .changed(let equal) = await NoteStore.opening(options, V2.entities) else {
        throw Unexpected("not changed")
      }
      #expect(equal.map(\.property) == ["title"])
      try TestServer.run(
        "UPDATE \"\(options.schema)\".\"Note\" SET title = CASE rank WHEN 1 THEN 'a' ELSE 'b' END")
      // A program that may not change tables says what must be done.
      var poor = options
      poor.schemaManagement = .assumeExists
      let refused = await NoteStore.opening(poor, V2.entities)
      #expect("\(refused)".contains("add Note.stars") && refused.store == nil, "\(refused)")
      #expect("\(await NoteStore.opening(poor, V3.entities, V3.steps))".contains("to version 3"))
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
      #expect(try NoteStore.everything(options) == whole)
    }
  }

  @Test("is done by one of five programs that open the store at once")
  func five() async throws {
    try await NoteStore.with { options in
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

  @Test("renames what has a former name, after which older programs are refused")
  func formerNames() async throws {
    struct Note: Entity {
      var heading = ""
      var rank: Int? = 0
      var binder: Ref<V1.Folder>?
      static let schema = Schema<Note>("Note") {
        Attribute("heading", \.heading, indexed: true, formerly: "title")
        Attribute("rank", \.rank, indexed: true)
        ToOne("binder", \.binder, formerly: "folder")
      }
    }
    try await NoteStore.with { options in
      let old = try await PostgresStore.open(options, V1.entities)
      defer { old.close() }
      let entities: [any Entity.Type] = [Note.self, V1.Folder.self]
      let opening = await NoteStore.opening(options, entities)
      guard case .migrated(let store, _) = opening else { throw Unexpected(opening) }
      let context = store.makeContext()
      let notes = try context.fetch(Note.self, sort: { $0.heading })
      #expect(notes.map(\.heading) == ["a", "b"] && notes[0].binder?.name == "f")
      notes[1].rank = nil
      try context.save()
      store.close()
      #expect(throws: GraphError.self) { try old.makeContext().fetch(V1.Note.self) }
      guard case .newer = await NoteStore.opening(options, V1.entities) else {
        throw Unexpected("not newer")
      }
      guard case .ready(let again) = await NoteStore.opening(options, entities) else {
        throw Unexpected("not ready")
      }
      again.close()
    }
  }

  @Test("refuses a new unique property whose first value several rows would have")
  func equalFirstValues() async throws {
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
    try await NoteStore.with { options in
      let whole = try NoteStore.everything(options)
      let opening = await NoteStore.opening(options, [Note.self, V1.Folder.self])
      guard case .changed(let changes) = opening else { throw Unexpected(opening) }
      #expect(changes.map(\.property) == ["code"])
      #expect(try NoteStore.everything(options) == whole)
    }
  }

  @Test("is not needed by a store that a script has made in the program's version")
  func script() async throws {
    try await TestServer.withSchema { options in
      let script = try PostgresStore.script(
        for: V3.entities, schema: options.schema, role: TestServer.user, migrations: V3.steps)
      try TestServer.run(script)
      var poor = options
      poor.schemaManagement = .assumeExists
      guard case .ready(let store) = await NoteStore.opening(poor, V3.entities, V3.steps) else {
        throw Unexpected("not ready")
      }
      store.close()
    }
  }

  @Test("takes a step's SQL statement by statement")
  func statements() async throws {
    try await NoteStore.with { options in
      let texts = Mutex<[[StoredValue]]>([])
      let step = Migration(to: 2, "many") { store in
        try store.execute(
          """
          /* first; */ CREATE TABLE "Extra" (id bigint, "a;b?1" text); -- second; ?2
          INSERT INTO "Extra" VALUES (1, 'it''s; ?1'), (2, $$a;b$$), (3, $x$ $$;?1 $x$);;
          """)
        try store.execute(#"INSERT INTO "Extra" VALUES (?2, ?1)"#, [.text("o;"), .integer(4)])
        let rows = try store.rows(
          #"SELECT "a;b?1", ?1::bigint, ?2::bytea FROM "Extra" ORDER BY id"#,
          [.integer(7), .blob([1])])
        texts.withLock { $0 = rows }
        try store.removeEntity("Extra")
      }
      try await PostgresStore.open(options, V1.entities, migrations: [step]).close()
      let expected = ["it's; ?1", "a;b", " $$;?1 ", "o;"].map { text in
        [StoredValue.text(text), .integer(7), .blob([1])]
      }
      #expect(texts.withLock { $0 } == expected)
    }
  }
}
#endif
