import Foundation
import LineageTestSupport
import ResponderChain
import StateRestoration
import Testing

/// Tests that compare random edits, saves and launches with an oracle. The oracle was written from
/// the documentation.
///
/// The environment variable `LINEAGE_SEED` selects a single seed. `LINEAGE_LAWS=full` selects 1,000
/// seeds of 120 steps with each strategy.
@Suite("Restoration follows its documentation through random programs")
struct RestorationLawTests {
  private static let isFull = ProcessInfo.processInfo.environment["LINEAGE_LAWS"] == "full"

  @Test("Values, places, contexts, callbacks and reports are those of the oracle")
  func programs() async throws {
    let seeds = SplitMix64.seeds(Self.isFull ? 1_000 : 25)
    try await checkPrograms(
      of: seeds, making: { SeededProgram(seed: $0, count: Self.isFull ? 120 : 60) }
    ) { program in
      var transcripts: [[String]] = []
      for strategy in Strategy.allCases {
        var run = try LawProgram(seed: program.seed, strategy)
        if let found = run.run(program) { return found }
        transcripts.append(run.transcript)
      }
      for transcript in transcripts where transcript != transcripts[0] {
        let pairs = zip(transcript, transcripts[0]).filter { $0 != $1 }.map { "\($0)\n\($1)" }
        return Counterexample(program, complaint: "the strategies differ: \(pairs.first ?? "")")
      }
      return nil
    }
  }
}
