import Foundation
import LineageTestSupport
import ObjectGraph
import SQLiteStorage
import Testing

@Suite("News of commits") struct NewsTests {
  private let folder: Drawer
  private let store: SQLiteStore
  private let inbox = Inbox()

  init() async throws {
    folder = try Drawer()
    store = try await SQLiteStore.open(at: folder.file(), [Sample.self, Group.self])
    store.subscribe(inbox)
  }

  private func look() throws -> News {
    try store.postForeignCommits()
    return inbox.take()
  }

  private func insert(_ ids: ClosedRange<Int>, from sender: Inbox? = nil) throws {
    try store.commit(
      ids.map { .insert(Ref(key: Int64($0)), Group(), in: store.model) }, from: sender)
  }

  private func probe(_ first: Int, _ last: Int) throws {
    let said = try OtherProcess.probe("insert", folder.file().path, "\(first)", "\(last)").end()
    #expect(said.contains("done"), "\(said)")
  }

  @Test("Nothing happened, nothing is told; one's own commits are not told to oneself")
  func nothing() throws {
    #expect(try look().isEmpty)
    try insert(1...10, from: inbox)
    #expect(try look().isEmpty)
    try insert(11...11)
    #expect(inbox.take().touched == [1: [11]])
    #expect(try look().isEmpty)
  }

  @Test("Another process's commits are told by id, once") func process() throws {
    try probe(1, 3)
    let news = try look()
    #expect(news.touched == [1: [1, 2, 3]])
    #expect(!news.isEverything)
    #expect(try look().isEmpty)
    try insert(4...4, from: inbox)
    try probe(5, 5)
    try insert(6...6, from: inbox)
    // The insertion of row 6 has already looked for the probe's commit.
    let second = inbox.take()
    #expect(second.touched == [1: [5]] && !second.isEverything)
    #expect(try look().isEmpty)
  }

  @Test("While a token lives, others' commits are told by themselves; all are one", .hangGuard)
  func token() async throws {
    var token = store.observeForeignCommits()
    #expect(token != nil && token === store.observeForeignCommits())
    try probe(1, 3)
    while inbox.isEmpty { try await Task.sleep(for: .milliseconds(10)) }
    #expect(inbox.take().touched == [1: [1, 2, 3]])
    weak let poller = token
    token = nil
    #expect(poller == nil)
    #expect(try MemoryStore([Sample.self, Group.self]).observeForeignCommits() == nil)
  }

  @Test("A commit too large to tell is everything") func large() throws {
    try probe(1, 6000)
    #expect(try look().isEverything)
    #expect(try look().isEmpty)
  }

  @Test("A row changed by the sqlite3 program is everything, once") func foreign() throws {
    try insert(1...2, from: inbox)
    try folder.sqlite3("UPDATE \"Group\" SET weight = 9 WHERE id = 1")
    #expect(try look().isEverything)
    #expect(try look().isEmpty)
    #expect(try store.makeReader().value(Ref<Group>(key: 1), in: store.model)?.weight == 9)
  }

  @Test("A list hears of commits by reading, also after a slice of news without ids")
  func everythingInASlice() throws {
    try insert(1...1)
    try folder.sqlite3("UPDATE \"Group\" SET weight = 8 WHERE id = 1")
    let context = store.makeContext()
    let list = try LiveList(FetchRequest<Group>(where: { $0.weight == nil }), in: context)
    try context.merge()
    try folder.sqlite3("UPDATE \"Group\" SET weight = 9 WHERE id = 1")
    // The context has no object of the row, so there is nothing to merge.
    #expect(try !context.merge(upTo: 40))
    #expect(list.isEmpty)
    try insert(2...2)
    #expect(context.read { list.count } == 1)
  }

  @Test("Also when another process commits before and after it") func mixed() throws {
    try probe(1, 1)
    try folder.sqlite3("UPDATE \"Group\" SET weight = 9 WHERE id = 1")
    try probe(2, 2)
    #expect(try look().isEverything)
    try probe(3, 3)
    let news = try look()
    #expect(news.touched == [1: [3]] && !news.isEverything)
  }

  @Test("Also when only a commit of one's own comes after it") func beforeOwn() throws {
    try insert(1...1, from: inbox)
    try folder.sqlite3("UPDATE \"Group\" SET weight = 9 WHERE id = 1")
    try insert(2...2, from: inbox)
    #expect(inbox.take().isEverything)
    #expect(try look().isEmpty)
  }

  @Test("Many own commits, the log begun anew among them, are never mistaken for others'")
  func checkpoints() throws {
    var id = 1
    for _ in 0..<30 {
      try insert(id...(id + 3000), from: inbox)
      id += 3001
      #expect(try look().isEmpty)
    }
  }

  /// Makes commits of one page each after the log was begun anew. In this case, the length of the
  /// log does not always show that the log was begun anew.
  @Test("A log that others began anew is told, however long it is by then", arguments: 1...6)
  func begunAnew(_ commits: Int) throws {
    for id in 1...3 { try insert(id...id, from: inbox) }
    #expect(try look().isEmpty)
    for id in 4...6 { try insert(id...id, from: inbox) }
    try folder.sqlite3("PRAGMA wal_checkpoint(RESTART)")
    for weight in 1...commits {
      try folder.sqlite3("UPDATE \"Group\" SET weight = \(weight) WHERE id = 1")
    }
    #expect(try look().isEverything)
    #expect(try look().isEmpty)
    for id in 7...9 { try insert(id...id, from: inbox) }
    #expect(try look().isEmpty)
  }

  @Test("The log of changes is written while others are there, and stays short")
  func trimmed() throws {
    try insert(2001...2001, from: inbox)
    #expect(try folder.sqlite3("SELECT count(*) FROM lineage_log") == "0")
    let other = try OtherProcess.probe("wait", folder.file().path)
    #expect(other.waits(for: "open"))
    for id in 1...1000 { try insert(id...id, from: inbox) }
    let count = Int(try folder.sqlite3("SELECT count(*) FROM lineage_log")) ?? 0
    #expect(count <= 320 && count >= 250)
  }
}
