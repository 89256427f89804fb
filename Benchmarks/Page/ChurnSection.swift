/// The section on lookups per change. It shows the number of lookups above which one strategy is
/// cheaper than another.
struct ChurnSection {
  let measurements: [Measurement]
  private let findings: [BreakEvenFinding]

  init(measurements: [Measurement]) {
    self.measurements = measurements.of("churn")
    findings = BreakEvenFinding.all(in: measurements)
  }

  var section: PageSection? {
    guard !measurements.isEmpty else { return nil }
    let churn = measurements.numbers(of: "nodes").flatMap { nodes in
      measurements.numbers(of: "depth").compactMap { figure(nodes: nodes, depth: $0) }
    }
    return PageSection(
      title: "Lookups per change",
      introduction: """
        A subtree is pushed, its leaves look the context up, and it is popped. Handing down pays \
        for each pushed responder, walking for each lookup; a ring in a curve's colour marks \
        where it overtakes another for good.
        """,
      figures: churn + [overview].compactMap(\.self))
  }

  private func figure(nodes: Int, depth: Int) -> PageSection.Figure? {
    let here = measurements.of("churn", Parameter("nodes", nodes), Parameter("depth", depth))
    guard let unit = here.first?.unit else { return nil }
    let found = findings.filter { $0.nodes == nodes && $0.depth == depth }
    let marks = found.compactMap { finding -> LineChart.Mark? in
      guard case .at(let lookups) = finding.breakEven,
        let cost = here.curve(of: finding.winner, by: "lookups").value(at: lookups)
      else { return nil }
      return LineChart.Mark(
        point: Curve.Point(x: lookups, y: cost),
        text: "overtakes \(finding.loser) at \(lookups.formatted(digits: 2))",
        style: finding.winner, title: finding.sentence)
    }
    let chart = LineChart(
      title: "\(nodes.grouped) pushed, depth \(depth)",
      series: LineChart.Series.all(of: here, by: "lookups"), marks: marks,
      xLabel: "lookups per change", yLabel: "time a change", yText: unit.spoken,
      width: 520, height: 320, labelWidth: 142)
    let sentence = found.map(\.sentence).joined(separator: " ")
    return PageSection.Figure(chart, sentence: sentence, isHalf: true)
  }

  /// The table of all break-evens. Most curves through them would have one point.
  private var overview: PageSection.Figure? {
    guard !findings.isEmpty else { return nil }
    return PageSection.Figure(
      "Break-even by tree size", BreakEvenTable(findings: findings).table.table,
      sentence: """
        The number of lookups per change from which the first is cheaper than the second; “never” \
        and “always” hold for the measured numbers.
        """)
  }
}
