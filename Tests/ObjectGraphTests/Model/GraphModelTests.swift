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

  @Test("A deletion that is done again after an edit above is no conflict")
  func redoneDeletion() throws {
    let deck = Step.New(number: 0, kind: .deck, text: 0, count: 0)
    let steps: [Step] = [
      .insert(deck, into: 0), .child(1, of: 0), .recordUndo(true, in: 1), .delete(0, in: 1),
      .undo(1), .edit(0, field: 0, 1, in: 0), .redo(1), .save(1),
    ]
    let script = Script(seed: 0, holds: true, steps: steps)
    let found = Disagreement.first(in: script, on: try MemoryStore(Self.entities))
    #expect(found?.description == nil)
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
