import LineageTestSupport
import ObjectGraph
import Testing

/// Tests that run random programs in nested contexts and in a plain oracle, and compare the
/// results.
///
/// A failure prints the seed and a short program. `LINEAGE_SEED=…` in the environment runs the
/// program of this seed alone.
@Suite("Random programs in nested contexts")
struct GraphModelTests {
  static let steps = 160
  static let entities = Library.entities + [Tally.self, Slip.self]

  @Test("Contexts show, save and refuse as the oracle does", arguments: [true, false])
  func agreement(holds: Bool) async throws {
    try await check(rounds(160), holds: holds) { try MemoryStore(Self.entities) }
  }

  @Test("They do on a file, too", arguments: [true, false], [Stores.sqlite, .poor])
  func onFile(holds: Bool, stores: Stores) async throws {
    try await check(6, holds: holds) { try await stores.open(Self.entities).store }
  }

  private func check(
    _ count: Int, holds: Bool, on open: @escaping () async throws -> any ObjectStore
  ) async throws {
    try await checkPrograms(
      of: SplitMix64.seeds(count),
      making: { Generator.script(seed: $0, steps: Self.steps, holds: holds) },
      check: { Disagreement.counterexample(in: $0, on: try await open()) })
  }
}
