import Foundation
import LineageTestSupport
import ObjectGraph
import SQLiteStorage
import Testing

@Suite("Several processes, some of them killed", .serialized) struct ProcessTests {
  private let folder: Drawer
  private let entities: [any Entity.Type] = [Sample.self, Group.self]

  init() throws { folder = try Drawer() }

  private func open() async throws -> SQLiteStore {
    try await SQLiteStore.open(at: folder.file(), entities)
  }

  private func groups(_ store: SQLiteStore) throws -> [Group] {
    let reader = try store.makeReader()
    defer { reader.end() }
    return try reader.ids(Query(entity: 1)).compactMap {
      try reader.value(Ref<Group>(key: $0), in: store.model)
    }
  }

  @Test("Killed at any moment of saving 2,000 objects, the file shows exactly one whole save")
  func killed() async throws {
    var random = SplitMix64(seed: 9)
    let rounds = ProcessInfo.processInfo.environment["LINEAGE_KILLS"].flatMap { Int($0) } ?? 25
    var last = 0
    var longest = 40_000
    for round in 0..<rounds {
      let probe = try OtherProcess.probe("waves", folder.file().path)
      guard probe.waits(for: "ready") else { throw Unexpected(probe.end()) }
      usleep(UInt32(random.below(longest)))
      probe.kill()
      let store = try await open()
      let groups = try groups(store)
      #expect(groups.count == 2000)
      let weights = Set(groups.map(\.weight))
      #expect(weights.count == 1, "round \(round)")
      let weight = try #require(weights.first ?? nil)
      #expect(weight >= last)
      // If this round saved nothing, the machine is slow, and the next round waits longer.
      longest = weight > last ? 40_000 : min(longest * 2, 5_000_000)
      last = weight
      #expect(try await store.check() == [])
      store.close()
    }
    #expect(last > 1)
  }

  @Test("Killed in the middle of creating, the file is not there or whole") func killedCreating()
    async throws
  {
    var random = SplitMix64(seed: 3)
    for _ in 0..<15 {
      let probe = try OtherProcess.probe("create", folder.file().path)
      usleep(UInt32(random.below(25_000)))
      probe.kill()
      let store = try await open()
      #expect(try groups(store).isEmpty)
      store.close()
      // The creation of another file in the folder removes the leftovers of the killed process.
      try await SQLiteStore.open(at: folder.url.appending(path: "other"), entities).close()
      #expect(try folder.names.filter { $0.contains("-new-") } == [])
      for name in try folder.names {
        try FileManager.default.removeItem(at: folder.url.appending(path: name))
      }
    }
  }

  @Test("Killed in the middle of a migration, the file has its old version") func killedMigrating()
    async throws
  {
    let store = try await open()
    store.close()
    _ = try OtherProcess.probe("insert", folder.file().path, "1", "3000").end()
    let probe = try OtherProcess.probe("migrate", folder.file().path)
    guard probe.waits(for: "stepping") else { throw Unexpected(probe.end()) }
    probe.kill()
    let again = try await open()
    let groups = try groups(again)
    #expect(groups.count == 3000)
    #expect(groups.allSatisfy { $0.weight == 1 && $0.name.hasPrefix("group") })
  }

