import Foundation
import LineageTestSupport
import ObjectGraph
import Testing

/// Random programs in four contexts against the laws of an edit.
///
/// `LINEAGE_SEED` runs one seed, `LINEAGE_LAWS=full` 400 seeds of 2,000 steps on both stores.
@Suite("Laws 1 to 5 of an edit hold in random programs")
struct LawFuzzTests {
  private static let isFull = ProcessInfo.processInfo.environment["LINEAGE_LAWS"] == "full"
  private static let steps = isFull ? 2_000 : 500

  private static func seeds(_ count: Int) -> [UInt64] {
    SplitMix64.seeds(isFull ? 400 : rounds(count))
  }

  @Test("Random programs agree with the laws in memory", arguments: seeds(40))
  func memory(seed: UInt64) async throws { try await check(seed, .memory) }

  @Test("Random programs agree with the laws on disk", arguments: seeds(4))
  func disk(seed: UInt64) async throws { try await check(seed, .sqlite) }

  private func check(_ seed: UInt64, _ stores: Stores) async throws {
    let open: () async throws -> any ObjectStore = {
      try await stores.open([Laws.Person.self, Laws.Team.self]).store
    }
    try await checkPrograms(
      of: [seed], first: { try await Laws.run(seed: $0, steps: Self.steps, on: open) },
      check: { try await Laws.run($0, on: open) })
  }
}
