import Foundation
import LineageTestSupport
import StateRestoration
import Testing

@Suite("A guard page whose bytes were changed")
struct PageMutationTests {
  private typealias Crash = GuardedWorld.Crash

  private static let isFull = ProcessInfo.processInfo.environment["LINEAGE_LAWS"] == "full"

  /// Returns the page after two launches, each of which crashed in another screen. Neither of these
  /// culprits is marked in an archive, because no archive could be written.
  private static func page(_ world: GuardedWorld, _ archive: StateArchive) throws -> [UInt8] {
    world.writes = false
    for name in ["z", "a"] {
      world.bugs = [Crash("decode", name)]
      GuardedLaunch(world).run(archive)
      try world.end()
    }
    world.bugs = []
    return [UInt8](try Data(contentsOf: world.page))
  }

  @Test("Each changed byte leaves out the culprits or nothing, and never crashes")
  func eachByte() throws {
    let world = try GuardedWorld()
    let archive = try CulpritTests.archive(world)
    let page = try Self.page(world, archive)
    let both = ["a", "z", "a/leaf-a", "z/leaf-z"]
    let allowed = [both, ["a", "a/leaf-a"], ["z", "z/leaf-z"], []]
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
        guard allowed.contains(launch.leftOut) else {
          Issue.record(
            "LINEAGE_SEED=\(seed): byte \(place) xor \(value) left out \(launch.leftOut)")
          return
        }
      }
    }
    #expect(results.contains(both))
    #expect(results.contains(["a", "a/leaf-a"]))
  }

  @Test("Random pages are no information")
  func garbage() throws {
    let world = try GuardedWorld()
    let archive = try CulpritTests.archive(world)
    let seed = SplitMix64.seed(17)
    var random = SplitMix64(seed: seed)
    for number in 0..<(Self.isFull ? 2_000 : 50) {
      var bytes = (0..<4096).map { _ in UInt8.random(in: 0...255, using: &random) }
      if number % 2 == 0 { bytes.replaceSubrange(0..<16, with: GuardPage.magic) }
      try Data(bytes).write(to: world.page)
      let launch = GuardedLaunch(world).run(archive)
      #expect(launch.leftOut == [], "LINEAGE_SEED=\(seed), page \(number)")
      #expect(launch.restoration.report.problems == [])
      #expect(launch.restoration.isGuarded)
    }
  }
}
