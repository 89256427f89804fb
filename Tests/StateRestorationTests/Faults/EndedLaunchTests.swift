import Foundation
import LineageTestSupport
import ResponderChain
import StateRestoration
import Testing

@Suite("Faults after launches that were killed")
struct EndedLaunchTests {
  /// Makes a program that has the state of two screens.
  private static func program() throws -> CrashingProgram {
    let program = try CrashingProgram()
    try program.make("a", "z")
    return program
  }

  @Test(
    "One kill during a launch hides no screen",
    arguments: ["make:a:kill", "attach:a:kill", "decode:a:kill", "finish:a:kill"])
  func oneKill(_ bug: String) throws {
    let program = try Self.program()
    #expect(try !program.launch("version=1", bug).isReady)
    for _ in 0..<2 {
      let next = try program.launch("version=1")
      #expect(next.isReady && next.leftOut == [])
      #expect(next.restored == ["app", "a", "z", "a/a-leaf", "z/z-leaf"])
    }
  }

  @Test(
    "Crashes in the application's closures move no archive away for ever",
    arguments: ["report:app:kill", "told:app:kill"])
  func closures(_ bug: String) throws {
    let program = try Self.program()
    #expect(try !program.launch("version=1", bug).isReady)
    for _ in 0..<2 { try program.launch("version=1", bug) }
    let mended = try program.launch("version=2")
    #expect(mended.isReady)
    #expect(mended.restored.contains("a") && mended.restored.contains("z"))
  }

  @Test("Launches that were not confirmed move no archive away for ever")
  func unconfirmed() throws {
    let program = try Self.program()
    for _ in 0..<4 { #expect(try program.launch("version=1", "confirms").isReady) }
    let mended = try program.launch(["version=2", "confirms"], ["confirm"])
    #expect(mended.isReady)
    #expect(mended.restored.contains("a") && mended.restored.contains("z"))
  }
}
