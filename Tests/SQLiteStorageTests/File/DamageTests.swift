import Foundation
import LineageTestSupport
import ObjectGraph
import SQLiteStorage
import Testing

@Suite("Damage is found, told, and never made worse") struct DamageTests {
  private let folder: Drawer
  private let entities: [any Entity.Type] = [Item.self, Box.self]
  /// The bytes of an undamaged store with a thousand items.
  private let whole: Data

  init() async throws {
    folder = try Drawer()
    let store = try await SQLiteStore.open(at: folder.file(), entities)
    try store.insert(1...1000)
    store.close()
    whole = try Data(contentsOf: folder.file())
  }

  private func opening(of bytes: Data) async throws -> Opening<SQLiteStore> {
    try bytes.write(to: folder.file())
    return await SQLiteStore.opening(at: folder.file(), entities)
  }

  /// Expects that the refused file has the given bytes, and that the folder has no other file.
  private func expectUntouched(_ bytes: Data, _ what: String) throws {
    #expect(try Data(contentsOf: folder.file()) == bytes, "\(what)")
    #expect(try folder.names == ["graph"], "\(what)")
  }

  @Test("A file cut anywhere is refused") func truncated() async throws {
    var cuts = Array(stride(from: 4096, to: whole.count, by: 4096))
    cuts += [1, 15, 16, 17, 50, 99, 100, 101, 511, 512, 4095, 4097, whole.count - 1]
    for cut in cuts {
      let bytes = whole.prefix(cut)
      let opening = try await opening(of: bytes)
      guard case .damaged = opening else { throw Unexpected("cut at \(cut): \(opening)") }
      try expectUntouched(bytes, "cut at \(cut)")
    }
  }

  @Test("A changed byte of the header is refused, or means nothing") func header() async throws {
    for place in 0..<100 {
      var bytes = whole
      bytes[place] ^= 0xff
      let opening = try await opening(of: bytes)
      if let store = opening.store {
        // The byte belongs to a counter or version that does not affect the content.
        #expect(try store.itemCount() == 1000, "byte \(place)")
        store.close()
      } else {
        try expectUntouched(bytes, "byte \(place)")
      }
    }
  }

  @Test(
    "A damaged page in the middle: opening works, the fetch that meets it throws, the rest works")
  func middlePage() async throws {
    for page in [6, 8, 9, 10] where page * 4096 < whole.count {
      var bytes = whole
      for place in 0..<200 { bytes[(page - 1) * 4096 + place] = 0xa5 }
      let opening = try await opening(of: bytes)
      guard let store = opening.store else { throw Unexpected(opening) }
      let reader = try store.makeReader()
      var found = 0
      var errors: [GraphError] = []
      for id in 1...1000 {
        do {
          if try reader.value(Ref<Item>(key: Int64(id)), in: store.model) != nil { found += 1 }
        } catch let error as GraphError {
          errors.append(error)
        }
      }
      reader.end()
      for error in errors {
        guard case .damaged = error.reason else { throw Unexpected(error) }
      }
      #expect(found > 0)
      if errors.isEmpty {
        // The damaged page belongs to an index, and reads by id do not use the index.
        #expect(found == 1000, "page \(page)")
      } else {
        #expect(throws: GraphError.self) { try store.itemCount() }
      }
      let damages = try await store.check()
      #expect(!damages.isEmpty, "page \(page)")
      #expect(damages.contains { $0.page == page } || damages.contains { $0.page == nil })
      store.close()
    }
  }

  @Test("Random damage never kills, and each failure is typed", arguments: 0..<60)
  func random(seed: Int) async throws {
    var random = SplitMix64(seed: UInt64(seed))
    var bytes = whole
    for _ in 0..<(1 + random.below(20)) {
      let start = random.below(bytes.count)
      let count = min(1 + random.below(50), bytes.count - start)
      for place in start..<(start + count) { bytes[place] = UInt8(random.below(256)) }
    }
    let opening = try await opening(of: bytes)
    guard let store = opening.store else { return try expectUntouched(bytes, "seed \(seed)") }
    func attempt(_ body: () throws -> Void) {
      do { try body() } catch is GraphError {} catch is CommitConflict {} catch {
        Issue.record("seed \(seed): \(error)")
      }
    }
    attempt { _ = try store.itemCount() }
    attempt {
      let count = PropertyPath(name: "count")
      _ = try store.makeReader().ids(
        Query(entity: 0, condition: .compare(count, .greater, .integer(500))))
    }
    for id in stride(from: 1, to: 1000, by: 7) { attempt { _ = try store.item(id) } }
    attempt { try store.insert(2000...2100) }
    attempt { try store.setCount(500, from: 500, to: 1) }
    _ = try? await store.check()
    store.close()
  }

  @Test("After an unclean end the whole file is looked at") func unclean() async throws {
    var bytes = whole
    for place in 0..<200 { bytes[bytes.count - 4096 * 2 + place] = 0xa5 }
    try bytes.write(to: folder.file())
    // A log that no process has open. Its content does not matter.
    let log = Data(repeating: 0, count: 100)
    let beside = URL(fileURLWithPath: folder.file().path + "-wal")
    try log.write(to: beside)
    let opening = await SQLiteStore.opening(at: folder.file(), entities)
    guard case .damaged = opening else { throw Unexpected(opening) }
    #expect(try Data(contentsOf: folder.file()) == bytes)
  }

  @Test("A newer format is newer, whatever else it lacks") func newerFormat() async throws {
    for sql in ["DELETE FROM lineage_store WHERE key = 'hashes'", "DROP TABLE lineage_log"] {
      try whole.write(to: folder.file())
      try folder.sqlite3("UPDATE lineage_store SET value = '2' WHERE key = 'format'; \(sql)")
      let opening = await SQLiteStore.opening(at: folder.file(), entities)
      guard case .newer(found: 2, known: 1) = opening else {
        throw Unexpected("\(sql): \(opening)")
      }
    }
  }

  @Test("Tables that somebody else dropped or changed are told by name") func schema() async throws
  {
    for (sql, name) in [
      ("DROP TABLE Item", "Item"), ("ALTER TABLE Box RENAME COLUMN label TO x", "Box.label"),
      ("DELETE FROM lineage_store WHERE key = 'id'", "lineage_store"),
    ] {
      try whole.write(to: folder.file())
      try folder.sqlite3(sql)
      let opening = await SQLiteStore.opening(at: folder.file(), entities)
      guard case .damaged(let message) = opening else { throw Unexpected("\(sql): \(opening)") }
      #expect(message.contains(name))
    }
    try whole.write(to: folder.file())
    try folder.sqlite3("CREATE INDEX mine ON Item (name, count); CREATE VIEW v AS SELECT 1; VACUUM")
    let opening = await SQLiteStore.opening(at: folder.file(), entities)
    guard case .ready(let store) = opening else { throw Unexpected(opening) }
    #expect(try store.itemCount() == 1000)
  }
}
