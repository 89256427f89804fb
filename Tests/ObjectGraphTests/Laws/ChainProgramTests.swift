import Foundation
import LineageTestSupport
import ObjectGraph
import SQLiteStorage
import Testing

/// Random programs that save chains of contexts in two worlds. One world calls `saveAll()` and
/// `edit`. The other calls `save()` in each context of the chain; if a call throws, the world is
/// built again, and the calls are left out.
@Suite("saveAll is the series of saves, or nothing")
struct ChainProgramTests {
  @Test("Random programs in memory")
  func memory() async throws {
    try await check(of: SplitMix64.seeds(rounds(100)), steps: 40) {
      try MemoryStore(Library.entities)
    }
  }

  @Test("Random programs in files")
  func files() async throws {
    try await check(of: SplitMix64.seeds(rounds(40), from: 50_000), steps: 30) {
      try await SQLiteStore.open(
        at: Folder.fresh().appendingPathComponent("store.sqlite"), Library.entities)
    }
  }

  private func check(
    of seeds: [UInt64], steps: Int, on open: @escaping () async throws -> any ObjectStore
  ) async throws {
    try await checkPrograms(of: seeds, making: { SeededProgram(seed: $0, count: steps) }) {
      try await run($0, on: open)
    }
  }

  private func run(_ program: SeededProgram, on open: () async throws -> any ObjectStore)
    async throws -> Counterexample<SeededProgram>?
  {
    let setting = ChainWorld.Setting(seed: program.seed)
    let whole = try ChainWorld(setting, on: try await open())
    var series = try ChainWorld(setting, on: try await open())
    var modes: [ChainWorld.Mode] = []
    for (index, step) in program.steps.enumerated() {
      let error = whole.run(step, .whole)
      let expected = series.run(step, .series)
      let deep = setting.isMixed || step % 4 == 0
      modes.append(.series)
      if let expected, !expected.isEmpty {
        modes[index] = .skipped
        series = try ChainWorld(setting, on: try await open())
        for earlier in 0...index {
          _ = series.run(program.steps[earlier], modes[earlier])
          let isDeep = setting.isMixed || program.steps[earlier] % 4 == 0
          if earlier < index { _ = series.look(deep: isDeep) }
        }
      }
      let (one, other) = (whole.look(deep: deep), series.look(deep: deep))
      var complaints = whole.complaints + series.complaints
      if error != expected {
        complaints.append("saveAll: \(error ?? "-"), series: \(expected ?? "-")")
      }
      for line in one where !other.contains(line) { complaints.append("saveAll: \(line)") }
      for line in other where !one.contains(line) { complaints.append("series:  \(line)") }
      if !complaints.isEmpty {
        let text = (whole.log + ["--"] + complaints).joined(separator: "\n")
        return Counterexample(program, failingAt: index, complaint: text)
      }
    }
    return nil
  }
}
