import Foundation
import LineageTestSupport
import StateRestoration
import Testing

@Suite("Launches of a program that crashes while it restores state")
struct CrashLoopTests {
  private static let screens = ["a", "loud1", "loud2", "late1", "late2", "z"]

  private static func program() throws -> CrashingProgram {
    let program = try CrashingProgram()
    try program.make("a", "loud1", "loud2", "late1", "late2", "z")
    return program
  }

  @Test(
    "Two processes that die in a record leave it out, and the next launches restore the rest",
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
    for number in 0..<2 {
      let launch = try program.launch(words, lines)
      #expect(launch.leftOut == [])
      #expect(launch.culprit == (number == 0 ? "" : bug.path))
      #expect(!launch.lines.contains("did read \(bug.name)"))
      #expect(way == "kill" ? launch.status == -SIGKILL : launch.status != 0)
    }
    for number in 0..<2 {
      let next = try program.launch(words, lines)
      #expect(next.isReady)
      #expect(next.reason == (number == 0 ? "recover" : "launch"))
      #expect(next.culprit == (number == 0 ? bug.path : ""))
      #expect(next.leftOut.first == (bug.path.isEmpty ? "app" : bug.path))
      #expect(next.lines.contains("did read \(bug.name)"))
      if bug.path.isEmpty {
        #expect(next.leftOut.count == 1)
      } else {
        #expect(next.leftOut.allSatisfy { $0.hasPrefix(bug.path) })
        #expect(next.restored.first == "app")
      }
    }
    // Another version of the app tries the record again, until one more end.
    let updated = ["version=2"] + words.dropFirst()
    let tried = try program.launch(updated, lines)
    #expect(tried.leftOut == [] && !tried.lines.contains("did read \(bug.name)"))
    #expect(try program.launch(updated, lines).leftOut != [])
    let mended = try program.launch(["version=3", "waits"], ["deliver", "terminate"])
    #expect(mended.leftOut == [] && mended.isReady)
  }

  @Test("One kill leaves out nothing, and many kills with good launches between them neither")
  func singleKills() throws {
    let program = try CrashingProgram()
    try program.make("a", "z")
    let lines = ["a", "a-leaf", "z", "z-leaf"].map { "read \($0)" }
    for call in ["make", "attach", "decode", "finish", "make", "decode"] {
      #expect(try !program.launch("version=1", "\(call):a:kill").isReady)
      let next = try program.launch(["version=1"], lines)
      #expect(next.isReady && next.leftOut == [] && next.restored.count == 5)
    }
  }

  @Test("Seven ends in a row restore less and less, and then all again")
  func sevenEnds() throws {
    let program = try Self.program()
    var launches: [CrashingProgram.Launch] = []
    let bugs = ["decode:a", "decode:a", "decode:z", "decode:z", "make:loud1"]
    for bug in bugs { launches.append(try program.launch("version=1", "\(bug):kill")) }
    // The sixth launch restores only the application's own record, and the seventh nothing.
    launches.append(try program.launch("version=1", "decode:app:kill"))
    #expect(launches.allSatisfy { !$0.isReady })
    #expect(launches.map(\.culprit) == ["", "a", "a", "z", "z", "loud1"])
    #expect(launches.map(\.reason).dropFirst().allSatisfy { $0 == "recover" })
    let nothing = try program.launch("version=1", "report:app:kill")
    #expect(!nothing.isReady)
    let kept = try names(in: program.folder).filter { $0.hasSuffix(".kept") }
    #expect(kept == ["state-0.kept"])
    // That launch has ended as well, so the state is not to blame.
    let back = try program.launch(["version=1"], ["terminate"])
    #expect(back.leftOut == [])
    #expect(back.restored.count == 15)
    #expect(try names(in: program.folder).filter { $0.hasSuffix(".kept") } == [])
  }

  @Test("What a launch without state keeps stays until the app asks for it")
  func askedFor() throws {
    let program = try Self.program()
    for bug in ["decode:a", "decode:a", "decode:z", "decode:z", "make:loud1", "decode:app"] {
      #expect(try !program.launch("version=1", "\(bug):kill").isReady)
    }
    let nothing = try program.launch(["version=1"], ["make b", "terminate"])
    #expect(nothing.isReady && nothing.restored == [])
    #expect(nothing.problems.contains { $0.contains("Nothing is restored") })
    for _ in 0..<2 {
      let next = try program.launch(["version=1"], ["read b", "terminate"])
      #expect(next.restored == ["app", "b", "b/b-leaf"] && next.problems == [])
      #expect(next.notes.contains { $0.contains("kept as state-0.kept.") })
    }
    #expect(try program.launch(["version=2"], ["bringBack", "terminate"]).isReady)
    for _ in 0..<2 {
      let back = try program.launch(["version=2"], ["terminate"])
      #expect(back.restored.contains("a") && back.restored.contains("late2"))
      #expect(!back.restored.contains("b"))
    }
    // What was saved without the kept state is not lost either.
    let quarantine = try names(in: program.folder.appending(path: "quarantine"))
    #expect(quarantine.contains { $0.hasPrefix("state-0") })
  }

