import Foundation
import Lineage
import LineageEditProbe
import LineageTestSupport
import ObjectGraph
import SQLiteStorage
import Testing

@Suite("Random programs are killed, and go on as an independent model says", .hangGuard)
@MainActor
struct RandomEditTests {
  private func check(
    _ program: SeededProgram, isFile: Bool
  ) async throws -> Counterexample<SeededProgram>? {
    let drawer = try Drawer()
    let entities: [any Entity.Type] = [Item.self, Box.self]
    let store: any ContextMaking =
      isFile
      ? try await SQLiteStore.open(at: drawer.file("store"), entities)
      : try MemoryStore(entities)
    let run = try await EditRun(store, drawer.url, seed: program.seed)
    defer { run.world.kill() }
    for (index, seed) in program.steps.enumerated() {
      do {
        try await run.step(seed)
        if index == program.steps.count - 1 { try await run.finish() }
      } catch {
        let text = run.log.joined(separator: "\n") + "\n\(error)"
        return Counterexample(program, failingAt: index, complaint: text)
      }
    }
    return nil
  }

  /// Runs programs. The variable `SECOND_ORACLE` is their number; if it is more than 100, they are long.
  @Test(arguments: [false, true])
  func programs(isFile: Bool) async throws {
    let count = ProcessInfo.processInfo.environment["SECOND_ORACLE"].flatMap { Int($0) } ?? 40
    try await checkPrograms(of: SplitMix64.seeds(isFile ? count / 8 : count), "file \(isFile)") {
      SeededProgram(seed: $0, count: count > 100 ? 80 : 30)
    } check: {
      try await check($0, isFile: isFile)
    }
  }
}
