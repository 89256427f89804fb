#if Postgres
import Foundation
import LineageTestSupport
import ObjectGraph
import PostgresStorage
import Synchronization
import Testing

/// The cards that a test has saved, or may have saved.
private struct SavedCards {
  private var made: Set<String> = []
  private var unknown: Set<String> = []

  var summary: String { "\(made.count) made, \(unknown.count) unknown" }

  /// Saves a new card, and returns whether that is known to have succeeded.
  @discardableResult
  mutating func save(_ name: String, in store: PostgresStore) throws -> Bool {
    let context = store.makeContext()
    try context.insert(Card(name))
    do {
      try context.save()
      made.insert(name)
      return true
    } catch let error as GraphError {
      if error.leavesOutcomeUnknown { unknown.insert(name) }
      return false
    }
  }

  /// Checks that a store has all cards that were made, and besides only some of those that may have been.
  func check(_ store: PostgresStore) throws {
    let found = Set(try store.makeContext().fetch(Card.self).map(\.question))
    #expect(made.isSubset(of: found))
    #expect(found.subtracting(made).subtracting(unknown).isEmpty)
  }
}

/// The tests have servers of their own, because they stop and kill them.
@Suite("A server that fails", .enabled(if: TestCluster.place != nil), .serialized, .hangGuard)
struct ServerFaultTests {
  private func count(_ store: PostgresStore) throws -> Int {
    try store.makeContext().count(Card.self)
  }

