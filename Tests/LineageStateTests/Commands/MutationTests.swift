import Foundation
import LineageState
import LineageTestSupport
import ResponderChain
import StateRestoration
import Testing

/// Tests that compare the findings of `lineage-state` with those of a launch, for damaged and
/// forged archives.
///
/// If the environment has `LINEAGE_LAWS=full`, each test tries 200,000 archives.
@Suite("The tool on damaged and forged archives", .hangGuard)
struct MutationTests {
  private static let isFull = ProcessInfo.processInfo.environment["LINEAGE_LAWS"] == "full"
  private static let count = isFull ? rounds(200_000) : rounds(1_000)

  @Test("Damaged bytes: no crash, the same findings as a launch, and safe output")
  func damaged() throws {
    let archives = try Samples.archives().map(\.bytes)
    try check(seed: 31) { random in Forgery.damage(random.pick(archives), &random) }
  }

  @Test("Forged items with valid checksums: no crash, the same findings, and safe output")
  func forged() throws {
    let forgeries = try Samples.archives().map { Forgery($0.bytes) }
    try check(seed: 32) { random in
      var forgery = random.pick(forgeries)
      for _ in 0...random.below(3) { forgery.change(&random) }
      return forgery.bytes
    }
  }

  private func check(
    seed: UInt64, _ mutant: (inout SplitMix64) -> [UInt8]
  ) throws {
    let drawer = try Drawer()
    let seed = SplitMix64.seed(seed)
    var random = SplitMix64(seed: seed)
    var counts = [0, 0, 0]
    for round in 0..<Self.count {
      // The first archive is good, so that both results occur.
      let bytes = round == 0 ? try Samples.archives()[0].bytes : mutant(&random)
      let path = try drawer.write(bytes)
      if let complaint = try Self.complaint(about: bytes, at: path, &counts) {
        Issue.record("seed \(seed), round \(round): \(complaint)\n\(bytes)")
        return
      }
    }
    print("seed \(seed): \(Self.count) archives, of which \(counts) have status 0, 1 and 2")
    #expect(counts[0] > 0 && counts[1] > 0)
  }

  private static func complaint(
    about bytes: [UInt8], at path: String, _ counts: inout [Int]
  ) throws -> String? {
    let shown = runTool("show", path)
    if let complaint = shown.complaint { return "show: \(complaint)" }
    counts[Int(shown.status)] += 1
    let json = runTool("show", "--json", path)
    if let complaint = json.complaint { return "--json: \(complaint)" }
    if json.status != shown.status { return "--json: status \(json.status), not \(shown.status)" }
    if (try? JSONSerialization.jsonObject(with: Data(json.output.utf8))) == nil {
      return "this is no JSON: \(json.output)"
    }
    return try complaint(about: bytes, shown)
  }

  /// Returns the first difference between the findings of the tool and of a launch; nil if there is
  /// none.
  private static func complaint(about bytes: [UInt8], _ shown: ToolResult) throws -> String? {
    let inspection = ArchiveInspection(bytes)
    let archive = StateArchive(bytes: bytes)
    let findings = archive.validate()
    let isClean =
      findings.fault == nil && findings.damaged == 0 && findings.unusedBytes == 0
    if shown.status == 0, !isClean { return "show finds nothing, a launch \(findings)" }
    if inspection.findings != findings { return "\(inspection.findings) is not \(findings)" }
    let application = Application()
    let restoration = makeRestoration()
    application.launch(restoring: restoration, from: archive)
    let report = restoration.report
    if shown.status == 0, report.count(.damaged) > 0 || !report.problems.isEmpty {
      return "show finds nothing, a launch reports \(report)"
    }
    guard findings.fault == nil else { return nil }
    // In the report of a launch, the path of an unreadable record ends with a question mark.
    let paths = report.records.map(\.path).filter { !$0.isEmpty && $0.last != "?" }
    let found = inspection.nodes.indices.filter { index in
      inspection.nodes[index].header != nil && index > 0
    }
    .map { index -> [String] in
      var path: [String] = []
      var next = index
      while let parent = inspection.nodes[next].parent {
        path.append(inspection.nodes[next].header?.identifier ?? "")
        next = parent
      }
      return path.reversed()
    }
    .filter { $0.last != "?" }
    return found == paths ? nil : "the tool finds \(found), a launch \(paths)"
  }
}
