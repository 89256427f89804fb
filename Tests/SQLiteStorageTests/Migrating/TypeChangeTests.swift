import Foundation
import LineageTestSupport
import ObjectGraph
import SQLiteStorage
import Testing

/// An entity with one property of a generic type. Tests use two types for two versions of a
/// program.
private struct Thing<Value: Property>: Entity {
  var it = Value.first
  static var schema: Schema<Thing> { Schema("Thing") { Value.attribute } }
}

private protocol Property: Sendable {
  static var first: Self { get }
  static var attribute: Attribute<Thing<Self>> { get }
}

extension Property where Self: AttributeValue {
  fileprivate static var attribute: Attribute<Thing<Self>> { Attribute("it", \.it) }
}

extension Property where Self: ExpressibleByIntegerLiteral {
  fileprivate static var first: Self { 7 }
}

extension Int: Property {}
extension Int8: Property {}
extension Int32: Property {}
extension Int64: Property {}
extension UInt: Property {}
extension UInt8: Property {}
extension UInt32: Property {}
extension Double: Property {}
extension Float: Property {}
extension Decimal: Property {}
extension Bool: Property { fileprivate static var first: Bool { true } }
extension Date: Property {
  fileprivate static var first: Date { Date(timeIntervalSinceReferenceDate: 7) }
}
extension String: Property { fileprivate static var first: String { "[\"7\"]" } }
extension [String]: Property {
  fileprivate static var first: [String] { ["7"] }
  fileprivate static var attribute: Attribute<Thing<Self>> { Attribute("it", json: \.it) }
}

@Suite("A property's type changes") struct TypeChangeTests {
  private let folder: Drawer

  init() throws { folder = try Drawer() }

  /// Writes a row by a program with the type `Old`, and runs the SQL. Then opens the file by a
  /// program with the type `New`, and returns the outcome.
  private func change<Old: Property, New: Property>(
    _: Old.Type, _: New.Type, running sql: String = ""
  ) async throws -> Opening<SQLiteStore> {
    try? FileManager.default.removeItem(at: folder.file())
    let store = try await SQLiteStore.open(at: folder.file(), [Thing<Old>.self])
    let context = store.makeContext()
    try context.insert(Thing<Old>())
    try context.save()
    store.close()
    if !sql.isEmpty { try folder.sqlite3(sql) }
    return await SQLiteStore.opening(at: folder.file(), [Thing<New>.self])
  }

  private func expectRead<Old: Property, New: Property>(_: Old.Type, as _: New.Type) async throws {
    let opening = try await change(Old.self, New.self)
    guard let store = opening.store else {
      throw Unexpected("\(Old.self), \(New.self): \(opening)")
    }
    #expect(try store.makeContext().values(Thing<New>.self).map { "\($0.it)" } == ["\(New.first)"])
    store.close()
  }

  private func expectRefused<Old: Property, New: Property>(
    _: Old.Type, as _: New.Type, _ message: String
  ) async throws {
    let opening = try await change(Old.self, New.self)
    guard case .changed(let changes) = opening else {
      throw Unexpected("\(Old.self), \(New.self): \(opening)")
    }
    #expect(changes.map(\.description) == ["Thing.it \(message)"])
  }

