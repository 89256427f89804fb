import Foundation
import LineageTestSupport
import ResponderChain
import StateRestoration
import Testing

@Suite("A fetch of objects that crashes")
struct PrefetchCrashTests {
  @Test("Fetched for many records, an object has no culprit; fetched alone, it has one")
  func culprit() throws {
    for way in ["kill", "trap"] {
      let program = try CrashingProgram()
      try program.make("a", "late1", "late2", "z")
      let words = ["version=1", "fetch:late2:\(way)"]
      let launches = try (0..<3).map { _ in try program.launch(words, []) }
      #expect(launches.allSatisfy { !$0.isReady })
      #expect(launches.map(\.culprit) == ["", "unknown", "late2"])
      for number in 0...2 {
        let next = try program.launch(words, [])
        #expect(next.isReady)
        #expect(next.reason == (number == 0 ? "recover" : "launch"))
        #expect(next.culprit == (number == 0 ? "late2" : ""))
        #expect(next.leftOut == ["late2", "late2/late2-leaf"])
        #expect(next.restored.count == 7)
      }
      // Another version of the app prefetches the objects of all records again.
      #expect(try !program.launch("version=2", "fetch:late1:\(way)").isReady)
      let last = try program.launch("version=2")
      #expect(last.culprit == "unknown" && last.restored.count == 9)
    }
  }

  @Test("When a context comes late, its objects are fetched in the same way")
  func late() throws {
    let program = try CrashingProgram()
    try program.make("late1", "late2")
    let words = ["version=1", "waits", "fetch:late1:kill"]
    for _ in 0..<3 {
      #expect(try !program.launch(words, ["deliver"]).lines.contains("did deliver"))
    }
    let fourth = try program.launch(words, ["deliver"])
    #expect(fourth.lines.contains("did deliver"))
    #expect(fourth.culprit == "late1")
    #expect(fourth.leftOut == ["late1", "late1/late1-leaf"])
  }
}
