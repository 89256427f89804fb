import Benchmarks
import Foundation
import LineageTestSupport
import Testing

@Testing.Suite("The comparison of two commits' benchmarks", .hangGuard)
struct ComparisonTests {
  /// Returns one row of a report, as JSON: the figures of a subject in a case.
  private func row(
    _ subject: String = "skipping", case name: String = "lookup", ratio: Double = 1,
    median: Double = 10, minimum: Double = 9, baseline: String = "stored reference"
  ) -> String {
    """
    {"suite": "resolution", "case": "\(name)", "subject": "\(subject)",
     "parameters": {"depth": 8, "providers": "all"}, "unit": "ns", "minimum": \(minimum),
     "median": \(median), "p90": 11, "samples": 30, "baseline": "\(baseline)", "ratio": \(ratio)}
    """
  }

  /// Returns a report with these rows. Its JSON has the form that `--json` writes.
  private func file(
    _ rows: [String], facts: String = "\"seed\": 1,", path: String = "run.json"
  ) throws -> ReportFile {
    let text = "{\"schema\": 1, \(facts) \"results\": [\(rows.joined(separator: ","))]}"
    return try ReportFile(Data(text.utf8), path: path)
  }

  /// Returns one report for each ratio. Its only figure has this ratio to its baseline.
  private func runs(_ ratios: [Double]) throws -> [ReportFile] {
    try ratios.map { try file([row(ratio: $0)]) }
  }

  private func verdict(_ a: [ReportFile], _ b: [ReportFile]) throws -> ComparedFigure.Verdict {
    try #require(Comparison(a, b).figures.first).verdict
  }

  @Test(
    "Slower is more than 5 %, and more than A differs from A, of the medians of the ratios",
    arguments: [
      // The ratios of A, the ratios of B, and whether B is slower.
      ([1, 1, 1, 1, 1], [1.06, 1.06, 1.06, 1.06, 1.06], true),
      ([1, 1, 1, 1, 1], [1.05, 1.05, 1.05, 1.05, 1.05], false),
      ([1.1, 1.1, 1.1, 1.1, 1.1], [1.155, 1.155, 1.155, 1.155, 1.155], false),
      ([1.1, 1.1, 1.1, 1.1, 1.1], [1.156, 1.156, 1.156, 1.156, 1.156], true),
      // The runs of A differ as much as A and B do, then a little less.
      ([0.95, 1, 1, 1, 1.05], [1.1, 1.1, 1.1, 1.1, 1.1], false),
      ([0.95, 1, 1, 1, 1.04], [1.1, 1.1, 1.1, 1.1, 1.1], true),
      // Differences among the runs of B do not count, and neither does one bad run of B.
      ([1, 1, 1, 1, 1], [0.5, 1.1, 1.1, 1.1, 9], true),
      ([1, 1, 1, 1, 1], [1, 1, 1, 9, 9], false),
      // The median of an even number of ratios is between the two in the middle.
      ([1, 1], [1, 1.2], true), ([1, 1], [1, 1.1], false),
      // One run each: the differences among runs of A are unknown.
      ([1], [1.05], false), ([1], [1.0501], true),
    ])
  func slower(a: [Double], b: [Double], isSlower: Bool) throws {
    #expect(try verdict(runs(a), runs(b)) == (isSlower ? .slower : .same))
  }

  @Test("Faster is the same rule with the signs changed")
  func faster() throws {
    #expect(try verdict(runs([1, 1, 1]), runs([0.94, 0.94, 0.94])) == .faster)
    #expect(try verdict(runs([1, 1, 1]), runs([0.95, 0.95, 0.95])) == .same)
    #expect(try verdict(runs([1, 1.07, 1]), runs([0.94, 0.94, 0.94])) == .same)
  }

  @Test("Where there is no baseline the medians count, whatever the ratio says")
  func withoutBaseline() throws {
    func runs(_ median: Double) throws -> [ReportFile] {
      [try file([row("Lineage", median: median, baseline: "Lineage")])]
    }
    #expect(try verdict(runs(100), runs(106)) == .slower)
    #expect(try verdict(runs(100), runs(105)) == .same)
  }

  @Test("A baseline that others are divided by is shown, and not judged")
  func baseline() throws {
    func run(_ median: Double) throws -> ReportFile {
      try file([row("stored reference", median: median), row(ratio: 2, median: 2 * median)])
    }
    let comparison = Comparison([try run(10)], [try run(20)])
    #expect(comparison.figures.map(\.verdict) == [.baseline, .same])
    #expect(ComparisonText(comparison: comparison, width: 80).text.contains("+100.0 %"))
  }

