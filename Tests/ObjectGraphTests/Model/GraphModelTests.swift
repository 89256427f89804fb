import Foundation
import LineageTestSupport
import ObjectGraph
import Testing

/// Random programs, done to nested contexts and to a flat oracle.
///
/// A failure prints a seed and a short program; `LINEAGE_SEED=…` in the environment runs the
/// program of that seed alone.
@Suite("Random programs in nested contexts")
struct GraphModelTests {
  static let steps = 160

  @Test("Contexts show, save and refuse as the oracle does", arguments: [true, false])
  func agreement(holds: Bool) throws {
    for seed in seeds(rounds(160)) {
      let script = Generator.script(seed: seed, steps: Self.steps, holds: holds)
      if let failure = try failure(script, { try MemoryStore(Library.entities) }) {
        Issue.record("LINEAGE_SEED=\(seed)\n\(failure.script)\n\(failure.disagreement)")
        return
      }
    }
  }

  @Test("They do on a file, too", arguments: [true, false])
  func onFile(holds: Bool) async throws {
    for seed in seeds(6) {
      let script = Generator.script(seed: seed, steps: Self.steps, holds: holds)
      let opened = try await Stores.sqlite.open()
      if let disagreement = Disagreement.first(in: script, on: opened.store) {
        Issue.record("LINEAGE_SEED=\(seed)\n\(script)\n\(disagreement)")
        return
      }
    }
  }

  private func failure(
    _ script: Script, _ makeStore: @escaping () throws -> any ObjectStore
  ) throws -> (script: Script, disagreement: Disagreement)? {
    guard Disagreement.first(in: script, on: try makeStore()) != nil else { return nil }
    return Shrinking { script in
      (try? makeStore()).flatMap { Disagreement.first(in: script, on: $0) }
    }.shrink(script)
  }

  private func seeds(_ count: Int) -> [UInt64] {
    let given = ProcessInfo.processInfo.environment["LINEAGE_SEED"].flatMap { UInt64($0) }
    return given.map { [$0] } ?? Array(1...UInt64(count))
  }
}
