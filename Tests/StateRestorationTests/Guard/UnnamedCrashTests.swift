import Foundation
import LineageTestSupport
import ResponderChain
import StateRestoration
import Testing

@Suite("Crashes that come back, and that no record explains")
struct UnnamedCrashTests {
  @Test("A program that crashes whenever it is told of screens restores its own record only")
  func told() throws {
    let program = try CrashingProgram()
    try program.make("a", "z")
    let words = ["version=1", "told:children:kill"]
    let launches = try (0..<6).map { _ in try program.launch(words, []) }
    #expect(launches.map(\.isReady) == [false, false, true, true, true, true])
    #expect(launches.dropFirst(2).allSatisfy { $0.restored == ["app"] })
    // All comes back when the program is mended.
    #expect(try program.launch("version=2").restored.count == 5)
  }

  @Test("Between two such crashes, one good launch begins the count anew")
  func reset() throws {
    let program = try CrashingProgram()
    try program.make("a", "z")
    for _ in 0..<4 {
      #expect(try !program.launch("version=1", "told:children:kill").isReady)
      #expect(try program.launch("version=1").restored.count == 5)
    }
  }

  @Test("A start that was not confirmed names no record, also after a save and a late value")
  func unconfirmedLater() throws {
    let world = try GuardedWorld()
    let first = GuardedLaunch(world).run(nil)
    for name in ["a", "late", "z"] { try first.add(name) }
    let archive = first.restoration.archive(of: first.app)
    let second = GuardedLaunch(world)
    second.restoration.awaitsConfirmation = true
    second.run(archive, waits: true)
    // After the save, the page names records by their paths.
    let saved = second.restoration.archive(of: second.app)
    second.deliver()
    world.bugs = [GuardedWorld.Crash("later")]
    world.call("later")
    try world.end()
    let third = GuardedLaunch(world).run(saved)
    #expect(third.leftOut == [])
    #expect(world.calls.contains(GuardedWorld.Crash("ask", "recover")))
    #expect(third.find("late")?.page != nil)
  }

  @Test("An observer's crash names no record that was restored earlier")
  func observerLater() throws {
    let world = try GuardedWorld()
    let first = GuardedLaunch(world).run(nil)
    for name in ["a", "late", "ear-z"] { try first.add(name) }
    let archive = first.restoration.archive(of: first.app)
    let second = GuardedLaunch(world)
    second.restoration.awaitsConfirmation = true
    second.run(archive, waits: true)
    let saved = second.restoration.archive(of: second.app)
    second.deliver()
    world.bugs = [GuardedWorld.Crash("hear", "ear-z")]
    second.app.provide("loud", for: LoudKey.self)
    #expect(world.crash != nil)
    try world.end()
    #expect(GuardedLaunch(world).run(saved).leftOut == [])
  }
}