  @Test("The fastest sample of all runs stands beside the medians")
  func fastest() throws {
    let a = try [8.0, 7, 9].map { try file([row(minimum: $0)]) }
    let b = try [14.0, 15, 21].map { try file([row(minimum: $0)]) }
    let figure = try #require(Comparison(a, b).figures.first)
    #expect((figure.a.fastest, figure.b.fastest) == (7, 14))
    #expect(figure.changeOfFastest == 1)
  }

  @Test("Figures that are in the files of one commit only are named, and the others compared")
  func missingCase() throws {
    let a = try file([row(), row(case: "miss"), row("chain", case: "miss")])
    let b = try file([row("chain", case: "churn"), row()])
    let comparison = Comparison([a], [b])
    #expect(comparison.figures.count == 1)
    let text = ComparisonText(comparison: comparison, width: 80).text
    #expect(
      text.contains(
        "Only in A, 2 figures:\n  resolution miss depth 8 providers all: skipping, chain"))
    #expect(
      text.contains("Only in B, 1 figure:\n  resolution churn depth 8 providers all: chain"))
  }

  @Test("A figure that some runs lack is compared by those that have it, and named")
  func missingRun() throws {
    let subset = try file([row(case: "miss")])
    let a = try runs([1, 1]) + [subset]
    let comparison = Comparison(a, try runs([2, 2, 2]))
    #expect(comparison.figures.first?.verdict == .slower)
    let text = ComparisonText(comparison: comparison, width: 80).text
    #expect(text.contains("Not in every file, so that the medians are of fewer runs, 1 figure:"))
  }

  @Test("Figures of another baseline or unit are not the same figures")
  func otherBaseline() throws {
    let comparison = Comparison([try file([row()])], [try file([row(baseline: "weak")])])
    #expect(comparison.figures.isEmpty && !comparison.isPassed)
    #expect((comparison.onlyInA.count, comparison.onlyInB.count) == (1, 1))
  }

  @Test("A figure of zero cannot be compared, and a ratio of zero is none")
  func zero() throws {
    func figure(_ ratio: Double, _ median: Double) throws -> [ReportFile] {
      [try file([row(ratio: ratio, median: median)])]
    }
    #expect(try verdict(figure(0, 0), figure(1, 1)) == .unknown)
    #expect(try verdict(figure(0, 10), figure(0, 11)) == .slower)
  }

  @Test("Differing seeds and machines, few runs and debug builds are remarked")
  func remarks() throws {
    let a = try file(
      [row()], facts: #""seed": 1, "machine": {"cores": 2}, "build": "debug", "commit": "abc","#,
      path: "a.json")
    let b = try file([row()], facts: #""seed": 2, "machine": {"cores": 4},"#, path: "b.json")
    let lines = ComparisonRemarks(comparison: Comparison([a], [b])).lines(width: 1000)
    for line in [
      "A: 1 run of abc. B: 1 run of an unknown commit.",
      "Remark: the rule asks for 5 runs of each, and these are fewer.",
      "Remark: one run of A does not tell how much A differs from A, so that 5 % alone decides.",
      "Remark: the runs differ in seed: 1 in a.json, 2 in b.json.",
      "Remark: the runs differ in cores: 2 in a.json, 4 in b.json.",
      "Remark: the figures of a debug build say nothing.",
    ] {
      #expect(lines.contains(line), "\(line)\n\(lines)")
    }
    let five = try runs([1, 1, 1, 1, 1])
    let quiet = ComparisonRemarks(comparison: Comparison(five, five)).lines(width: 1000)
    #expect(!quiet.contains { $0.hasPrefix("Remark") })
  }

  @Test(
    "A file that is no report is refused with its name and the reason",
    arguments: [
      ("", "The given data was not valid JSON."), ("[1, 2", "The given data was not valid JSON."),
      (#"{"schema": 2, "results": []}"#, "it has the schema 2, not 1."),
      (#"{"schema": 1, "results": [{"suite": "store"}]}"#, "at results.0: No value"),
    ])
  func refused(text: String, reason: String) throws {
    let error = try #require(throws: ReportFileError.self) {
      try ReportFile(Data(text.utf8), path: "b.json")
    }
    let start = "b.json cannot be read as the JSON of a run: "
    #expect(error.description.hasPrefix(start + reason), "\(error)")
  }

  @Test("A file with the same figure twice is refused")
  func twice() {
    #expect(throws: ReportFileError(path: "run.json", reason: "a figure is in it twice")) {
      try file([row(), row(ratio: 3)])
    }
  }
}
