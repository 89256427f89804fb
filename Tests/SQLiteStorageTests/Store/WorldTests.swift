import Foundation
import LineageTestSupport
import ObjectGraph
import SQLiteStorage
import Testing

@Suite("What the world does to a healthy file", .serialized) struct WorldTests {
  private let folder: Drawer
  private let entities: [any Entity.Type] = [Sample.self, Group.self]

  init() throws { folder = try Drawer() }

  /// Creates a store, runs a command of the probe on it, and returns the lines of the output.
  private func lines(_ command: String) async throws -> [String] {
    try await SQLiteStore.open(at: folder.file(), entities).close()
    return try OtherProcess.probe(command, folder.file().path).end().split(separator: "\n")
      .map(String.init)
  }

  @Test("A save that may not write the file fails, and the next one that may saves")
  func unwritable() async throws {
    let said = try await lines("unwritable")
    #expect(said.count == 4)
    #expect(said.first?.contains("the store is read-only") == true)
    // SQLite itself restores the permissions of the log.
    #expect(said.dropFirst().allSatisfy { $0 == "saved" })
  }

  @Test("A save without a free descriptor fails, and the next one that has some saves")
  func noDescriptorToWrite() async throws {
    let said = try await lines("writeWithoutDescriptors")
    #expect(said.count > 1)
    #expect(said.last?.hasSuffix(": saved, saved") == true)
    for line in said {
      #expect(line.hasSuffix(", saved"))
      #expect(!line.contains("read-only"))
    }
  }

  @Test("An opening without a free descriptor failed; the file is not damaged")
  func noDescriptorToOpen() async throws {
    let said = try await lines("openWithoutDescriptors")
    #expect(said.count > 1)
    #expect(said.last?.hasSuffix(": ready") == true)
    for line in said.dropLast() { #expect(line.contains(": failed")) }
  }

  @Test("A name that is too long, and links in a circle, are told as what they are")
  func names() async throws {
    let long = folder.url.appending(path: String(repeating: "x", count: 300))
    let (one, other) = (folder.url.appending(path: "one"), folder.url.appending(path: "other"))
    try FileManager.default.createSymbolicLink(at: one, withDestinationURL: other)
    try FileManager.default.createSymbolicLink(at: other, withDestinationURL: one)
    for (url, words) in [(long, "too long"), (one, "symbolic links")] {
      let opening = await SQLiteStore.opening(at: url, entities)
      guard case .failed(let error) = opening, case .inputOutput(let message) = error.reason else {
        throw Unexpected(opening)
      }
      #expect(message.contains(words))
    }
    #expect(try folder.names == ["one", "other"])
  }

  @Test("In a folder that may not be written a store is not permitted, or read-only if so asked")
  func readOnlyFolder() async throws {
    let said = try await lines("readOnlyFolder")
    #expect(said.count == 4)
    #expect(said.first?.hasPrefix("noPermission the folder") == true)
    #expect(said.dropFirst().prefix(2) == ["readOnly", "rows 0"])
    #expect(said.last?.hasPrefix("noPermission the folder") == true)
  }

  @Test("A file that may not grow is a full disk, and a migration leaves it as it was")
  func fullMigration() async throws {
    try await SQLiteStore.open(at: folder.file(), entities).close()
    let bytes = try Data(contentsOf: folder.file())
    let said = try OtherProcess.probe("limitedMigration", folder.file().path).end()
    #expect(said == "failed the disk is full\n")
    #expect(try Data(contentsOf: folder.file()) == bytes)
  }

  @Test("Two links to a file that are opened at once give one store") func links() async throws {
    try await SQLiteStore.open(at: folder.file(), entities).close()
    let link = folder.url.appending(path: "link")
    try FileManager.default.linkItem(at: folder.file(), to: link)
    for _ in 0..<100 {
      async let one = SQLiteStore.opening(at: folder.file(), entities)
      async let other = SQLiteStore.opening(at: link, entities)
      let stores = await [one.store, other.store]
      let store = try #require(stores[0])
      #expect(stores[1] === store)
      store.close()
    }
  }

  @Test("Also when the file is linked while it is being made") func linkOfNewFile() async throws {
    for round in 0..<50 {
      let file = folder.url.appending(path: "\(round)")
      let link = folder.url.appending(path: "\(round).link")
      let other = Task.detached { [entities] in
        while Foundation.link(file.path, link.path) != 0 { await Task.yield() }
        return await SQLiteStore.opening(at: link, entities)
      }
      let store = try #require(await SQLiteStore.opening(at: file, entities).store)
      #expect(await other.value.store === store)
      store.close()
    }
  }

  @Test("A URL that names no file is told as such") func noFile() async throws {
    for text in ["https://example.com/cards.sqlite", "lineage://a/b"] {
      let url = try #require(URL(string: text))
      let opening = await SQLiteStore.opening(at: url, entities)
      guard case .failed(let error) = opening else { throw Unexpected(opening) }
      #expect("\(error)" == "could not open \(text): the URL names no file")
      let thrown = await #expect(throws: OpeningError.self) {
        try await SQLiteStore.open(at: url, entities)
      }
      let told = try #require(thrown)
      #expect("\(told)" == "could not open \(text): the URL names no file")
    }
    let store = try await SQLiteStore.open(at: folder.file(), entities)
    let elsewhere = try #require(URL(string: "https://example.com/backup"))
    await #expect(throws: GraphError.self) { try await store.backup(to: elsewhere) }
  }

  @Test("A file that is deleted while it is open serves its store to the end, and then is gone")
  func deleted() async throws {
    let store = try await SQLiteStore.open(at: folder.file(), entities)
    func insert(_ id: Int) throws {
      try store.commit([.insert(Ref<Group>(key: Int64(id)), Group(), in: store.model)], from: nil)
    }
    try insert(1)
    try FileManager.default.removeItem(at: folder.file())
    try insert(2)
    #expect(try store.makeReader().ids(Query(entity: 1)) == [1, 2])
    let opening = await SQLiteStore.opening(at: folder.file(), entities)
    guard case .damaged = opening else { throw Unexpected(opening) }
    store.close()
    #expect(try folder.names.contains("graph") == false)
  }

  @Test("A log that is lost takes along what was saved last, and nothing says so")
  func lostLog() async throws {
    let store = try await SQLiteStore.open(at: folder.file(), entities)
    try store.commit([.insert(Ref<Group>(key: 1), Group(), in: store.model)], from: nil)
    let copy = folder.url.appending(path: "copy")
    try FileManager.default.copyItem(at: folder.file(), to: copy)
    let opening = await SQLiteStore.opening(at: copy, entities)
    guard case .ready(let other) = opening else { throw Unexpected(opening) }
    #expect(try other.makeReader().ids(Query(entity: 1)) == [])
    #expect(try await other.check() == [])
  }

  @Test("Minus zero comes back as zero, which it equals") func minusZero() async throws {
    let store = try await SQLiteStore.open(at: folder.file(), entities)
    var sample = Sample()
    sample.score = -0.0
    try store.commit([.insert(Ref<Sample>(key: 1), sample, in: store.model)], from: nil)
    let found = try store.makeReader().value(Ref<Sample>(key: 1), in: store.model)
    #expect(found?.score == 0 && found?.score.sign == .plus)
  }
}
