import Foundation
import LineageTestSupport
import ObjectGraph
import SQLiteStorage

/// The faults that need a process of their own, with other rights or few descriptors.
enum Faults {
  /// Gives up being root, for whom no permission counts; the folder becomes the new user's.
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

  /// Runs a closure with so many descriptors left.
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

  /// The numbers of the descriptors that are open.
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

  /// Saves while the file, or its log, may not be written, and again when it may.
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

  /// Saves with ever more descriptors left, each time once more with enough.
  static func writeWithoutDescriptors(_ url: URL) async throws {
    for left in 0..<2000 {
      let store = try await SQLiteStore.open(at: url, entities)
      let first = await withDescriptors(left: Int32(left)) { save(store, left * 10 + 1) }
      StoreProbe.say("\(left): \(first), \(save(store, left * 10 + 2))")
      store.close()
      if first == "saved" { return }
    }
  }

  /// Opens with ever more descriptors left.
  static func openWithoutDescriptors(_ url: URL) async throws {
    // What runs tasks needs some of its own.
    try await SQLiteStore.open(at: url, entities).close()
    // Descriptors above the limit are there, too, which the process has from its parent.
    for left in 0..<2000 {
      let opening = await withDescriptors(left: Int32(left)) {
        await SQLiteStore.opening(at: url, entities)
      }
      StoreProbe.say("\(left): \(kind(opening))")
      if let store = opening.store { return store.close() }
    }
  }

  /// Opens in a folder that may not be written: to write, and to read.
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
  /// Backs up for ever, each time to another file.
  static func backups(_ url: URL) async throws {
    let store = try await SQLiteStore.open(at: url, StoreProbe.entities)
    StoreProbe.say("process \(getpid()).")
    for number in 0... {
      try await store.backup(to: URL(fileURLWithPath: url.path + ".\(number)"))
    }
  }

  /// Takes all locks that a reader of the log could have, and keeps them.
  static func lockLog(_ url: URL) {
    let file = open(url.path + "-shm", O_RDWR)
    var lock = flock()
    lock.l_type = Int16(F_WRLCK)
    lock.l_whence = Int16(SEEK_SET)
    // Behind those for writing, checkpoints and recovery, which begin at 120.
    lock.l_start = 123
    lock.l_len = 5
    StoreProbe.say(fcntl(file, F_SETLK, &lock) == 0 ? "locked" : "not locked")
    sleep(1000)
  }

  /// Migrates while the operating system lets no file grow.
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
