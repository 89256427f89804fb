import Foundation
import LineageTestSupport
import ObjectGraph
import SQLiteStorage
import Testing

@Suite("Faults while saving") struct FaultTests {
  private let folder: Drawer
  private let entities: [any Entity.Type] = [Item.self, Box.self]

  init() throws { folder = try Drawer() }

  @Test("A full disk: a typed error, nothing half saved, and the same save succeeds later")
  func full() async throws {
    let small = try await SQLiteStore.opening(
      at: folder.file(), entities, limits: FileLimits(maximumPages: 40)
    ).opened(at: folder.file())
    try small.insert(1...100)
    let error = #expect(throws: GraphError.self) { try small.insert(101...20_000) }
    guard case .full? = error?.reason else { throw Unexpected(error as Any) }
    #expect(try small.itemCount() == 100)
    try small.setCount(1, from: 1, to: 7)
    #expect(try small.item(1)?.count == 7)
    small.close()
    let large = try await SQLiteStore.open(at: folder.file(), entities)
    try large.insert(101...20_000)
    #expect(try large.itemCount() == 20_000)
    #expect(try await large.check() == [])
  }

  @Test("A full disk while a file is made or migrated leaves no file, or the old one")
  func fullOpening() async throws {
    let store = try await SQLiteStore.open(at: folder.file(), entities)
    try store.insert(1...50)
    store.close()
    let bytes = try Data(contentsOf: folder.file())
    let step = Migration(to: 2, "grow") { file in
      for _ in 0..<5 { try file.execute("INSERT INTO Box (label) VALUES (hex(zeroblob(30000)))") }
    }
    let opening = await SQLiteStore.opening(
      at: folder.file(), entities, limits: FileLimits(maximumPages: 3), migrations: [step])
    guard case .failed(let error) = opening, case .full = error.reason else {
      throw Unexpected(opening)
    }
    #expect(try Data(contentsOf: folder.file()) == bytes)
  }

  @Test("A commit that is refused names the object, in a batch too, and leaves nothing")
  func named() async throws {
    let store = try await SQLiteStore.open(at: folder.file(), entities)
    try store.insert(50...50)
    var writes: [Write] = (100...140).map {
      .insert(Ref(key: Int64($0)), Item(name: "i\($0)"), in: store.model)
    }
    writes[20] = .insert(Ref(key: 120), Item(name: "i50"), in: store.model)
    let error = #expect(throws: GraphError.self) { try store.commit(writes, from: nil) }
    #expect(error?.attempted == "save Item/120")
    guard case .notUnique("Item", ["name"], "Item/50")? = error?.reason else {
      throw Unexpected(error as Any)
    }
    writes[20] = .insert(Ref(key: 120), Item(name: "x", box: Ref(key: 77)), in: store.model)
    let dangling = #expect(throws: GraphError.self) { try store.commit(writes, from: nil) }
    guard case .dangling("Item/120", "box", "Box/77")? = dangling?.reason else {
      throw Unexpected(dangling as Any)
    }
    #expect(try store.itemCount() == 1)
    writes[20] = .insert(Ref(key: 120), Item(name: "x"), in: store.model)
    try store.commit(writes, from: nil)
    #expect(try store.itemCount() == 42)
  }

  @Test("A value that the table refuses, because somebody changed it, is a typed error")
  func foreignRule() async throws {
    let store = try await SQLiteStore.open(at: folder.file(), entities)
    try folder.sqlite3(
      "CREATE TRIGGER no BEFORE INSERT ON Item BEGIN SELECT raise(ABORT, 'not today'); END")
    let error = #expect(throws: GraphError.self) { try store.insert(1...1) }
    #expect(error?.description.contains("not today") == true)
    #expect(try store.itemCount() == 0)
  }

  @Test("A row that is no value any more is told by name, and the others are read")
  func unreadable() async throws {
    let store = try await SQLiteStore.open(at: folder.file(), entities)
    try store.insert(1...3)
    try folder.sqlite3(
      "PRAGMA writable_schema = ON; UPDATE sqlite_schema SET sql = replace(sql, 'STRICT', '')"
        + " WHERE name = 'Item'")
    try folder.sqlite3("UPDATE Item SET count = 'many' WHERE id = 2")
    #expect(try store.item(1)?.count == 1)
    #expect(throws: (any Error).self) { try store.item(2) }
    #expect(try store.item(3)?.count == 3)
  }

