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

  @Test("They do in cases that few random programs have")
  func rareCases() throws {
    for script in Script.rare {
      let found = Disagreement.first(in: script, on: try MemoryStore(Self.entities))
      #expect(found?.description == nil, "\(script)")
    }
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

extension Script {
  fileprivate static var rare: [Script] {
    [
      // A deletion is done again after an edit above.
      Script(
        .insert(new(0, .deck), into: 0), .child(1, of: 0), .recordUndo(true, in: 1),
        .delete(0, in: 1), .undo(1), .edit(0, field: 0, 1, in: 0), .redo(1), .save(1)),
      // A card is listed again after an edit has made a second link to it, which comes first.
      Script(
        .insert(new(0, .tally), into: 0), .insert(new(1, .card), into: 0),
        .insert(new(2, .card), into: 0), .enlist(0, card: 1, at: 0, new(3, .slip), in: 0),
        .enlist(0, card: 2, at: 0, new(4, .slip), in: 0), .link(4, field: 2, 1, in: 0),
        .enlist(0, card: 1, at: nil, new(5, .slip), in: 0)),
      // A child keeps an object that is deleted above, with a reference that a rule has set to nil.
      Script(
        .insert(new(0, .card), into: 0), .insert(new(1, .learner), into: 0),
        .link(1, field: 1, 0, in: 0), .save(0), .child(1, of: 0), .policy(.mine, in: 1),
        .delete(0, in: 1), .deleteAll([1, 0], in: 0), .save(1), .delete(1, in: 0),
        .foreign(.delete(0), savesBefore: true)),
    ]
  }

  private init(_ steps: Step...) { self.init(seed: 0, holds: true, steps: steps) }

  private static func new(_ number: Int, _ kind: Kind) -> Step.New {
    Step.New(number: number, kind: kind, text: 0, count: 0)
  }
}
