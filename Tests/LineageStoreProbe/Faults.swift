import Foundation
import LineageTestSupport
import ObjectGraph
import SQLiteStorage

/// Commands that run into faults, such as missing permissions or file descriptors. They need a
/// process of their own, because they change the user and the limits of the process.
enum Faults {
  /// Makes the process run as an ordinary user if it runs as root, because root ignores
  /// permissions. The folder and its files then belong to the new user.
  static func becomeOrdinary(_ folder: URL) throws {
    guard geteuid() == 0 else { return }
    let nobody: UInt32 = 65534
    for url in [folder]
      + (try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil))
    {
      guard chown(url.path, nobody, nobody) == 0 else { throw Mishap("chown: \(url.path)") }
    }
    guard setgroups(0, nil) == 0, setgid(nobody) == 0, setuid(nobody) == 0 else {
      throw Mishap("the process stays root")
    }
  }

  /// Runs a closure while the process can open at most `left` more file descriptors.
  static func withDescriptors<Result>(left: Int32, _ body: () async throws -> Result) async rethrows
    -> Result
  {
    let files = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
    var limit = rlimit()
    getrlimit(files, &limit)
    let old = limit.rlim_cur
    let free = dup(0)
    close(free)
    limit.rlim_cur = rlim_t(free + left)
    setrlimit(files, &limit)
    defer {
      limit.rlim_cur = old
      setrlimit(files, &limit)
    }
    return try await body()
  }

  /// The number of open file descriptors; -1 if the system does not list them.
  static var descriptors: Int {
    (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count) ?? -1
  }

  private static let entities = StoreProbe.entities

  private static func save(_ store: SQLiteStore, _ id: Int) -> String {
    do {
      try store.commit([.insert(Ref<Group>(key: Int64(id)), Group(), in: store.model)], from: nil)
      return "saved"
    } catch {
      return "\(error)"
    }
  }

  /// Saves while the database file is read-only, and again while it is writable. Then does both
  /// while the file of the write-ahead log is read-only and writable.
  static func unwritable(_ url: URL) async throws {
    try becomeOrdinary(url.deletingLastPathComponent())
    for (index, end) in ["", "-wal"].enumerated() {
      let store = try await SQLiteStore.open(at: url, entities)
      _ = try store.makeReader().ids(Query(entity: 1))
      chmod(url.path + end, 0o444)
      StoreProbe.say(save(store, index * 10 + 1))
      chmod(url.path + end, 0o644)
      StoreProbe.say(save(store, index * 10 + 2))
      store.close()
    }
  }

  /// Saves with 0, 1, 2 … file descriptors left, until that succeeds. Each attempt is followed by a
  /// save with enough descriptors.
  static func writeWithoutDescriptors(_ url: URL) async throws {
    // The runtime's timers open a descriptor of their own, and end the program if there is none.
    try await Task.sleep(for: .milliseconds(1))
    for left in 0..<2000 {
      let store = try await SQLiteStore.open(at: url, entities)
      let first = await withDescriptors(left: Int32(left)) { save(store, left * 10 + 1) }
      StoreProbe.say("\(left): \(first), \(save(store, left * 10 + 2))")
      store.close()
      if first == "saved" { return }
    }
  }

  /// Opens a store with 0, 1, 2 … file descriptors left, until that succeeds.
  static func openWithoutDescriptors(_ url: URL) async throws {
    // The runtime for tasks opens descriptors of its own at the first `await`, and for timers.
    try await Task.sleep(for: .milliseconds(1))
    try await SQLiteStore.open(at: url, entities).close()
    // The limit is on descriptor numbers, and inherited descriptors may have the next numbers. So
    // many attempts can be necessary.
    for left in 0..<2000 {
      let opening = await withDescriptors(left: Int32(left)) {
        await SQLiteStore.opening(at: url, entities)
      }
      StoreProbe.say("\(left): \(kind(opening))")
      if let store = opening.store { return store.close() }
    }
  }

  /// Opens a store in a folder without permission to write: first for writing, then read-only. Then
  /// tries to create another store there.
  static func readOnlyFolder(_ url: URL) async throws {
    let folder = url.deletingLastPathComponent()
    try becomeOrdinary(folder)
    chmod(folder.path, 0o555)
    defer { chmod(folder.path, 0o755) }
    for isReadOnly in [false, true] {
      let options = StoreOptions(isReadOnly: isReadOnly)
      let opening = await SQLiteStore.opening(at: url, entities, options: options)
      StoreProbe.say(kind(opening))
      if let store = opening.store {
        StoreProbe.say("rows \(try store.makeReader().ids(Query(entity: 1)).count)")
        store.close()
      }
    }
    let missing = await SQLiteStore.opening(at: folder.appending(path: "other"), entities)
    StoreProbe.say(kind(missing))
  }

  static func kind(_ opening: Opening<SQLiteStore>) -> String {
    switch opening {
    case .created: "created"
    case .ready: "ready"
    case .readOnly: "readOnly"
    case .damaged(let message): "damaged \(message)"
    case .noPermission(let message): "noPermission \(message)"
    case .failed(let error): "failed \(error.reason)"
    default: "\(opening)"
    }
  }
}

extension Faults {
  /// Makes backups until the process is killed, each to a new file.
  static func backups(_ url: URL) async throws {
    let store = try await SQLiteStore.open(at: url, StoreProbe.entities)
    StoreProbe.say("process \(getpid()).")
    for number in 0... {
      try await store.backup(to: URL(fileURLWithPath: url.path + ".\(number)"))
    }
  }

  /// Takes all locks for readers of the write-ahead log, and keeps them.
  static func lockLog(_ url: URL) {
    let file = open(url.path + "-shm", O_RDWR)
    var lock = flock()
    lock.l_type = Int16(F_WRLCK)
    lock.l_whence = Int16(SEEK_SET)
    // The locks for readers follow those for writing, checkpoints and recovery, which begin at 120.
    lock.l_start = 123
    lock.l_len = 5
    StoreProbe.say(fcntl(file, F_SETLK, &lock) == 0 ? "locked" : "not locked")
    sleep(1000)
  }

  /// Runs a migration that needs a larger file than the operating system allows.
  static func limitedMigration(_ url: URL) async throws {
    signal(SIGXFSZ, SIG_IGN)
    var limit = rlimit(rlim_cur: 100_000, rlim_max: 100_000)
    setrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit)
    let step = Migration(to: 2, "grow") { file in
      try file.execute("INSERT INTO \"Group\" (name) VALUES (hex(zeroblob(300000)))")
    }
    StoreProbe.say(
      kind(await SQLiteStore.opening(at: url, StoreProbe.entities, migrations: [step])))
  }
}
