import Foundation
import LineageFiles
import ResponderChain
import StateRestoration
import Synchronization

/// The commands that test saving.
enum Saving {
  /// Saves in all ways, and counts the calls of the file system. The process is killed right before
  /// the call with the number `last`.
  static func saves(_ folder: URL, killedAt last: Int) throws {
    let calls = Counter()
    let world = ProbeWorld(folder) { _ in
      if calls.next() == last { kill(getpid(), SIGKILL) }
      return 0
    }
    let first = (Int(world.screen.text) ?? 0) + 1
    StateProbe.say("began \(first - 1)")
    for number in first..<first + 6 {
      world.screen.text = "\(number)"
      switch number - first {
      case 2: try world.restoration.save()
      case 4:
        world.application.enterBackground()
        world.application.enterForeground()
      default: world.saveChanges()
      }
      StateProbe.say("saved \(number)")
    }
    world.application.terminate()
    StateProbe.say("ended")
  }

  /// Saves one change after another, until the process is killed.
  static func busy(_ folder: URL) throws {
    let world = ProbeWorld(folder)
    var number = Int(world.screen.text) ?? 0
    while true {
      number += 1
      world.screen.text = "\(number)"
      world.screen.filler = String(repeating: "x", count: number % 700)
      if number % 7 == 0 { try world.restoration.save() } else { world.saveChanges() }
      StateProbe.say("saved \(number)")
    }
  }

  /// Opens the folder, tries to save, and keeps the folder open until the input ends.
  static func hold(_ folder: URL) {
    let world = ProbeWorld(folder)
    StateProbe.say("text \(world.screen.text)")
    for problem in world.restoration.report.problems { StateProbe.say(problem) }
    world.screen.text = "from the other process"
    world.saveChanges()
    do {
      try world.restoration.save()
      StateProbe.say("saved")
    } catch {
      StateProbe.say("refused: \(error)")
    }
    StateProbe.say("ready")
    _ = FileHandle.standardInput.readDataToEndOfFile()
  }

  /// Saves while the system lets no file grow beyond `bytes`, and again without this limit.
  static func limited(_ folder: URL, bytes: Int) throws {
    let world = ProbeWorld(folder)
    StateProbe.say("text \(world.screen.text)")
    let old = limitFiles(to: bytes)
    for number in 1...20 {
      world.screen.text = "limited \(number)"
      world.screen.filler = String(repeating: "x", count: number * 100)
      world.saveChanges()
    }
    let problems = world.restoration.report.problems
    for problem in problems { StateProbe.say(problem) }
    StateProbe.say("problems \(problems.count)")
    limitFiles(to: old)
    world.screen.text = "unlimited"
    world.saveChanges()
    StateProbe.say("done")
    kill(getpid(), SIGKILL)
  }

  /// Sets the largest size of a file that this process can write. Returns the former limit.
  @discardableResult
  static func limitFiles(to bytes: Int) -> Int {
    signal(SIGXFSZ, SIG_IGN)
    let kind = __rlimit_resource_t(RLIMIT_FSIZE.rawValue)
    var limit = rlimit()
    getrlimit(kind, &limit)
    let old = Int(clamping: limit.rlim_cur)
    limit.rlim_cur = rlim_t(bytes)
    setrlimit(kind, &limit)
    return old
  }

  /// Opens the folder and saves as an ordinary user, because root ignores the folder's permissions.
  static func ordinary(_ folder: URL) throws {
    if geteuid() == 0 {
      guard setgroups(0, nil) == 0, setgid(65534) == 0, setuid(65534) == 0 else {
        return StateProbe.say("the process stays root")
      }
    }
    let world = ProbeWorld(folder)
    StateProbe.say("text \(world.screen.text)")
    for problem in world.restoration.report.problems { StateProbe.say(problem) }
    world.screen.text = "ordinary"
    do {
      try world.restoration.save()
      StateProbe.say("saved")
    } catch {
      StateProbe.say("refused: \(error)")
    }
  }
}

/// A counter that several threads can increment.
final class Counter: Sendable {
  private let value = Atomic(0)

  /// Returns the next number, beginning with 1.
  func next() -> Int { value.add(1, ordering: .relaxed).newValue }
}
