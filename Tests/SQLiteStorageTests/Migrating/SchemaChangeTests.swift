import Foundation
import LineageTestSupport
import ObjectGraph
import SQLiteStorage
import Testing

/// Tests of differences between two versions of a schema. Some are changes of the file's schema,
/// and others are not.
@Suite("A schema changes") struct SchemaChangeTests {
  private let folder: Drawer

  init() throws { folder = try Drawer() }

  private func make<Value: Entity>(_ value: Value) async throws {
    let store = try await SQLiteStore.open(at: folder.file(), [Value.self])
    let context = store.makeContext()
    try context.insert(value)
    try context.save()
    store.close()
  }

  @Test("The order of its lines is no change") func reordered() async throws {
    try await SQLiteStore.open(at: folder.file(), [Order.AB.self]).close()
    let reading = await SQLiteStore.opening(
      at: folder.file(), [Order.BA.self], options: StoreOptions(isReadOnly: true))
    guard case .readOnly(let read) = reading else { throw Unexpected(reading) }
    read.close()
    let second = await SQLiteStore.opening(at: folder.file(), [Order.BA.self])
    guard case .ready(let other) = second else { throw Unexpected(second) }
    other.close()
    let first = await SQLiteStore.opening(at: folder.file(), [Order.AB.self])
    guard case .ready = first else { throw Unexpected(first) }
  }

  @Test("A former name that another property has now is told") func reusedName() async throws {
    try await make(Heading.Before(title: "heading of old"))
    let bytes = try Data(contentsOf: folder.file())
    let opening = await SQLiteStore.opening(at: folder.file(), [Heading.Now.self])
    guard case .changed(let changes) = opening else { throw Unexpected(opening) }
    #expect(changes.map(\.property) == ["heading"])
    #expect(try Data(contentsOf: folder.file()) == bytes)
  }

  @Test("A plain property becomes unique together with a step") func becomesUnique() async throws {
    try await SQLiteStore.open(at: folder.file(), [Code.Plain.self]).close()
    let opening = await SQLiteStore.opening(
      at: folder.file(), [Code.Unique.self], migrations: [Migration(to: 2, "nothing") { _ in }])
    guard case .migrated(let store, _) = opening else { throw Unexpected(opening) }
    let context = store.makeContext()
    for _ in 0..<2 { try context.insert(Code.Unique(code: "same")) }
    #expect(throws: GraphError.self) { try context.save() }
    context.discard()
  }

  @Test("The name of an index has at most 63 bytes, and an earlier longer one still counts")
  func longNames() async throws {
    let long = "\(Long.entity).\(Long.property)"
    let list = "SELECT name FROM sqlite_schema WHERE type = 'index'"
    try await make(Long.Indexed(text: "a"))
    let name = try folder.sqlite3(list)
    #expect(name.utf8.count == 63 && name.hasPrefix("AnEntityWithALongName"))
    #expect(name == indexName(IndexShape([Long.property], isUnique: false), of: Long.entity))
    try folder.sqlite3("DROP INDEX \"\(name)\"")
    try folder.sqlite3("CREATE INDEX \"\(long)\" ON \(Long.entity) (\(Long.property))")
    guard case .ready(let same) = await SQLiteStore.opening(at: folder.file(), [Long.Indexed.self])
    else { throw Mishap("not ready") }
    same.close()
    try await SQLiteStore.open(at: folder.file(), [Long.Plain.self]).close()
    #expect(try folder.sqlite3(list) == "")
  }

  @Test("Tables of somebody else are in nobody's way") func foreignTable() async throws {
    try await SQLiteStore.open(at: folder.file(), [Code.Plain.self]).close()
    try folder.sqlite3("CREATE TABLE my_own (a INTEGER)")
    let plain = await SQLiteStore.opening(at: folder.file(), [Code.Plain.self])
    guard case .ready(let store) = plain else { throw Unexpected(plain) }
    store.close()
    let opening = await SQLiteStore.opening(
      at: folder.file(), [Code.Plain.self], migrations: [Migration(to: 2, "nothing") { _ in }])
    guard case .migrated = opening else { throw Unexpected(opening) }
    #expect(try folder.sqlite3("SELECT count(*) FROM my_own") == "0")
  }

  @Test("A step runs all statements of a text") func severalStatements() async throws {
    try await make(Code.Plain())
    let opening = await SQLiteStore.opening(
      at: folder.file(), [Code.Plain.self],
      migrations: [
        Migration(to: 2, "two") {
          try $0.execute("UPDATE Code SET code = 'a'; UPDATE Code SET code = code || 'b'")
        }
      ])
    guard case .migrated(let store, _) = opening else { throw Unexpected(opening) }
    #expect(try store.makeContext().values(Code.Plain.self).map(\.code) == ["ab"])
  }
}

private enum Order {
  struct AB: Entity {
    var a = 0
    var b = ""
    static let schema = Schema<AB>("Thing") {
      Attribute("a", \.a)
      Attribute("b", \.b)
    }
  }

  struct BA: Entity {
    var b = ""
    var a = 0
    static let schema = Schema<BA>("Thing") {
      Attribute("b", \.b)
      Attribute("a", \.a)
    }
  }
}

private enum Heading {
  struct Before: Entity {
    var title = ""
    static let schema = Schema<Before>("Doc") { Attribute("title", \.title) }
  }

  struct Now: Entity {
    var heading = ""
    var title = "new"
    static let schema = Schema<Now>("Doc") {
      Attribute("heading", \.heading, formerly: "title")
      Attribute("title", \.title)
    }
  }
}

private enum Code {
  struct Plain: Entity {
    var code = ""
    static let schema = Schema<Plain>("Code") { Attribute("code", \.code, indexed: true) }
  }

  struct Unique: Entity {
    var code = ""
    static let schema = Schema<Unique>("Code") { Attribute("code", \.code, unique: true) }
  }
}

private enum Long {
  static let entity = "AnEntityWithALongName"
  static let property = "aPropertyWithANameThatHasManyMoreBytesThanItNeeds"

  struct Indexed: Entity {
    var text = ""
    static let schema = Schema<Indexed>(entity) { Attribute(property, \.text, indexed: true) }
  }

  struct Plain: Entity {
    var text = ""
    static let schema = Schema<Plain>(entity) { Attribute(property, \.text) }
  }
}
