import Foundation
import LineageTestSupport
import StateRestoration
import Testing

@Suite("A guard page whose bytes were changed")
struct PageMutationTests {
  private typealias Crash = GuardedWorld.Crash

  private static let isFull = ProcessInfo.processInfo.environment["LINEAGE_LAWS"] == "full"

  @Test("Each changed byte leaves out what has two strikes or nothing, and never crashes")
  func eachByte() throws {
    let world = try GuardedWorld()
    let archive = try CulpritTests.archive(world)
    try world.crash(
      Crash("decode", "z"), Crash("decode", "z"), Crash("decode", "a"), from: archive)
    let page = [UInt8](try Data(contentsOf: world.page))
    let out = [["z", "z/leaf-z"], []]
    let used = page.indices.filter { page[$0] != 0 }
    let places = Self.isFull ? Array(page.indices) : used + Array(stride(from: 0, to: 4096, by: 61))
    let seed = SplitMix64.seed(4096)
    var random = SplitMix64(seed: seed)
    var results: Set<[String]> = []
    for place in places {
      let values =
        Self.isFull && page[place] != 0
        ? Array(1...255) : [UInt8.random(in: 1...255, using: &random)]
      for value in values {
        var changed = page
        changed[place] ^= value
        try Data(changed).write(to: world.page)
        let launch = GuardedLaunch(world).run(archive)
        results.insert(launch.leftOut)
        guard out.contains(launch.leftOut), launch.outcomes[""] == .restored else {
          Issue.record(
            "LINEAGE_SEED=\(seed): byte \(place) xor \(value) left out \(launch.leftOut)")
          return
        }
      }
    }
    #expect(results.contains(out[0]))
  }

  @Test("After random pages, the application's own record is restored, and then all again")
  func garbage() throws {
    let world = try GuardedWorld()
    let archive = try CulpritTests.archive(world)
    let seed = SplitMix64.seed(17)
    var random = SplitMix64(seed: seed)
    for number in 0..<(Self.isFull ? 2_000 : 50) {
      var bytes = (0..<4096).map { _ in UInt8.random(in: 0...255, using: &random) }
      if number % 2 == 0 { bytes.replaceSubrange(0..<16, with: FoundStrikes.magic) }
      try Data(bytes).write(to: world.page)
      for step in 0..<2 {
        let launch = GuardedLaunch(world).run(archive)
        let isApplication = launch.restoration.report.count(.restored) == 1
        #expect(isApplication == (step == 0), "LINEAGE_SEED=\(seed), page \(number)")
        #expect(launch.leftOut == [] && launch.restoration.isGuarded)
        #expect(launch.restoration.report.problems.isEmpty == (step == 1))
      }
    }
  }
}
