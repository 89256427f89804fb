import Foundation
import LineageTestSupport
import ObjectGraph
import SQLiteStorage
import Testing

@Suite("A refused file keeps its bytes, and its log") struct LeftoverTests {
  private let folder: Drawer
  private static let entities: [any Entity.Type] = [Item.self, Box.self]

  init() throws { folder = try Drawer() }

  private var log: URL { URL(fileURLWithPath: folder.file().path + "-wal") }
  private var journal: URL { URL(fileURLWithPath: folder.file().path + "-journal") }

  /// Creates the file and a log that is not empty, as a killed program leaves them.
  private func leave(_ migrations: [Migration] = []) async throws {
    let place = folder.url.appending(path: "killed")
    let first = try await SQLiteStore.open(at: place, Self.entities, migrations: migrations)
    try first.insert(1...500)
    first.close()
    let store = try await SQLiteStore.open(at: place, Self.entities, migrations: migrations)
    // Changes one or two pages, so that the log covers little of the file.
    try store.setCount(1, from: 1, to: 0)
    try FileManager.default.copyItem(at: place, to: folder.file())
    try FileManager.default.copyItem(atPath: place.path + "-wal", toPath: log.path)
    store.close()
    try FileManager.default.removeItem(at: place)
  }

  /// Opens the file, and expects that it is refused. The file and the file `beside` it must keep
  /// their bytes.
  private func refusal(
    _ entities: [any Entity.Type] = entities, _ migrations: [Migration] = [], beside: URL? = nil
  ) async throws -> Opening<SQLiteStore> {
    let beside = beside ?? log
    let before = (try Data(contentsOf: folder.file()), try Data(contentsOf: beside))
    let opening = await SQLiteStore.opening(
      at: folder.file(), entities, migrations: migrations)
    #expect(opening.store == nil)
    #expect(try Data(contentsOf: folder.file()) == before.0, "\(opening)")
    #expect(try Data(contentsOf: beside) == before.1, "\(opening)")
    return opening
  }

  @Test("newer") func newer() async throws {
    try await leave([Migration(to: 4, "later") { _ in }])
    let opening = try await refusal()
    guard case .newer(found: 4, known: 1) = opening else { throw Unexpected(opening) }
  }

  @Test("changed, and a step that fails") func changed() async throws {
    try await leave()
    let opening = try await refusal([Other.Item.self])
    guard case .changed = opening else { throw Unexpected(opening) }
    let step = Migration(to: 2, "fail") { file in
      try file.execute("INSERT INTO Box (label) VALUES (hex(zeroblob(20000)))")
      throw Unexpected("a step")
    }
    let failed = try await refusal(Self.entities, [step])
    guard case .stepFailed = failed else { throw Unexpected(failed) }
  }

  @Test("damaged: the table of tables, or a page of a table") func damaged() async throws {
    try await leave()
    let whole = try Data(contentsOf: folder.file())
    for place in [100..<120, whole.count - 4096..<whole.count - 4000] {
      var bytes = whole
      for index in place { bytes[index] = 0xa5 }
      try bytes.write(to: folder.file())
      let opening = try await refusal()
      guard case .damaged = opening else { throw Unexpected("\(place): \(opening)") }
    }
  }

  @Test("cancelled") func cancelled() async throws {
    try await leave()
    let step = Migration(to: 2, "cancel") { file in
      try file.execute("UPDATE Item SET count = 0")
    }
    let before = (try Data(contentsOf: folder.file()), try Data(contentsOf: log))
    let (started, start) = AsyncStream.makeStream(of: Void.self)
    let task = Task.detached { [folder] in
      await SQLiteStore.opening(at: folder.file(), Self.entities, migrations: [step]) { progress in
        guard progress.step == "cancel" else { return }
        start.yield()
        // Waits until the test has cancelled the task. Otherwise the step could end first.
        while !Self.isDone.isRaised { usleep(1000) }
      }
    }
    for await _ in started { break }
    task.cancel()
    Self.isDone.raise()
    let opening = await task.value
    guard case .cancelled = opening else { throw Unexpected(opening) }
    #expect(try Data(contentsOf: folder.file()) == before.0)
    #expect(try Data(contentsOf: log) == before.1)
  }

  private static let isDone = Flag()

  @Test("another program's database, killed while it wrote with a rollback journal")
  func journalOfOther() async throws {
    // With a cache of one page, SQLite writes to the file before the transaction ends.
    let other = try OtherProcess.sqlite3(folder.file())
    try other.say("CREATE TABLE a (b); INSERT INTO a VALUES (1);")
    try other.say("PRAGMA cache_size = 1; BEGIN; CREATE TABLE more (n);")
    try other.say("INSERT INTO more SELECT hex(zeroblob(2000)) FROM pragma_function_list;")
    try other.say("SELECT 'written';")
    #expect(other.waits(for: "written"))
    other.kill()
    let opening = try await refusal(beside: journal)
    guard case .notAStore = opening else { throw Unexpected(opening) }
  }

  @Test(
    "a store that another program left with a rollback journal: refused, or taken back to before")
  func journalOfStore() async throws {
    let store = try await SQLiteStore.open(at: folder.file(), Self.entities)
    try store.insert(1...500)
    store.close()
    let other = try OtherProcess.sqlite3(folder.file())
    try other.say("PRAGMA journal_mode = DELETE; PRAGMA cache_size = 1; BEGIN;")
    try other.say("UPDATE Item SET name = name || hex(zeroblob(500)); SELECT 'written';")
    #expect(other.waits(for: "written"))
    other.kill()
    #expect(try Data(contentsOf: journal).isEmpty == false)
    let opening = try await refusal([Other.Item.self], beside: journal)
    guard case .changed = opening else { throw Unexpected(opening) }
    #expect(try folder.names == ["graph", "graph-journal"])
    let again = try await SQLiteStore.open(at: folder.file(), Self.entities)
    #expect(try again.item(500)?.name == "i500")
    #expect(try again.itemCount() == 500)
    #expect(try await again.check() == [])
  }
}

/// The entities of another program, in which the name of an item is a number.
private enum Other {
  struct Item: Entity {
    var name = 0
    static let schema = Schema<Item>("Item") { Attribute("name", \.name) }
  }
}
