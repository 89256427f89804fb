import Foundation
import LineageTestSupport
import ObjectGraph
import SQLiteStorage

/// A program that tests run as another process on a store's file.
///
/// Usage: `StoreProbe command file …`
@main
struct StoreProbe {
  static func main() async throws {
    let arguments = CommandLine.arguments
    guard arguments.count >= 3 else { return print("usage: StoreProbe command file …") }
    let url = URL(fileURLWithPath: arguments[2])
    let numbers = arguments.dropFirst(3).compactMap { Int($0) }
    switch arguments[1] {
    case "waves": try await waves(url)
    case "insert": try await insert(url, ids: numbers[0]...numbers[1])
    case "increment": try await increment(url, id: numbers[0], times: numbers[1])
    case "move": try await Moves.run(url, seed: numbers[0], count: numbers[1])
    case "migrate": try await migrate(url)
    case "rename":
      let step = Migration(to: 2, "number") { _ in }
      try await SQLiteStore.open(at: url, [Medal.self], migrations: [step]).close()
      say("done")
    case "wait":
      let store = try await SQLiteStore.open(at: url, arguments.count > 3 ? [Badge.self] : entities)
      say("open")
      sleep(1000)
      store.close()
    case "sql": PlainSQL.run(url, arguments.count > 3 ? arguments[3] : nil)
    case "limited": try await limited(url)
    case "unwritable": try await Faults.unwritable(url)
    case "writeWithoutDescriptors": try await Faults.writeWithoutDescriptors(url)
    case "openWithoutDescriptors": try await Faults.openWithoutDescriptors(url)
    case "readOnlyFolder": try await Faults.readOnlyFolder(url)
    case "sessions": try await Sessions.run(url, count: numbers[0])
    case "backups": try await Faults.backups(url)
    case "lockLog": Faults.lockLog(url)
    case "limitedMigration": try await Faults.limitedMigration(url)
    case "editing": try await Editing.run(url, numbers)
    case "create": print((try await SQLiteStore.open(at: url, entities)).id)
    default: print("unknown command")
    }
  }

  static let entities: [any Entity.Type] = [Sample.self, Group.self]

  /// Saves 2,000 groups again and again, until the process is killed. Each save gives all groups
  /// the next weight: most by updates, the last 100 by deletions and insertions.
  private static func waves(_ url: URL) async throws {
    let store = try await SQLiteStore.open(at: url, entities)
    let reader = try store.makeReader()
    var weight = try reader.value(Ref<Group>(key: 1), in: store.model)?.weight ?? 0
    reader.end()
    if weight == 0 {
      weight = 1
      try store.commit(
        (1...2000).map { .insert(Ref(key: Int64($0)), group($0, weight), in: store.model) },
        from: nil)
    }
    say("ready")
    while true {
      try store.commit(
        (1...2000).flatMap { id -> [Write] in
          let ref = Ref<Group>(key: Int64(id))
          if id > 1900 {
            return [
              .delete(ref, group(id, weight), in: store.model),
              .insert(ref, group(id, weight + 1), in: store.model),
            ]
          }
          return [
            .update(
              ref, ["weight"], from: group(id, weight), to: group(id, weight + 1),
              in: store.model)
          ]
        }, from: nil)
      weight += 1
      say("saved \(weight)")
    }
  }

  private static func group(_ id: Int, _ weight: Int) -> Group {
    var group = Group()
    group.name = "group \(id)"
    group.weight = weight
    return group
  }

  private static func insert(_ url: URL, ids: ClosedRange<Int>) async throws {
    let store = try await SQLiteStore.open(at: url, entities)
    try store.commit(
      ids.map { .insert(Ref(key: Int64($0)), group($0, 1), in: store.model) }, from: nil)
    store.close()
    say("done")
  }

  /// Adds one to the weight of a group, `times` times. After a conflict, it reads the group again
  /// and retries.
  private static func increment(_ url: URL, id: Int, times: Int) async throws {
    let store = try await SQLiteStore.open(at: url, entities, options: StoreOptions(timeout: 60))
    let ref = Ref<Group>(key: Int64(id))
    var conflicts = 0
    for _ in 0..<times {
      while true {
        let reader = try store.makeReader()
        guard let old = try reader.value(ref, in: store.model) else { return say("gone") }
        reader.end()
        var new = old
        new.weight = (old.weight ?? 0) + 1
        do {
          try store.commit(
            [.update(ref, ["weight"], from: old, to: new, in: store.model)], from: nil)
          break
        } catch is CommitConflict {
          conflicts += 1
        }
      }
    }
    store.close()
    say("done after \(conflicts) conflicts")
  }

  /// Runs a migration step that changes rows, and then waits until the process is killed.
  private static func migrate(_ url: URL) async throws {
    let step = Migration(to: 2, "forever") { file in
      try file.execute("UPDATE \"Group\" SET name = 'migrated ' || name, weight = -1")
      say("stepping")
      sleep(1000)
    }
    _ = try await SQLiteStore.open(at: url, entities, migrations: [step])
  }

  /// Saves while the operating system limits the size of files, and again without the limit.
  private static func limited(_ url: URL) async throws {
    let store = try await SQLiteStore.open(at: url, entities)
    let writes: [Write] = (1...5000).map {
      .insert(Ref(key: Int64($0)), group($0, 1), in: store.model)
    }
    signal(SIGXFSZ, SIG_IGN)
    var limit = rlimit()
    getrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit)
    let old = limit.rlim_cur
    limit.rlim_cur = 100_000
    setrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit)
    do {
      try store.commit(writes, from: nil)
      say("saved in spite of the limit")
    } catch let error as GraphError {
      switch error.reason {
      case .inputOutput, .full: say("typed error")
      default: say("\(error)")
      }
    }
    say("rows \(try store.makeReader().ids(Query(entity: 1)).count)")
    limit.rlim_cur = old
    setrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit)
    try store.commit(writes, from: nil)
    say("rows \(try store.makeReader().ids(Query(entity: 1)).count)")
  }

  static func say(_ text: String) {
    FileHandle.standardOutput.write(Data("\(text)\n".utf8))
  }
}

/// The entity `Badge` in the next version of the program, with a renamed property.
private struct Medal: Entity {
  var name = ""
  var number: Int?

  static let schema = Schema<Medal>("Badge") {
    Attribute("name", \.name, unique: true)
    Attribute("number", \.number, formerly: "code")
  }
}
