import Foundation
import LineageTestSupport
import StateRestoration
import Testing

@Suite("A launch that is killed while it counts ends, or renames archives")
struct KilledCallTests {
  /// Runs a launch that is killed right before each call of the file system, each time on a copy of
  /// the folder, until a launch is not killed. Calls the closure after each of them.
  private static func killEachCall(
    _ program: CrashingProgram, _ check: (Int) throws -> Void
  ) throws -> Int {
    let template = program.folder.appendingPathExtension("template")
    try? FileManager.default.removeItem(at: template)
    try FileManager.default.moveItem(at: program.folder, to: template)
    var call = 1
    var isOver = false
    while !isOver {
      try? FileManager.default.removeItem(at: program.folder)
      try FileManager.default.copyItem(at: template, to: program.folder)
      isOver = try program.launch("version=1", "calls=\(call)").isReady
      try check(call)
      call += 1
    }
    return call
  }

  @Test("kill -9 right before each call: what has two strikes stays left out, and nothing is lost")
  func counting() throws {
    let program = try CrashingProgram()
    try program.make("a", "z")
    for _ in 0..<2 { #expect(try !program.launch("version=1", "decode:a:kill").isReady) }
    let calls = try Self.killEachCall(program) { call in
      let next = try program.launch(["version=1"], ["read z"])
      #expect(next.isReady, "call \(call)")
      #expect(next.leftOut == ["a", "a/a-leaf"], "call \(call)")
      #expect(next.restored == ["app", "z", "z/z-leaf"], "call \(call)")
      #expect(next.lines.contains("value z"), "call \(call)")
      #expect(next.problems.allSatisfy { $0.contains("has ended") }, "call \(call)")
    }
    #expect(calls > 10)
    // Another version of the app restores the screen again, with its values.
    let updated = try program.launch(["version=2"], ["read a", "read a-leaf"])
    #expect(updated.restored.count == 5)
    #expect(updated.lines.contains("value a") && updated.lines.contains("value a-leaf"))
  }

  @Test("kill -9 right before each call of a launch without state loses no archive")
  func keeping() throws {
    let program = try CrashingProgram()
    try program.make("a", "z")
    let bugs = ["make:a", "make:a", "make:z", "make:z", "decode:app", "decode:app"]
    for bug in bugs { #expect(try !program.launch("version=1", "\(bug):kill").isReady) }
    let calls = try Self.killEachCall(program) { call in
      // The next launch restores nothing and saves something, unless the kill counts as an end.
      #expect(try program.launch(["version=1"], ["make b", "save"]).isReady, "call \(call)")
      let back = try program.launch(["version=2", "bringsBack"], ["read a", "terminate"])
      #expect(back.lines.contains("value a"), "call \(call)")
      #expect(back.problems == [], "call \(call)")
    }
    #expect(calls > 15)
  }

  @Test("kill -9 right before each call of a launch that brings archives back loses none")
  func bringingBack() throws {
    let program = try CrashingProgram()
    try program.make("a", "z")
    let bugs = ["make:a", "make:a", "make:z", "make:z", "decode:app", "decode:app"]
    for bug in bugs { #expect(try !program.launch("version=1", "\(bug):kill").isReady) }
    // The launch without state ends as well.
    #expect(try !program.launch(["version=1", "report:app:kill"], []).isReady)
    let calls = try Self.killEachCall(program) { call in
      let back = try program.launch(["version=1"], ["read a", "terminate"])
      #expect(back.restored.count == 5 && back.lines.contains("value a"), "call \(call)")
      #expect(back.problems.allSatisfy { $0.contains("has ended") }, "call \(call)")
    }
    #expect(calls > 15)
  }
}
