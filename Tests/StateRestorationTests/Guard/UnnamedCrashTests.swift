import Foundation
import LineageTestSupport
import ResponderChain
import StateRestoration
import Testing

@Suite("Crashes that come back, and that no record explains")
struct UnnamedCrashTests {
  @Test("A good start with the minimum does not reset the count of a crash without a record")
  func policy() {
    for phase in [RestorationPhase.telling, .decoding, .finishing] {
      var policy = RecoveryPolicy()
      policy.noteCrash(in: phase, hasNewCulprit: false)
      #expect(policy.step == .minimum)
      policy.noteGoodStart()
      #expect(policy.step == .all)
      var reset = policy
      policy.noteCrash(in: phase, hasNewCulprit: false)
      #expect(policy.step == .nothing)
      policy.noteGoodStart()
      policy.noteCrash(in: phase, hasNewCulprit: false)
      #expect(policy.step == .minimum)
      // A launch that restores all records without a crash resets the policy.
      reset.noteGoodStart()
      reset.noteCrash(in: phase, hasNewCulprit: false)
      #expect(reset.step == .minimum)
    }
  }

  @Test("A minimum after three culprits is no such crash")
  func named() {
    var policy = RecoveryPolicy()
    for _ in 0..<3 { policy.noteCrash(in: .decoding, hasNewCulprit: true) }
    #expect(policy.step == .minimum)
    policy.noteGoodStart()
    policy.noteCrash(in: .telling, hasNewCulprit: false)
    #expect(policy.step == .minimum)
  }

  @Test("All flags of a policy are in the guard's state")
  func flags() {
    var policy = RecoveryPolicy()
    for phase in [RestorationPhase.asking, .prefetching, .telling, .idle] {
      policy.noteCrash(in: phase, hasNewCulprit: false)
      if phase == .idle { policy.noteGoodStart() }
      var state = GuardState()
      state.policy = policy
      #expect(GuardState(state.encoded[...])?.policy == policy)
    }
  }

  @Test("A program that crashes whenever it is told of screens ends after two crashes")
  func told() throws {
    let program = try CrashingProgram()
    try program.make("a", "z")
    let words = ["version=1", "told:children:kill"]
    let launches = try (0..<6).map { _ in try program.launch(words, []) }
    #expect(launches.map(\.isReady) == [false, true, false, true, true, true])
    #expect(launches[1].restored == ["app"])
    #expect(launches[3].restored == [])
    #expect(launches[3].problems.contains { $0.contains("Nothing is restored") })
    let quarantine = program.folder.appending(path: "quarantine")
    #expect(try names(in: quarantine).contains { $0.hasPrefix("state-") })
    #expect(launches[4].problems == [])
  }

  @Test("Between two such crashes, one good start with all records begins the count anew")
  func reset() throws {
    let program = try CrashingProgram()
    try program.make("a", "z")
    for _ in 0..<2 {
      #expect(try !program.launch("version=1", "told:children:kill").isReady)
      #expect(try program.launch("version=1").restored == ["app"])
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

  @Test("Starts that are never confirmed but with the minimum end with nothing")
  func unconfirmed() throws {
    let program = try CrashingProgram()
    try program.make("a", "z")
    var restored: [Int] = []
    for _ in 0..<6 {
      let lines = restored.count % 3 == 2 ? ["confirm"] : []
      restored.append(try program.launch(["version=1", "confirms"], lines).restored.count)
    }
    #expect(restored == [5, 5, 1, 5, 5, 0])
  }
}