  @Test("A program whose file another one migrates is told so, and keeps what is unsaved")
  func migratedMeanwhile() async throws {
    let store = try await SQLiteStore.open(at: folder.file(), [Badge.self])
    let context = store.makeContext()
    try context.insert(Badge("first", code: 1))
    try context.save()
    let badge = try #require(try context.fetch(FetchRequest<Badge>()).first)
    // Other programs may add an index, which is no migration.
    try folder.sqlite3("CREATE INDEX codes ON Badge (code)")
    badge.code = 2
    try context.save()
    badge.code = 3
    #expect(try OtherProcess.probe("rename", folder.file().path).end().contains("done"))
    for attempt in [
      { try context.save() },
      { _ = try store.makeContext().fetch(FetchRequest<Badge>()) },
      { _ = try store.makeContext().object(with: badge.id) },
      { _ = try store.makeContext().sum(Badge.self, of: \.code) },
    ] as [() throws -> Void] {
      #expect {
        try attempt()
      } throws: {
        guard case .migrated(version: 2) = ($0 as? GraphError)?.reason else { return false }
        return "\($0)".contains("another process has migrated the store to version 2")
      }
    }
    #expect(badge.code == 3 && context.hasUnsavedChanges)
    #expect(try folder.sqlite3("SELECT number FROM Badge") == "2")
  }

  @Test("Two processes that change the same object lose no change") func increments() async throws {
    let store = try await open()
    _ = try OtherProcess.probe("insert", folder.file().path, "1", "1").end()
    let probes = try (0..<3).map { _ in
      try OtherProcess.probe("increment", folder.file().path, "1", "100")
    }
    for probe in probes { #expect(probe.end().contains("done")) }
    #expect(try groups(store).map(\.weight) == [301])
  }

  /// Runs 300 moves in each of three processes, and kills a fourth. With `LINEAGE_MOVES=60000` in
  /// the environment, the test takes about a minute and kills 300 processes, one after the other.
  @Test("Four processes that move small amounts, one killed now and then, keep the sum")
  func moves() async throws {
    let count = ProcessInfo.processInfo.environment["LINEAGE_MOVES"].flatMap { Int($0) } ?? 300
    let store = try await open()
    _ = try OtherProcess.probe("insert", folder.file().path, "1", "100").end()
    let probes = try (1...3).map {
      try OtherProcess.probe("move", folder.file().path, "\($0)", "\(count)")
    }
    for seed in 1...max(1, count / 200) {
      let victim = try OtherProcess.probe("move", folder.file().path, "\(100 + seed)", "1000000")
      #expect(victim.waits(for: "moved 100"))
      victim.kill()
    }
    for probe in probes { #expect(probe.end().contains("done")) }
    let weights = try groups(store).compactMap(\.weight)
    #expect(weights.count == 100 && weights.reduce(0, +) == 100)
    #expect(Set(weights).count > 1)
    #expect(try await store.check() == [])
  }

  @Test("Two processes that create the same file get one") func creators() async throws {
    for _ in 0..<5 {
      let probes = try (0..<3).map { _ in try OtherProcess.probe("create", folder.file().path) }
      let ids = Set(probes.map { $0.end().trimmingCharacters(in: .whitespacesAndNewlines) })
      #expect(ids.count == 1)
      #expect(try folder.names.filter { $0.contains("-new-") } == [])
      for name in try folder.names {
        try FileManager.default.removeItem(at: folder.url.appending(path: name))
      }
    }
  }

  @Test("Another writer is waited for, then a timeout says for how long; readers do not wait")
  func timeout() async throws {
    let store = try await SQLiteStore.open(
      at: folder.file(), entities, options: StoreOptions(timeout: 0.2))
    let other = try OtherProcess.sqlite3(folder.file())
    try other.say(
      "BEGIN IMMEDIATE; INSERT INTO \"Group\" (id, name) VALUES (5, 'x'); SELECT 'held';")
    #expect(other.waits(for: "held"))
    #expect(try groups(store).isEmpty)
    let writes: [Write] = [.insert(Ref(key: 1), Group(), in: store.model)]
    let error = #expect(throws: GraphError.self) { try store.commit(writes, from: nil) }
    guard case .timeout(0.2)? = error?.reason else { throw Unexpected(error as Any) }
    try other.say("COMMIT; SELECT 'given';")
    #expect(other.waits(for: "given"))
    try store.commit(writes, from: nil)
    #expect(try groups(store).count == 2)
  }

  @Test("A write that the operating system refuses: a typed error, nothing saved; then it saves")
  func inputOutput() async throws {
    let said = try OtherProcess.probe("limited", folder.file().path).end()
    #expect(said == "typed error\nrows 0\nrows 5000\n")
  }
}
