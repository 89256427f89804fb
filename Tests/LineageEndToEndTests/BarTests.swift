import Benchmarks
import LineageTestSupport
import Testing

@Testing.Suite("The benchmarks' bars", .hangGuard)
struct BarTests {
  private func lookup(depth: Int, _ bars: [Bar]) -> BenchmarkCase {
    BenchmarkCase(
      suite: .resolution, name: "lookup", parameters: [Parameter("depth", depth)],
      unit: .milliseconds, effort: .quick, baseline: "by hand", subjects: [], bars: bars)
  }

  private func measurement(
    _ subject: String, depth: Int = 1, _ samples: [Double], case name: String = "lookup",
    unit: Unit = .milliseconds
  ) -> Measurement {
    Measurement(
      suite: "resolution", case: name, subject: subject, parameters: [Parameter("depth", depth)],
      unit: unit, statistics: Statistics(samples), baseline: "by hand", ratio: 1)
  }

  /// Makes a table of bars and returns the cells of its only row.
  private func row(_ cases: [BenchmarkCase], _ measurements: [Measurement]) throws -> [String] {
    let findings = BarFinding.all(of: cases, in: measurements)
    #expect(findings.count == 1)
    return try #require(BarTable(findings: findings).table.table.rows.first)
  }

  @Test(
    "A bar is reached by a figure that is not above it", arguments: [(3.0, "yes"), (3.1, "no")])
  func ownFigure(median: Double, verdict: String) throws {
    let cases = [lookup(depth: 1, [.median(of: "ours", atMost: 3)])]
    let row = try row(cases, [measurement("ours", [median]), measurement("by hand", [9])])
    #expect(row.suffix(2) == ["3 ms", verdict])
  }

  @Test(
    "A missed bar tells its reason, a reached one does not", arguments: [(3.0, false), (3.1, true)])
  func reasons(median: Double, isTold: Bool) {
    var bar = Bar.median(of: "ours", atMost: 3)
    bar.reason = "walking takes time"
    let findings = BarFinding.all(
      of: [lookup(depth: 1, [bar])], in: [measurement("ours", [median])])
    let text = BarTable(findings: findings).sentences
    #expect(text.hasSuffix(" Why lookup is missed: walking takes time.") == isTold)
  }

  @Test("A ratio is that of two medians, and a small one a fraction")
  func ratio() throws {
    let cases = [lookup(depth: 1, [.ratio(of: "ours", to: "weak", atMost: 1 / 15)])]
    let row = try row(cases, [measurement("ours", [1, 2, 9]), measurement("weak", [40])])
    #expect(row == ["lookup", "depth 1", "ours / weak", "1/20.0", "1/15", "yes"])
  }

  @Test("A ratio may be to the same subject in another case")
  func otherCase() throws {
    let cases = [
      lookup(depth: 1, [.ratio(of: "ours", to: Parameter("depth", 8), atMost: 0.5)]),
      lookup(depth: 8, []),
    ]
    let row = try row(cases, [measurement("ours", [3]), measurement("ours", depth: 8, [4])])
    #expect(row == ["lookup", "depth 1", "ours / depth 8", "0.750", "0.5", "no"])
  }

  @Test("The 99th percentile of what was measured besides is said in the case's unit")
  func besides() throws {
    let cases = [lookup(depth: 1, [.p99(of: "held", by: "ours", atMost: 5)])]
    let held = measurement("ours", [4000], case: "held", unit: .microseconds)
    #expect(
      try row(cases, [held])
        == ["held", "depth 1", "ours, 99th percentile", "4.00 ms", "5 ms", "yes"])
  }

  @Test("Cases with the same bar share a row: best and worst, and where the worst was")
  func shared() throws {
    let bar = Bar.ratio(of: "ours", to: "by hand", atMost: 1.3)
    let measurements = [(1, 1.2), (8, 1.4), (64, 1.25)].flatMap { depth, time in
      [measurement("ours", depth: depth, [time]), measurement("by hand", depth: depth, [1])]
    }
    let cases = [1, 8, 64, 128].map { lookup(depth: $0, [bar]) }
    #expect(
      try row(cases, measurements)
        == [
          "lookup", "depth 1 8 64", "ours / by hand", "1.20–1.40", "1.3", "2 of 3, worst: depth 8",
        ])
    #expect(
      BarTable(findings: BarFinding.all(of: cases, in: measurements)).sentences
        == "Of 1 measured bars 0 are reached. Missed: lookup, ours / by hand.")
  }

  @Test("A bar whose figures were not measured is neither reached nor missed")
  func notMeasured() throws {
    let cases = [lookup(depth: 1, [.ratio(of: "ours", to: "by hand", atMost: 2)])]
    let row = try row(cases, [measurement("ours", [1]), measurement("by hand", [0])])
    #expect(row.suffix(3) == ["", "2", "not measured"])
  }

  @Test("A table's Markdown has a rule, and no cell ends early")
  func markdown() {
    var table = TextTable(header: ["case", "ns"])
    table.rows = [["a|b", "12"]]
    #expect(table.markdown == ["| case | ns |", "| :-- | --: |", #"| a\|b | 12 |"#])
  }

  @Test("A commit is told with changes that are not committed, or not at all")
  func commit() {
    let oid = "# branch.oid 0123abc\n# branch.head main\n"
    #expect(Checkout.commit(in: oid) == "0123abc")
    #expect(
      Checkout.commit(in: oid + "? Sources/New.swift\n")
        == "0123abc, with changes that are not committed")
    #expect(Checkout.commit(in: "# branch.oid (initial)\n") == nil)
    #expect(Checkout.commit(in: "") == nil)
  }
}
