import Foundation
import LineageTestSupport
import ObjectGraph
import SQLiteStorage
import Testing

@Suite("Files that would never end") struct StrangeFileTests {
  private let folder: Drawer
  private let entities: [any Entity.Type] = [Item.self, Box.self]
  private static let endless =
    "WITH RECURSIVE more (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM more)"

  init() async throws {
    folder = try Drawer()
    try await SQLiteStore.open(at: folder.file(), entities).close()
  }

  @Test(
    "What stands in a table's place is refused, by its name",
    arguments: [
      (
        "ALTER TABLE lineage_store RENAME TO other; CREATE VIEW lineage_store AS \(endless)"
          + " SELECT 'k' || n AS key, 'v' AS value FROM more", "lineage_store is a view"
      ),
      (
        "DROP TABLE lineage_log; CREATE VIEW lineage_log AS \(endless)"
          + " SELECT n AS generation, n AS writer, NULL AS changes FROM more",
        "lineage_log is a view"
      ),
      (
        "DROP TABLE Item; CREATE VIEW item AS \(endless)"
          + " SELECT n AS id, 'x' AS name, n AS count, NULL AS box FROM more", "item is a view"
      ),
      (
        "DROP TABLE Box; CREATE VIRTUAL TABLE Box USING fts5 (label)", "Box is a virtual table"
      ),
      (
        "CREATE TRIGGER endless BEFORE UPDATE ON lineage_store BEGIN"
          + " SELECT count(*) FROM lineage_store AS a, lineage_store AS b; END",
        "lineage_store has a trigger, endless"
      ),
    ])
  func refused(sql: String, message: String) async throws {
    #expect(try folder.sqlite3(sql) == "")
    // Makes the file look as if no table was changed since the last opening.
    try folder.sqlite3(
      "UPDATE \(sql.contains("RENAME") ? "other" : "lineage_store") SET value ="
        + " (SELECT schema_version FROM pragma_schema_version) WHERE key = 'cookie'")
    let bytes = try Data(contentsOf: folder.file())
    let opening = await SQLiteStore.opening(at: folder.file(), entities)
    guard case .damaged(let found) = opening else { throw Unexpected(opening) }
    #expect(found.hasPrefix(message))
    #expect(try Data(contentsOf: folder.file()) == bytes)
  }

  @Test("Views and triggers of one's own may be there") func foreign() async throws {
    try folder.sqlite3(
      "CREATE VIEW endless AS \(Self.endless) SELECT n FROM more;"
        + "CREATE TABLE seen (id); CREATE VIEW few AS SELECT count(*) AS n FROM Item;"
        + "CREATE TRIGGER count AFTER INSERT ON Item BEGIN INSERT INTO seen SELECT n FROM few; END")
    let store = try await SQLiteStore.open(at: folder.file(), entities)
    try store.insert(1...3)
    #expect(try folder.sqlite3("SELECT max(id) FROM seen") == "3")
  }

  @Test("A view in place of a table, made while the store is open, is an error, not an end")
  func laterView() async throws {
    let store = try await SQLiteStore.open(at: folder.file(), entities)
    try folder.sqlite3(
      "DROP TABLE Item; CREATE VIEW Item AS \(Self.endless)"
        + " SELECT n AS id, 'x' AS name, n AS count, NULL AS box FROM more")
    #expect(throws: GraphError.self) { try store.itemCount() }
    #expect(throws: GraphError.self) { try store.item(1) }
  }

  @Test("A trigger that never ends, met by a migration: cancelling ends the opening", .hangGuard)
  func trigger() async throws {
    let bytes = try await plantEndlessTrigger(folder)
    let task = await startMigration(folder)
    task.cancel()
    let opening = await task.value
    guard case .cancelled = opening else { throw Unexpected(opening) }
    #expect(try Data(contentsOf: folder.file()) == bytes)
  }

  @Test("More openings than processors, none of which ends, leave tasks their threads", .hangGuard)
  func openings() async throws {
    let folders = try (0...ProcessInfo.processInfo.activeProcessorCount).map { _ in
      try Drawer()
    }
    for folder in folders {
      try await SQLiteStore.open(at: folder.file(), entities).close()
      _ = try await plantEndlessTrigger(folder)
    }
    var tasks: [Task<Opening<SQLiteStore>, Never>] = []
    for folder in folders { tasks.append(await startMigration(folder)) }
    tasks.forEach { $0.cancel() }
    for task in tasks {
      let opening = await task.value
      guard case .cancelled = opening else { throw Unexpected(opening) }
    }
  }

  /// Adds a trigger that makes each update of an item run for ever. Returns the bytes of the file.
  private func plantEndlessTrigger(_ folder: Drawer) async throws -> Data {
    let store = try await SQLiteStore.open(at: folder.file(), entities)
    try store.insert(1...1)
    store.close()
    try folder.sqlite3(
      "CREATE TABLE hole (n); CREATE VIEW more AS \(Self.endless) SELECT n FROM more;"
        + "CREATE TRIGGER endless AFTER UPDATE ON Item BEGIN"
        + " INSERT INTO hole SELECT count(*) FROM more; END")
    return try Data(contentsOf: folder.file())
  }

  /// Starts an opening with a migration, and returns the task after the migration has begun.
  private func startMigration(_ folder: Drawer) async -> Task<Opening<SQLiteStore>, Never> {
    let step = Migration(to: 2, "count") { file in try file.execute("UPDATE Item SET count = 5") }
    let (started, start) = AsyncStream.makeStream(of: Void.self)
    let task = Task.detached { [entities] in
      await SQLiteStore.opening(at: folder.file(), entities, migrations: [step]) { _ in
        start.yield()
      }
    }
    for await _ in started { break }
    return task
  }

  @Test("Waiting for another program's lock: cancelling ends the opening", .hangGuard)
  func waiting() async throws {
    let other = try OtherProcess.sqlite3(folder.file())
    try other.say("PRAGMA locking_mode=exclusive; BEGIN EXCLUSIVE; SELECT 'held';")
    #expect(other.waits(for: "held"))
    let task = Task.detached { [folder, entities] in
      await SQLiteStore.opening(
        at: folder.file(), entities, options: StoreOptions(timeout: 1_000_000))
    }
    try await Task.sleep(for: .milliseconds(50))
    task.cancel()
    let opening = await task.value
    guard case .cancelled = opening else { throw Unexpected(opening) }
  }
}
