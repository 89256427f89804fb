import Foundation
import LineageTestSupport
import StateRestoration
import Testing

@Suite("A launch that is killed while it puts a record into quarantine")
struct QuarantineWriteTests {
  @Test("kill -9 right before each call: the culprit stays left out, and nothing is lost")
  func eachCall() throws {
    let program = try CrashingProgram()
    try program.make("a", "z")
    #expect(try !program.launch("version=1", "decode:a:kill").isReady)
    let template = program.folder.appendingPathExtension("template")
    try FileManager.default.moveItem(at: program.folder, to: template)
    var call = 1
    var isOver = false
    while !isOver {
      try? FileManager.default.removeItem(at: program.folder)
      try FileManager.default.copyItem(at: template, to: program.folder)
      isOver = try program.launch("version=1", "calls=\(call)").isReady
      let next = try program.launch(["version=1"], ["read z"])
      #expect(next.isReady, "call \(call)")
      #expect(next.quarantined == ["a", "a/a-leaf"], "call \(call)")
      #expect(next.restored == ["app", "z", "z/z-leaf"], "call \(call)")
      #expect(next.lines.contains("value z"), "call \(call)")
      #expect(next.problems.allSatisfy { $0.contains("has crashed") }, "call \(call)")
      call += 1
    }
    #expect(call > 20)
    // Another version of the app restores the screen again, with its values.
    let updated = try program.launch(["version=2"], ["read a", "read a-leaf"])
    #expect(updated.restored.count == 5)
    #expect(updated.lines.contains("value a") && updated.lines.contains("value a-leaf"))
  }
}
