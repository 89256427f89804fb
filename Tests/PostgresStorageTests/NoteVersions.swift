#if Postgres
import Foundation
import ObjectGraph
import PostgresStorage

/// The first version of the entities.
enum V1 {
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
enum V2 {
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
enum V3 {
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
    try store.execute(
      #"ALTER TABLE "Note" ADD COLUMN rank text COLLATE "C"; -- a remark; and more"#)
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
enum Retyped {
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

/// A store of the first version, and looks at its tables.
enum NoteStore {
  /// Calls a closure with the options for a schema that has a store of the first version.
  static func with(_ body: (PostgresOptions) async throws -> Void) async throws {
    try await TestServer.withSchema { options in
      var options = options
      options.statementTimeout = 120
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

  static func opening(
    _ options: PostgresOptions, _ entities: [any Entity.Type], _ migrations: [Migration] = []
  ) async -> Opening<PostgresStore> {
    await PostgresStore.opening(options, entities, migrations: migrations)
  }

  /// Returns the tables of the entities and the state, as texts.
  static func everything(_ options: PostgresOptions) throws -> [String] {
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

  static func indexes(_ options: PostgresOptions) throws -> [String] {
    try TestServer.texts(
      "SELECT replace(indexdef, '\(options.schema)', 's') FROM pg_indexes"
        + " WHERE schemaname = '\(options.schema)' ORDER BY 1")
  }
}
#endif
