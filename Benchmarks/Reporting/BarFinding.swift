/// A bar, which is an upper limit, with the limited figures of a run. There is one figure for each
/// measured case with this bar.
package struct BarFinding {
  let bar: Bar
  private(set) var cases: [BenchmarkCase] = []
  /// The measured figures, each with its case.
  private(set) var figures: [(case: BenchmarkCase, value: Double)] = []

  private init(bar: Bar) { self.bar = bar }

  /// The largest figure with its case; nil if no case with the bar was measured.
  var worst: (case: BenchmarkCase, value: Double)? { figures.max { $0.value < $1.value } }

  /// The smallest figure; nil if no case with the bar was measured.
  var best: Double? { figures.map(\.value).min() }

  /// The number of figures that are not above the bar's limit.
  var reachedCount: Int { figures.count { $0.value <= bar.limit } }

  var isReached: Bool { !figures.isEmpty && reachedCount == figures.count }
  var isMissed: Bool { reachedCount < figures.count }

  /// Returns the findings for the bars of all cases. Cases with the same name and equal bars share
  /// a finding.
  package static func all(of cases: [BenchmarkCase], in measurements: [Measurement]) -> [BarFinding]
  {
    var findings: [BarFinding] = []
    for benchmark in cases {
      for bar in benchmark.bars {
        let place = findings.firstIndex { $0.concerns(bar, of: benchmark) } ?? findings.endIndex
        if place == findings.endIndex { findings.append(BarFinding(bar: bar)) }
        findings[place].cases.append(benchmark)
        if let value = bar.figure(of: benchmark, in: measurements) {
          findings[place].figures.append((benchmark, value))
        }
      }
    }
    return findings
  }

  private func concerns(_ bar: Bar, of benchmark: BenchmarkCase) -> Bool {
    guard bar == self.bar, let first = cases.first else { return false }
    return first.suite == benchmark.suite && first.name == benchmark.name
      && first.parameters.map(\.name) == benchmark.parameters.map(\.name)
  }
}

extension Bar {
  /// Returns the case's figure that the bar limits; nil if it was not measured.
  func figure(of benchmark: BenchmarkCase, in measurements: [Measurement]) -> Double? {
    func value(_ subject: String, _ parameters: [Parameter]) -> Double? {
      let found = measurements.first {
        $0.suite == benchmark.suite.rawValue && $0.case == besides ?? benchmark.name
          && $0.subject == subject && $0.parameters == parameters
      }
      return found.map {
        let value = $0.statistics.figure(statistic)
        return value * $0.unit.divisor / benchmark.unit.divisor
      }
    }
    guard let own = value(subject, benchmark.parameters) else { return nil }
    let base: Double?
    switch reference {
    case .none: return own
    case .subject(let other): base = value(other, benchmark.parameters)
    case .parameter(let other):
      base = value(subject, benchmark.parameters.map { $0.name == other.name ? other : $0 })
    }
    guard let base, base > 0 else { return nil }
    return own / base
  }
}
