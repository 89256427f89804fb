import Foundation
import LineageTestSupport
import Testing

@Suite("Processes that are killed while they edit go on as an independent model says", .hangGuard)
struct KilledProcessTests {
  private static var probe: String {
    URL(filePath: CommandLine.arguments[0]).deletingLastPathComponent()
      .appending(path: "LineageEditProbe").path
  }

  @Test func killed() throws {
    let count = ProcessInfo.processInfo.environment["SECOND_ORACLE"].flatMap { Int($0) } ?? 8
    for seed in SplitMix64.seeds(count) {
      var random = SplitMix64(seed: seed)
      let drawer = try Drawer()
      let typing = try ChildProcess(Self.probe, ["type", drawer.url.path, "\(seed)", "1000"])
      #expect(typing.waits(for: "done \(1 + random.below(60))\n"))
      if random.chance(25) {
        // The edits may be with the process that types, so another one does not restore them.
        let (_, said) = try ChildProcess.run(
          Self.probe, ["other", drawer.url.path, "\(seed)", "\(random.below(2))"])
        #expect(said.contains("unsaved 0") && said.contains("process"), "\(said)")
      }
      usleep(UInt32(random.below(5000)))
      typing.kill()
      let done = typing.end().matches(of: /done \d+\n/).count
      let (_, said) = try ChildProcess.run(
        Self.probe, ["check", drawer.url.path, "\(seed)", "\(done)"])
      #expect(said.hasSuffix("as expected\n"), "LINEAGE_SEED=\(seed), \(done) steps: \(said)")
    }
  }
}