  /// Expects that a row can be updated and deleted although this program would store its value in
  /// another form.
  private func expectWritable<Value: Entity>(
    _ store: SQLiteStore, _ edit: (Object<Value>) throws -> Void
  ) throws {
    let context = store.makeContext()
    try edit(try #require(try context.fetch(Value.self).first))
    #expect(throws: Never.self) { try context.save() }
    let other = store.makeContext()
    try other.delete(try #require(try other.fetch(Value.self).first))
    #expect(throws: Never.self) { try other.save() }
  }

  @Test("A wider type reads what the narrower wrote") func wider() async throws {
    try await expectRead(UInt8.self, as: Int.self)
    try await expectRead(UInt8.self, as: UInt32.self)
    try await expectRead(UInt32.self, as: Int64.self)
    try await expectRead(Int8.self, as: Int32.self)
    try await expectRead(UInt.self, as: Int.self)
    try await expectRead(Int.self, as: Int64.self)
    try await expectRead(Double.self, as: Float.self)
  }

  @Test("A narrower type, or one that means something else, needs a step") func narrower()
    async throws
  {
    try await expectRefused(Int.self, as: UInt8.self, "was int, is uint8")
    try await expectRefused(Int.self, as: UInt.self, "was int, is uint")
    try await expectRefused(UInt32.self, as: Int32.self, "was uint32, is int32")
    try await expectRefused(Int.self, as: Bool.self, "was int, is bool")
    try await expectRefused(Double.self, as: Date.self, "was double, is date")
    try await expectRefused(Int.self, as: Double.self, "was int, is double")
    try await expectRefused(Double.self, as: Decimal.self, "was double, is decimal")
    try await expectRefused(String.self, as: Decimal.self, "was string, is decimal")
    try await expectRefused(Decimal.self, as: String.self, "was decimal, is string")
    try await expectRefused(String.self, as: [String].self, "was string, is json")
    try await expectRefused([String].self, as: String.self, "was json, is string")
  }

  @Test("After a step the program's word is taken") func step() async throws {
    _ = try await change(Int.self, UInt8.self)
    let opening = await SQLiteStore.opening(
      at: folder.file(), [Thing<UInt8>.self],
      migrations: [
        Migration(to: 2, "narrower") { try $0.execute("UPDATE Thing SET it = it & 255") }
      ])
    let store = try #require(opening.store)
    #expect(try store.makeContext().values(Thing<UInt8>.self).map(\.it) == [7])
  }

  /// Reads files of earlier versions, which record only the storage of each property, such as
  /// "integer" or "text".
  @Test("A file that says only the storage is taken at the program's word") func onlyStorage()
    async throws
  {
    let forget =
      ["int": "integer", "json": "text"].map { word, storage in
        "UPDATE lineage_store SET value = replace(value, '\"\(word)\"', '\"\(storage)\"');"
      }.joined() + "UPDATE lineage_store SET value = 'before' WHERE key = 'hashes'"
    func expectTaken(_ opening: Opening<SQLiteStore>) throws {
      guard case .migrated(let store, let migrated) = opening else { throw Unexpected(opening) }
      #expect(migrated.steps == [])
      store.close()
    }
    try expectTaken(try await change(Int.self, UInt8.self, running: forget))
    try expectTaken(try await change([String].self, [String].self, running: forget))
    let opening = try await change(Int.self, Bool.self, running: forget)
    guard case .changed = opening else { throw Unexpected(opening) }
  }

  @Test("What has more digits in the file than here is no conflict") func digits() async throws {
    let opening = try await change(
      Double.self, Float.self, running: "UPDATE Thing SET it = 0.1")
    guard case .ready(let store) = opening else { throw Unexpected(opening) }
    try expectWritable(store) { (thing: Object<Thing<Float>>) in
      #expect(thing.it == 0.1)
      thing.it = 5
    }
  }

  @Test("A Codable value that has grown is read, and is no conflict") func grownValue()
    async throws
  {
    let store = try await SQLiteStore.open(at: folder.file(), [Before.Doc.self])
    let context = store.makeContext()
    try context.insert(Before.Doc())
    try context.save()
    store.close()
    let now = try await SQLiteStore.open(at: folder.file(), [Now.Doc.self])
    try expectWritable(now) { (doc: Object<Now.Doc>) in
      #expect(doc.meta.b == 2)
      doc.meta.a = 5
    }
  }
}

private enum Before {
  struct Meta: Codable, Sendable { var a = 1 }

  struct Doc: Entity {
    var meta = Meta()
    static let schema = Schema<Doc>("Doc") { Attribute("meta", json: \.meta) }
  }
}

private enum Now {
  struct Meta: Codable, Sendable {
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

  struct Doc: Entity {
    var meta = Meta()
    static let schema = Schema<Doc>("Doc") { Attribute("meta", json: \.meta) }
  }
}
