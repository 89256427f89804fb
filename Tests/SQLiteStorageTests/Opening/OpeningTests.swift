import Foundation
import LineageTestSupport
import ObjectGraph
import SQLiteStorage
import Testing

@Suite("An opening says what became of it") struct OpeningTests {
  private let folder: Drawer
  private var file: URL { folder.file() }

  init() throws { folder = try Drawer() }

  private func opening(
    _ entities: [any Entity.Type] = [Item.self, Box.self], _ options: StoreOptions = StoreOptions()
  ) async -> Opening<SQLiteStore> {
    await SQLiteStore.opening(at: file, entities, options: options)
  }

  @Test("created, then ready, with nothing left behind in the folder") func createdThenReady()
    async throws
  {
    let first = await opening()
    guard case .created(let store) = first else { throw Unexpected(first) }
    store.close()
    #expect(try folder.names == ["graph"])
    let second = await opening()
    guard case .ready(let again) = second else { throw Unexpected(second) }
    #expect(again.id == store.id)
    again.close()
    #expect(try folder.names == ["graph"])
  }

  @Test("missing, unless a file may be made") func missing() async throws {
    let opening = await opening([Item.self, Box.self], StoreOptions(creates: false))
    guard case .missing = opening else { throw Unexpected(opening) }
    #expect(try folder.names == [])
  }

  @Test("missing folders are an error that says so") func missingFolder() async throws {
    let url = folder.url.appending(path: "no/where/graph")
    let opening = await SQLiteStore.opening(at: url, [Item.self, Box.self])
    guard case .failed(let error) = opening, case .inputOutput = error.reason else {
      throw Unexpected(opening)
    }
  }

  @Test("empty: a file without bytes is no empty store") func empty() async throws {
    try Data().write(to: file)
    let opening = await opening()
    guard case .empty = opening else { throw Unexpected(opening) }
    // Foundation's Data(contentsOf:) leaks its buffer when the file is empty.
    #expect(try FileHandle(forReadingFrom: file).readToEnd() == nil)
    #expect(try folder.names == ["graph"])
  }

  @Test("a directory") func directory() async throws {
    try FileManager.default.createDirectory(at: file, withIntermediateDirectories: true)
    let opening = await opening()
    guard case .directory = opening else { throw Unexpected(opening) }
  }

  @Test(
    "not a database: whatever begins otherwise",
    arguments: ["x", "SQLite format 4", "SQLite format 3", String(repeating: "hello ", count: 999)])
  func notADatabase(text: String) async throws {
    let bytes = Data(text.utf8)
    try bytes.write(to: file)
    let opening = await opening()
    switch opening {
    case .notADatabase: #expect(text != "SQLite format 3")
    case .damaged: #expect(text == "SQLite format 3")
    default: throw Unexpected(opening)
    }
    #expect(try Data(contentsOf: file) == bytes)
    #expect(try folder.names == ["graph"])
  }

  @Test("a database of somebody else") func notAStore() async throws {
    try folder.sqlite3("CREATE TABLE a (b); INSERT INTO a VALUES (1)")
    let bytes = try Data(contentsOf: file)
    let opening = await opening()
    guard case .notAStore = opening else { throw Unexpected(opening) }
    #expect(try Data(contentsOf: file) == bytes)
    #expect(try folder.names == ["graph"])
  }

  @Test("locked, when another program keeps it so") func locked() async throws {
    guard let store = await opening().store else { return }
    store.close()
    let other = try OtherProcess.sqlite3(file)
    try other.say("PRAGMA locking_mode=exclusive; BEGIN EXCLUSIVE; SELECT 'held';")
    #expect(other.waits(for: "held"))
    let opening = await opening([Item.self, Box.self], StoreOptions(timeout: 0.1))
    guard case .locked = opening else { throw Unexpected(opening) }
  }

  @Test("a schema with mistakes is thrown as such") func mistakes() async throws {
    await #expect(throws: GraphError.self) {
      _ = try await SQLiteStore.open(at: file, [Item.self])
    }
    #expect(try folder.names == [])
  }

  @Test("open throws what is not usable, with the path") func throwing() async throws {
    try Data().write(to: file)
    do {
      _ = try await SQLiteStore.open(at: file, [Item.self, Box.self])
      Issue.record("it opened")
    } catch let error as OpeningError {
      #expect(error.description.contains(file.path))
      guard case .empty = error.opening else { throw Unexpected(error.opening) }
    }
  }

  @Test("read only, as asked: it reads, and a save is refused") func readOnly() async throws {
    guard let store = await opening().store else { return }
    try store.insert(1...10)
    store.close()
    let bytes = try Data(contentsOf: file)
    let opening = await opening([Item.self, Box.self], StoreOptions(isReadOnly: true))
    guard case .readOnly(let reading) = opening else { throw Unexpected(opening) }
    #expect(try reading.itemCount() == 10)
    let error = #expect(throws: GraphError.self) { try reading.insert(11...11) }
    guard case .readOnly? = error?.reason else { throw Unexpected(opening) }
    reading.close()
    #expect(try Data(contentsOf: file) == bytes)
  }

  @Test("cancelled: it ends with no file and no lock") func cancelled() async throws {
    let (folder, url) = (folder, file)
    for _ in 0..<20 {
      let task = Task.detached { await SQLiteStore.opening(at: url, [Item.self, Box.self]) }
      task.cancel()
      switch await task.value {
      case .cancelled: continue
      case .created(let store), .ready(let store): store.close()
      case let other: throw Unexpected(other)
      }
    }
    let store = try await SQLiteStore.open(at: url, [Item.self, Box.self])
    try store.insert(1...1)
    store.close()
    #expect(try folder.names == ["graph"])
  }

  @Test("damaged: a log whose file is gone is not taken for that of a new one") func lonelyLog()
    async throws
  {
    guard case .created(let store) = await opening() else { throw Unexpected("not created") }
    try store.insert(1...50)
    let log = URL(fileURLWithPath: file.path + "-wal")
    let bytes = try Data(contentsOf: log)
    #expect(!bytes.isEmpty)
    store.close()
    for name in try folder.names {
      try FileManager.default.removeItem(at: folder.url.appending(path: name))
    }
    // This is the state after a program was killed and only its main file was deleted.
    try bytes.write(to: log)
    let opening = await opening()
    guard case .damaged(let message) = opening else { throw Unexpected(opening) }
    #expect(message.contains(log.path))
    #expect(try Data(contentsOf: log) == bytes)
    #expect(try folder.names == ["graph-wal"])
  }

  @Test("ready: a file that keeps a rollback journal is read and written") func rollbackJournal()
    async throws
  {
    await opening().store?.close()
    #expect(try folder.sqlite3("PRAGMA journal_mode = DELETE") == "delete")
    let opening = await opening([Item.self, Box.self], StoreOptions(timeout: 0.5))
    guard case .ready(let store) = opening else { throw Unexpected(opening) }
    let reading = store.makeContext()
    #expect(try reading.count(Item.self) == 0)
    let writing = store.makeContext()
    try writing.insert(Item(name: "i"))
    #expect(throws: Never.self) { try writing.save() }
    writing.discard()
  }
}

/// The error of a test that gets an unexpected outcome.
struct Unexpected: Error, CustomStringConvertible {
  let description: String
  init(_ thing: Any) { description = "unexpected: \(thing)" }
}
