import Foundation
import LineageTestSupport
import ObjectGraph
import Testing

/// Tests that compare the library with the laws of an edit, by random programs in four contexts.
///
/// The environment variable `LINEAGE_SEED` selects a single seed. `LINEAGE_LAWS=full` selects 400
/// seeds of 2,000 steps on both stores.
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

  @Test("They do with a dialect that can say nothing but equality", arguments: seeds(4))
  func poor(seed: UInt64) async throws { try await check(seed, .poor) }

  @Test("Programs have steps of each kind")
  func kinds() {
    let drawn = (1...5).flatMap { Laws.program(seed: $0, steps: 500).steps }
    let missing = Set(Laws.Step.Kind.allCases).subtracting(drawn.flatMap(\.kinds))
    #expect(missing == [])
  }

  @Test(
    "Programs of the usual seeds find planted faults",
    .disabled(if: isSanitized, "it tests the oracle, which has no unsafe code"),
    arguments: Laws.Sabotage.allCases)
  func sabotage(_ fault: Laws.Sabotage) async throws {
    for seed in 1...UInt64(rounds(40)) {
      let found = try await Laws.run(seed: seed, steps: 500, fault, on: open(.memory))
      if found != nil { return }
    }
    Issue.record("nobody noticed \(fault)")
  }

  private func open(_ stores: Stores) -> () async throws -> any ObjectStore {
    { try await stores.open([Laws.Person.self, Laws.Team.self]).store }
  }

  private func check(_ seed: UInt64, _ stores: Stores) async throws {
    try await checkPrograms(
      of: [seed], first: { try await Laws.run(seed: $0, steps: Self.steps, on: open(stores)) },
      check: { try await Laws.run($0, on: open(stores)) })
  }
}