  @Test("A save waits for the one before it, on any number of threads") func threads() async throws
  {
    let store = try await SQLiteStore.open(at: folder.file(), entities)
    await withTaskGroup(of: Void.self) { group in
      for part in 0..<8 {
        group.addTask {
          for index in 1...25 {
            do { try store.insert((part * 100 + index)...(part * 100 + index)) } catch {
              Issue.record(error)
            }
            if index.isMultiple(of: 5) { _ = try? store.itemCount() }
          }
        }
      }
    }
    #expect(try store.itemCount() == 200)
  }

  @Test("An idle reader does not hold back the log for ever; one with a cursor keeps its moment")
  func logIsBounded() async throws {
    let store = try await SQLiteStore.opening(
      at: folder.file(), entities, limits: FileLimits(logPages: 100)
    ).opened(at: folder.file())
    try store.insert(1...10)
    let idle = try store.makeReader()
    let busy = try store.makeReader()
    #expect(try idle.ids(Query(entity: 0)).count == 10)
    func logSize() throws -> Int {
      let path = folder.file().path + "-wal"
      return try FileManager.default.attributesOfItem(atPath: path)[.size] as? Int ?? 0
    }
    for round in 1..<40 { try store.insert((round * 1000)...(round * 1000 + 999)) }
    #expect(try logSize() < 600 * 4120)
    #expect(try idle.ids(Query(entity: 0)).count > 10)
    idle.end()
    let cursor = try busy.cursor(Query(entity: 0))
    var count = 0
    while try cursor.next() != nil {
      count += 1
      guard count == 10 else { continue }
      for round in 40..<60 { try store.insert((round * 1000)...(round * 1000 + 999)) }
    }
    #expect(count == 10 + 39 * 1000)
  }

  @Test("A backup is the store as of one moment, while others write") func backup() async throws {
    let store = try await SQLiteStore.open(at: folder.file(), entities)
    try store.insert(1...5000)
    let copy = folder.url.appending(path: "copy")
    let writer = Task.detached {
      for id in 5001...5100 { try store.insert(id...id) }
    }
    try await store.backup(to: copy)
    try await writer.value
    let other = try await SQLiteStore.open(at: copy, entities)
    #expect(other.id == store.id)
    #expect((5000...5100).contains(try other.itemCount()))
    #expect(try await other.check() == [])
    await #expect(throws: GraphError.self) { try await store.backup(to: copy) }
    #expect(try folder.names.filter { $0.contains("-new-") } == [])
    let task = Task.detached { [folder] in
      try await store.backup(to: folder.url.appending(path: "cancelled"))
    }
    task.cancel()
    _ = await task.result
    #expect(try folder.names.filter { $0.contains("-new-") } == [])
  }

  @Test("A backup is not made beside another file's log") func backupBesideLog() async throws {
    let store = try await SQLiteStore.open(at: folder.file(), entities)
    try store.insert(1...50)
    let target = folder.url.appending(path: "backup.store")
    try FileManager.default.copyItem(
      atPath: folder.file().path + "-wal", toPath: target.path + "-wal")
    await #expect(throws: GraphError.self) { try await store.backup(to: target) }
    #expect(try folder.names.filter { $0.hasPrefix("backup") } == ["backup.store-wal"])
  }

  @Test("Values that somebody spelled otherwise are updated and deleted like any")
  func otherSpelling() async throws {
    let store = try await SQLiteStore.open(at: folder.file(), [Ident.self])
    let values = "5, '0b9d5c0e-1c7f-4f6d-9a5c-6d4d1d2f3a4b', 'http://a/ä b'"
    #expect(try folder.sqlite3("INSERT INTO Ident (id, token, url) VALUES (\(values))").isEmpty)
    func edit(_ body: (ObjectContext, Object<Ident>) throws -> Void) throws {
      let context = store.makeContext()
      try body(context, try context.object(with: Ref(key: 5)))
      #expect(throws: Never.self) { try context.save() }
      context.discard()
    }
    try edit { _, ident in ident.token = UUID() }
    try edit { _, ident in ident.url = URL(string: "http://b/") }
    try edit { context, ident in try context.delete(ident) }
    #expect(try folder.sqlite3("SELECT count(*) FROM Ident") == "0")
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
