/// A table of the bars of a run, each with the figures that it limits.
package struct BarTable {
  let findings: [BarFinding]

  package init(findings: [BarFinding]) { self.findings = findings }

  /// Sentences with the number of bars that the run reaches, and with the names of the bars that it
  /// misses.
  package var sentences: String {
    let reached = findings.count(where: \.isReached)
    let missed = findings.filter(\.isMissed)
    let left = findings.count - reached - missed.count
    let measured = (reached + missed.count).grouped
    var text = "Of \(measured) measured bars \(reached.grouped) are reached."
    if !missed.isEmpty {
      let names = missed.map { "\($0.name), \($0.figure)" }
      text += " Missed: \(names.joined(separator: "; "))."
    }
    if left > 0 { text += " Not measured: \(left.grouped)." }
    let reasons = missed.compactMap { finding in
      finding.bar.reason.map { " Why \(finding.name) is missed: \($0)." }
    }
    for (index, sentence) in reasons.enumerated() where !reasons[..<index].contains(sentence) {
      text += sentence
    }
    return text
  }

  package var table: TitledTable {
    var table = TextTable(
      header: ["case", "parameters", "figure", "measured", "at most", "reached"], wordColumns: 3)
    table.rows = findings.map { finding in
      [
        finding.name, finding.parameters, finding.figure, finding.measured, finding.limit,
        finding.verdict,
      ]
    }
    return TitledTable(title: "Bars: limits of a figure, or of a ratio a / b", table: table)
  }
}

extension BarFinding {
  var name: String { bar.besides ?? cases.first?.name ?? "" }

  /// The limited figure, for instance “skipping / baton” or “Lineage, 99th percentile”.
  var figure: String {
    switch bar.reference {
    case .none: bar.subject + (bar.statistic == .p99 ? ", 99th percentile" : "")
    case .subject(let other):
      "\(bar.subject) / \(other)" + (bar.statistic == .minimum ? ", least samples" : "")
    case .parameter(let other): "\(bar.subject) / \(other.name) \(other.value)"
    }
  }

  /// The parameters of the measured cases. If no case was measured, they are those of all cases.
  fileprivate var parameters: String {
    (figures.isEmpty ? cases : figures.map(\.case)).parameterValues
  }

  /// The text of the best and the worst figure. If both texts are equal, there is only one of them.
  fileprivate var measured: String {
    guard let best, let worst else { return "" }
    let ends = [text(best), text(worst.value)]
    return ends[0] == ends[1] ? ends[0] : ends.joined(separator: "–")
  }

  var limit: String { text(bar.limit).withoutTrailingZeros }

  /// The text of the figure that is furthest above the limit; empty if no case was measured.
  var worstText: String { worst.map { text($0.value) } ?? "" }

  fileprivate var verdict: String {
    guard let worst else { return "not measured" }
    guard isMissed else { return "yes" }
    guard figures.count > 1 else { return "no" }
    return "\(reachedCount) of \(figures.count), worst: \([worst.case].parameterValues)"
  }

  /// Returns the text of a figure. A figure that is no ratio gets its unit, and a small ratio
  /// becomes a fraction such as “1/15”.
  private func text(_ value: Double) -> String {
    switch bar.reference {
    case .none: cases.first?.unit.spoken(value) ?? value.figure
    default: value > 0 && value < 0.3 ? "1/\((1 / value).figure)" : value.figure
    }
  }
}

extension String {
  /// The text without needless zeros in its number, for instance “5 ms” for “5.00 ms”.
  fileprivate var withoutTrailingZeros: String {
    let unit = drop { $0 != " " }
    var number = dropLast(unit.count)
    guard number.contains(".") else { return self }
    while number.last == "0" { number.removeLast() }
    if number.last == "." { number.removeLast() }
    return String(number + unit)
  }
}
