import Foundation
import LineageTestSupport
import StateRestoration
import Testing

@Suite("Launches of a program that crashes while it restores state")
struct CrashLoopTests {
  private static let names = ["a", "loud1", "loud2", "late1", "late2", "z"]

  private static func program() throws -> CrashingProgram {
    let program = try CrashingProgram()
    try program.make("a", "loud1", "loud2", "late1", "late2", "z")
    return program
  }

  @Test(
    "A process that dies names its culprit, and the next launch restores the rest",
    arguments: [
      ("make", "a", "a"), ("make", "z-leaf", "z/z-leaf"), ("attach", "loud1", "loud1"),
      ("decode", "a", "a"), ("hear", "ear-loud2", "loud2"), ("finish", "z", "z"),
      ("late", "late2", "late2"), ("finish", "late1", "late1"), ("read", "a", "a"),
      ("decode", "app", ""), ("finish", "app", ""),
    ], ["kill", "trap", "overflow"])
  func death(_ bug: (call: String, name: String, path: String), way: String) throws {
    let program = try Self.program()
    let words = ["version=1", "waits", "\(bug.call):\(bug.name):\(way)"]
    let lines = ["deliver", "read \(bug.name)"]
    let first = try program.launch(words, lines)
    #expect(!first.lines.contains("did read \(bug.name)"))
    #expect(way == "kill" ? first.status == -SIGKILL : first.status != 0)
    for number in 0..<3 {
      let next = try program.launch(words, lines)
      #expect(next.isReady)
      #expect(next.reason == (number == 0 ? "recover" : "launch"))
      if number == 0 { #expect(next.culprit == (bug.path.isEmpty ? "" : bug.path)) }
      #expect(next.quarantined.first == (bug.path.isEmpty ? "app" : bug.path))
      #expect(next.lines.contains("did read \(bug.name)"))
      if bug.path.isEmpty {
        #expect(next.quarantined.count == 1)
      } else {
        #expect(next.quarantined.allSatisfy { $0.hasPrefix(bug.path) })
        #expect(next.restored.first == "app")
      }
    }
    // Another version of the app tries the record again. This version does so if it launches with
    // the word `retry`.
    let fixed = ["version=1", "waits", "retry"]
    #expect(try program.launch(fixed, lines).quarantined == [])
    let updated = try program.launch(["version=2", "waits"], ["deliver", "terminate"])
    #expect(updated.quarantined == [])
    #expect(try program.launch("version=1").quarantined == [])
  }

  @Test("Five crashing launches in a row restore less and less, and then nothing")
  func fiveCrashes() throws {
    let program = try Self.program()
    // The fourth launch restores only the application's own record.
    var launches: [CrashingProgram.Launch] = []
    for bug in ["decode:a", "decode:z", "make:loud1", "decode:app"] {
      launches.append(try program.launch("version=1", "\(bug):kill"))
      #expect(launches.last?.isReady == false)
    }
    #expect(launches.map(\.reason) == ["launch", "recover", "recover", "recover"])
    #expect(launches.map(\.culprit) == ["", "a", "z", "loud1"])
    let fifth = try program.launch("version=1", "decode:app:kill", "make:z:kill", "make:loud2:kill")
    #expect(fifth.isReady)
    #expect(fifth.restored == [])
    #expect(fifth.problems.contains { $0.contains("Nothing is restored") })
    let quarantine = try FileManager.default.contentsOfDirectory(
      atPath: program.folder.appending(path: "quarantine").path)
    #expect(quarantine.contains { $0.hasPrefix("state-") })
    // The next launch begins without an archive, and can save again.
    let sixth = try program.launch(["version=1"], ["make b", "terminate"])
    #expect(sixth.problems == [])
    #expect(sixth.status == 0)
    let seventh = try program.launch("version=1")
    #expect(seventh.restored == ["app", "b", "b/b-leaf"])
  }

  @Test("Of two crashing responders the third launch skips both, and restores the rest")
  func twoCulprits() throws {
    let program = try Self.program()
    let bugs = ["version=1", "decode:a:trap", "finish:z:kill"]
    #expect(try !program.launch(bugs, []).isReady)
    let second = try program.launch(bugs, [])
    #expect(second.culprit == "a")
    #expect(!second.isReady)
    let third = try program.launch(bugs, [])
    #expect(third.isReady)
    #expect(third.culprit == "z")
    #expect(third.quarantined == ["a", "z", "a/a-leaf", "z/z-leaf"])
    #expect(third.restored.count == 1 + 4 * 2 + 2)
  }

  @Test("A good start between two crashes resets the count, and not the quarantine")
  func goodStart() throws {
    let program = try Self.program()
    for (number, name) in Self.names.enumerated() {
      #expect(try !program.launch("version=1", "decode:\(name):kill").isReady)
      let next = try program.launch("version=1")
      #expect(next.isReady)
      #expect(next.culprit == name)
      #expect(Set(next.quarantined.filter { !$0.contains("/") }) == Set(Self.names[...number]))
    }
  }

  @Test("Twelve kills between the calls, or while a store is opening, count nothing")
  func waiting() throws {
    let program = try Self.program()
    var files: Set<Data> = []
    for _ in 0..<6 {
      let launch = try program.launch(["version=1", "waits"], ["save"])
      #expect(launch.status == -SIGKILL)
      #expect(launch.reason == "launch")
      #expect(launch.words("waiting").prefix(2) == ["late1", "late2"])
      #expect(launch.quarantined == [])
      let next = try program.launch("version=1")
      #expect(next.reason == "launch")
      #expect(next.words("waiting") == [])
      files.insert(try Data(contentsOf: program.page))
    }
  }

  @Test("A kill while a store is opening keeps the count of the crashes before it")
  func countWhileWaiting() throws {
    let program = try Self.program()
    for name in ["a", "z"] {
      #expect(try !program.launch("version=1", "waits", "decode:\(name):kill").isReady)
    }
    for _ in 0..<4 {
      let launch = try program.launch("version=1", "waits")
      #expect(launch.isReady)
      #expect(launch.reason == "recover")
      #expect(launch.words("waiting").prefix(2) == ["late1", "late2"])
    }
    // The waiting values have arrived, so the next launch is a normal one again.
    #expect(try program.launch(["version=1", "waits"], ["deliver"]).reason == "recover")
    #expect(try program.launch("version=1", "waits").reason == "launch")
  }

  @Test("A start with the application's own record only is a good one")
  func waitingAfterCrash() throws {
    let program = try Self.program()
    for name in ["a", "z", "loud1"] {
      #expect(try !program.launch("version=1", "waits", "decode:\(name):kill").isReady)
    }
    let launch = try program.launch("version=1", "waits")
    #expect(launch.reason == "recover")
    // The application's own record does not wait, so this is a good start.
    #expect(launch.restored == ["app"])
    let last = try program.launch("version=1", "waits")
    #expect(last.reason == "launch")
    #expect(last.words("waiting").prefix(2) == ["late1", "late2"])
  }

  @Test("With confirmation, a kill before it counts, and one after it does not")
  func confirmation() throws {
    let program = try Self.program()
    let options = ["version=1", "confirms"]
    for _ in 0..<3 {
      #expect(try program.launch(options, ["confirm"]).reason == "launch")
    }
    #expect(try program.launch(options, []).reason == "launch")
    // The second launch tries all records once more. The third launch restores only the
    // application's own record.
    let second = try program.launch(options, [])
    #expect(second.reason == "recover")
    #expect(second.restored.count > 10)
    let third = try program.launch(options, ["confirm"])
    #expect(third.restored == ["app"])
    let fourth = try program.launch(options, ["terminate"])
    #expect(fourth.restored.count > 10)
    #expect(try program.launch(options, ["confirm"]).reason == "launch")
  }

  @Test("The app may want less than the guard allows")
  func deepLink() throws {
    let program = try Self.program()
    #expect(try !program.launch("version=1", "decode:a:kill").isReady)
    let second = try program.launch("version=1", "reason=nothing")
    #expect(second.reason == "recover")
    #expect(second.restored == [])
    let third = try program.launch("version=1", "reason=minimum")
    #expect(third.restored == ["app"])
    #expect(third.quarantined == ["a", "a/a-leaf"])
  }

  @Test("Another version counts from the beginning")
  func otherVersion() throws {
    let program = try Self.program()
    for name in ["a", "z", "loud1"] {
      #expect(try !program.launch("version=1", "decode:\(name):kill").isReady)
    }
    let updated = try program.launch("version=2", "decode:a:kill")
    #expect(updated.reason == "recover")
    #expect(!updated.isReady)
    let next = try program.launch("version=2")
    #expect(next.quarantined == ["a", "a/a-leaf"])
    #expect(next.restored.count > 8)
  }
}