  @Test("is used again after it was stopped, fast or at once, with moments open")
  func stopped() async throws {
    let cluster = try TestCluster()
    let store = try await PostgresStore.open(cluster.options, Library.entities)
    defer { store.close() }
    let context = store.makeContext()
    try context.insert(Card("a"))
    try context.save()
    for mode in ["fast", "immediate"] {
      let inbox = Inbox()
      store.subscribe(inbox)
      #expect(throws: GraphError.self) {
        try context.read {
          _ = try context.count(Card.self)
          try cluster.stop(mode)
          _ = try context.count(Card.self)
        }
      }
      #expect(throws: GraphError.self) { try count(store) }
      try cluster.start()
      #expect(try count(store) == 1)
      // Only a crash empties the table that names the server's run.
      #expect(inbox.take().isEverything == (mode == "immediate"))
    }
  }

  @Test("decides commits when it has recovered from a kill of a process or of the whole")
  func killed() async throws {
    let seed = UInt64.random(in: 0..<1_000_000)
    print("Kills around COMMIT: seed \(seed)")
    var random = SplitMix64(seed: seed)
    let cluster = try TestCluster(["restart_after_crash = on"])
    let store = try await PostgresStore.open(cluster.options, Library.entities)
    defer { store.close() }
    var saved = SavedCards()
    for round in 0..<(TestServer.isLong ? 60 : 6) {
      let isWhole = round.isMultiple(of: 3)
      let delay = Double(random.below(15)) / 1_000
      let killing = Task.detached {
        let backend =
          isWhole
          ? nil
          : try cluster.texts(
            "SELECT pid FROM pg_stat_activity WHERE query = 'COMMIT' AND pid <> pg_backend_pid()"
          ).first.flatMap { pid_t($0) }
        try await Task.sleep(for: .seconds(delay))
        if let backend { kill(backend, SIGKILL) } else { cluster.kill() }
        if backend == nil { try cluster.restart() }
      }
      for number in 0..<150 { try saved.save("\(round)-\(number)", in: store) }
      try await killing.value
    }
    try saved.check(store)
    print("Kills around COMMIT: \(saved.summary)")
  }

  @Test("says that its table space is full, and goes on when there is room")
  func fullTablespace() async throws {
    guard let disk = try SmallDisk(kilobytes: 12_000) else {
      print("No full disk was tested, because only root can mount one")
      return
    }
    let cluster = try TestCluster()
    let folder = disk.url.path + "/space"
    _ = try ChildProcess.run(
      "/bin/chmod", ["-R", "a+rwx", disk.url.deletingLastPathComponent().path])
    try TestCluster.runAsOwner("/bin/mkdir", ["-p", folder])
    defer {
      try? cluster.stop("immediate")
      withExtendedLifetime(disk) {}
    }
    try cluster.texts("CREATE TABLESPACE small LOCATION '\(folder)'")
    let store = try await PostgresStore.open(cluster.options, Library.entities)
    defer { store.close() }
    try cluster.texts("ALTER TABLE \"Card\" SET TABLESPACE small")
    disk.fill()
    let context = store.makeContext()
    var random = SplitMix64(seed: 1)
    for _ in 0..<200 {
      let text = String(
        (0..<4_000).map { _ in Character(UnicodeScalar(UInt8(97 + random.below(26)))) })
      let card = try context.insert(Card())
      card.answer = text
    }
    let error = #expect(throws: GraphError.self) { try context.save() }
    #expect(
      error.map { "\($0.reason)" } == "\(GraphError.Reason.full)", "\(String(describing: error))")
    disk.empty()
    try context.save()
    #expect(try count(store) == 200)
  }

  @Test("has ended when its log is full, and the commit is decided when there is room")
  func fullLog() async throws {
    guard let disk = try SmallDisk(kilobytes: 56_000) else {
      print("No full log was tested, because only root can mount a disk")
      return
    }
    let cluster = try TestCluster(["min_wal_size = 32MB", "max_wal_size = 32MB"])
    try cluster.stop("fast")
    _ = try ChildProcess.run(
      "/bin/chmod", ["-R", "a+rwx", disk.url.deletingLastPathComponent().path])
    let data = cluster.folder + "/data/pg_wal"
    try TestCluster.runAsOwner(
      "/bin/sh",
      ["-c", "mv '\(data)' '\(disk.url.path)/wal' && ln -s '\(disk.url.path)/wal' '\(data)'"])
    try cluster.start()
    defer {
      try? cluster.stop("immediate")
      withExtendedLifetime(disk) {}
    }
    let store = try await PostgresStore.open(cluster.options, Library.entities)
    defer { store.close() }
    disk.fill()
    let filler = disk.url.appending(path: "filler").path
    let freeing = Task.detached {
      while (try? cluster.texts("SELECT 1")) != nil { try await Task.sleep(for: .milliseconds(50)) }
      _ = try ChildProcess.run("/bin/rm", [filler])
      try cluster.restart()
    }
    let context = store.makeContext()
    let inbox = Inbox()
    store.subscribe(inbox)
    var (made, unknown) = (0, 0)
    // Each save fills more of the log. The server's restart tells that everything may have changed.
    for _ in 0..<60 where !inbox.take().isEverything {
      let card = try context.insert(Card())
      card.answer = (0..<150_000).map { _ in "\(UInt32.random(in: 0 ... .max))" }.joined()
      do {
        try context.save()
        made += 1
      } catch let error as GraphError {
        if error.leavesOutcomeUnknown { unknown += 1 }
        context.discard()
      }
      _ = try? count(store)
    }
    try await freeing.value
    let found = try count(store)
    #expect((made...made + unknown).contains(found))
    #expect(made > 0)
  }

  @Test("lets a read wait while it has no connection left, and then tells so")
  func connections() async throws {
    let cluster = try TestCluster(["max_connections = 8", "superuser_reserved_connections = 0"])
    var options = cluster.options
    options.acquireTimeout = 0.5
    let store = try await PostgresStore.open(options, Library.entities)
    defer { store.close() }
    var sleepers: [ChildProcess] = []
    while (try? cluster.texts("SELECT 1")) != nil {
      sleepers.append(
        try ChildProcess("/usr/bin/psql", ["-X", "-c", "SELECT pg_sleep(60)", cluster.address]))
    }
    let error = #expect(throws: GraphError.self) { try count(store) }
    #expect("\(error, default: "")".contains("too many"))
    for sleeper in sleepers { sleeper.kill() }
    try cluster.stop("fast")
    try cluster.start()
    #expect(try count(store) == 0)
  }

  @Test("lets a read wait while its role has no connection left, and then tells so")
  func roleLimit() async throws {
    let cluster = try TestCluster()
    try cluster.texts(
      "CREATE ROLE few LOGIN CONNECTION LIMIT 5; GRANT CREATE ON DATABASE postgres TO few;"
        + " GRANT CREATE ON SCHEMA public TO few")
    var options = cluster.options
    options.address = cluster.address.replacing("user=lineage", with: "user=few")
    options.acquireTimeout = 0.5
    let store = try await PostgresStore.open(options, Library.entities)
    defer { store.close() }
    let ofRole = "FROM pg_stat_activity WHERE usename = 'few'"
    var sleepers: [ChildProcess] = []
    defer { for sleeper in sleepers { sleeper.kill() } }
    while try cluster.texts("SELECT count(*) \(ofRole)") != ["5"] {
      sleepers.append(
        try ChildProcess("/usr/bin/psql", ["-X", "-c", "SELECT pg_sleep(60)", options.address]))
    }
    let error = #expect(throws: GraphError.self) { try count(store) }
    #expect("\(error, default: "")".contains("too many connections for role"))
    let sleeping = "\(ofRole) AND query LIKE '%pg_sleep%'"
    while try cluster.texts("SELECT pg_terminate_backend(pid) \(sleeping)") != [] {}
    #expect(try count(store) == 0)
  }

  @Test("ends a kept moment whose process was ended, and the next one works")
  func terminated() async throws {
    let cluster = try TestCluster()
    let store = try await PostgresStore.open(cluster.options, Library.entities)
    defer { store.close() }
    let context = store.makeContext()
    let kept = "FROM pg_stat_activity WHERE state = 'idle in transaction'"
    #expect(throws: GraphError.self) {
      try context.read {
        _ = try context.count(Card.self)
        while try cluster.texts("SELECT pg_terminate_backend(pid) \(kept)") != [] {}
        _ = try context.count(Card.self)
      }
    }
    #expect(try context.count(Card.self) == 0)
    try context.insert(Card("after"))
    try context.save()
    #expect(try count(store) == 1)
  }

  @Test("has ended connections that nobody used: the next read and merge find others")
  func endedWhileIdle() async throws {
    let cluster = try TestCluster()
    let store = try await PostgresStore.open(cluster.options, Library.entities)
    defer { store.close() }
    func read(_ depth: Int) throws {
      let context = store.makeContext()
      try context.read {
        _ = try context.count(Card.self)
        if depth > 1 { try read(depth - 1) }
      }
    }
    let others =
      "FROM pg_stat_activity WHERE backend_type = 'client backend' AND pid <> pg_backend_pid()"
    for next in [{ try read(1) }, { try store.makeContext().merge() }] {
      // Each of the four contexts has a connection.
      try read(4)
      while try cluster.texts("SELECT pg_terminate_backend(pid) \(others)") != [] {}
      try next()
    }
  }

  @Test("was replaced by its replica: all are told, and lost commits are seen as lost")
  func promoted() async throws {
    let old = try TestCluster(["wal_level = replica"])
    let replica = try TestCluster(replicaOf: old)
    let store = try await PostgresStore.open(Self.options(old, replica), Library.entities)
    defer { store.close() }
    let context = store.makeContext()
    for number in 0..<20 {
      try context.insert(Card("\(number)"))
      try context.save()
    }
    let inbox = Inbox()
    store.subscribe(inbox)
    try old.stop("immediate")
    try replica.promote()
    let found = try count(store)
    #expect((0...20).contains(found))
    #expect(inbox.take().isEverything)
    try context.insert(Card("after"))
    try context.save()
    #expect(try count(store) == found + 1)
    // A replica is refused.
    let second = try TestCluster(replicaOf: replica)
    let behind = await PostgresStore.opening(second.options, Library.entities)
    withExtendedLifetime(second) {}
    #expect("\(behind)".contains("replica"))
  }

  @Test("was replaced by its synchronous replica, and no confirmed commit is lost")
  func promotedSynchronous() async throws {
    let old = try TestCluster(["wal_level = replica"])
    let replica = try TestCluster(replicaOf: old)
    try old.texts("ALTER SYSTEM SET synchronous_standby_names = '*'")
    try old.texts("SELECT pg_reload_conf()")
    while try old.texts("SELECT sync_state FROM pg_stat_replication") != ["sync"] {}
    let store = try await PostgresStore.open(Self.options(old, replica), Library.entities)
    defer { store.close() }
    let isPromoted = Atomic(false)
    let failing = Task.detached {
      while try replica.texts("SELECT count(*) FROM \"Card\"") == ["0"] {}
      try old.stop("immediate")
      try replica.promote()
      isPromoted.store(true, ordering: .releasing)
    }
    var saved = SavedCards()
    var (number, after) = (0, 0)
    while after < 20 {
      let wasPromoted = isPromoted.load(ordering: .acquiring)
      let isMade = try saved.save("\(number)", in: store)
      number += 1
      if isMade, wasPromoted { after += 1 }
    }
    try await failing.value
    try saved.check(store)
    print("A synchronous replica took over: \(saved.summary)")
  }

  /// Returns the options with which a store is opened on whichever of two servers takes writes.
  private static func options(_ one: TestCluster, _ other: TestCluster) -> PostgresOptions {
    var options = one.options
    options.address =
      "host=\(one.folder),\(other.folder) port=\(one.port),\(other.port) user=lineage"
      + " dbname=postgres target_session_attrs=read-write"
    return options
  }
}
#endif
