import Foundation
import LineageTestSupport
import ObjectGraph
import Testing

/// Random programs in four contexts against the laws of an edit.
///
/// `LINEAGE_SEED` runs one seed, `LINEAGE_LAWS=full` 400 seeds of 2,000 steps on both stores.
@Suite("Laws 1 to 5 of an edit hold in random programs")
struct LawFuzzTests {
  private static let environment = ProcessInfo.processInfo.environment
  private static let isFull = environment["LINEAGE_LAWS"] == "full"
  private static let steps = isFull ? 2_000 : 500

  private static func seeds(_ count: Int) -> [UInt64] {
    if let seed = environment["LINEAGE_SEED"].flatMap({ UInt64($0) }) { return [seed] }
    return Array(1...UInt64(isFull ? 400 : rounds(count)))
  }

  @Test("Random programs agree with the laws in memory", arguments: seeds(40))
  func memory(seed: UInt64) async throws { try await check(seed, .memory) }

  @Test("Random programs agree with the laws on disk", arguments: seeds(4))
  func disk(seed: UInt64) async throws { try await check(seed, .sqlite) }

  private func check(_ seed: UInt64, _ stores: Stores) async throws {
    let open: () async throws -> any ObjectStore = {
      try await stores.open([Laws.Person.self, Laws.Team.self]).store
    }
    guard let found = try await Laws.run(seed: seed, steps: Self.steps, on: open) else { return }
    let least = try await Laws.shrink(found, on: open)
    Issue.record(
      """
      seed \(seed), step \(found.program.steps.count): \(found.disagreement)
      shortened to \(least.program.steps.count) steps: \(least.disagreement)
      \(least.program)
      """)
  }
}