  @Test("An app can bring back the kept state before its launch")
  func askedForBefore() throws {
    let program = try Self.program()
    for bug in ["decode:a", "decode:a", "decode:z", "decode:z", "make:loud1", "decode:app"] {
      #expect(try !program.launch("version=1", "\(bug):kill").isReady)
    }
    #expect(try program.launch(["version=1"], ["make b", "terminate"]).restored == [])
    let back = try program.launch(["version=2", "bringsBack"], ["terminate"])
    #expect(back.restored.count == 15)
  }

  @Test("Of two crashing responders both are left out after two ends each, and nothing else")
  func twoCulprits() throws {
    let program = try Self.program()
    let bugs = ["version=1", "decode:a:trap", "finish:z:kill"]
    let launches = try (0..<4).map { _ in try program.launch(bugs, []) }
    #expect(launches.map(\.culprit) == ["", "a", "a", "z"])
    #expect(launches.allSatisfy { !$0.isReady })
    let fifth = try program.launch(bugs, [])
    #expect(fifth.isReady)
    #expect(fifth.leftOut == ["a", "z", "a/a-leaf", "z/z-leaf"])
    #expect(fifth.restored.count == 1 + 4 * 2 + 2)
  }

  @Test("A good launch between ends resets the row, and not what is left out")
  func goodStart() throws {
    let program = try Self.program()
    for (number, name) in Self.screens.enumerated() {
      for _ in 0..<2 { #expect(try !program.launch("version=1", "decode:\(name):kill").isReady) }
      let next = try program.launch("version=1")
      #expect(next.isReady)
      #expect(next.culprit == name)
      #expect(Set(next.leftOut.filter { !$0.contains("/") }) == Set(Self.screens[...number]))
    }
  }

  @Test("Twelve kills between the calls, or while a store is opening, count nothing")
  func waiting() throws {
    let program = try Self.program()
    for _ in 0..<6 {
      let launch = try program.launch(["version=1", "waits"], ["save"])
      #expect(launch.status == -SIGKILL)
      #expect(launch.reason == "launch")
      #expect(launch.words("waiting").prefix(2) == ["late1", "late2"])
      #expect(launch.leftOut == [])
      let next = try program.launch("version=1")
      #expect(next.reason == "launch")
      #expect(next.words("waiting") == [])
    }
  }

  @Test("While a record with a strike waits, a kill or a quit neither counts nor resets")
  func countWhileWaiting() throws {
    let program = try Self.program()
    let bugs = ["version=1", "waits", "late:late1:kill"]
    #expect(try !program.launch(bugs, ["deliver"]).lines.contains("did deliver"))
    for number in 0..<3 {
      let lines = number == 1 ? ["terminate"] : []
      let launch = try program.launch(["version=1", "waits"], lines)
      #expect(launch.isReady && launch.leftOut == [])
    }
    #expect(try !program.launch(bugs, ["deliver"]).lines.contains("did deliver"))
    #expect(try program.launch(bugs, ["deliver"]).leftOut == ["late1", "late1/late1-leaf"])
  }

  @Test("With confirmation, a kill before it counts, and one after it does not")
  func confirmation() throws {
    let program = try Self.program()
    let options = ["version=1", "confirms"]
    for _ in 0..<3 {
      #expect(try program.launch(options, ["confirm"]).reason == "launch")
    }
    #expect(try program.launch(options, []).reason == "launch")
    let second = try program.launch(options, [])
    #expect(second.reason == "recover" && second.culprit == "unknown")
    #expect(second.restored.count > 10)
    // From now on, only the application's own record is restored, until another version.
    for _ in 0..<2 { #expect(try program.launch(options, ["confirm"]).restored == ["app"]) }
    let other = try program.launch(["version=2", "confirms"], ["terminate"])
    #expect(other.restored.count > 10)
    #expect(try program.launch(["version=2", "confirms"], ["confirm"]).reason == "launch")
  }

  @Test("The app may want less than the guard allows")
  func deepLink() throws {
    let program = try Self.program()
    for _ in 0..<2 { #expect(try !program.launch("version=1", "decode:a:kill").isReady) }
    let third = try program.launch("version=1", "reason=nothing")
    #expect(third.reason == "recover")
    #expect(third.restored == [])
    let fourth = try program.launch("version=1", "reason=minimum")
    #expect(fourth.restored == ["app"])
    #expect(fourth.leftOut == ["a", "a/a-leaf"])
  }

  @Test("Launches of which the app wants less do not end the row")
  func deepLinkRow() throws {
    let program = try Self.program()
    for bug in ["decode:a", "decode:a", "decode:z", "decode:z"] {
      #expect(try !program.launch("version=1", "\(bug):kill").isReady)
      #expect(try program.launch(["version=1", "reason=minimum"], ["terminate"]).isReady)
    }
    #expect(try !program.launch("version=1", "make:loud1:kill").isReady)
    #expect(try program.launch("version=1").restored == ["app"])
  }

  @Test("Another version counts from the beginning")
  func otherVersion() throws {
    let program = try Self.program()
    for name in ["a", "a", "z", "z", "loud1"] {
      #expect(try !program.launch("version=1", "decode:\(name):kill").isReady)
    }
    let updated = try program.launch("version=2", "decode:a:kill")
    #expect(updated.reason == "recover")
    #expect(!updated.isReady)
    let next = try program.launch("version=2")
    #expect(next.leftOut == ["a", "a/a-leaf"])
    #expect(next.restored.count > 8)
  }
}
