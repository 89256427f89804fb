/// A comparison as text: remarks, tables, and finally the numbers of slower and faster figures.
package struct ComparisonText {
  let comparison: Comparison
  /// The largest width of the remarks' lines, in characters.
  let width: Int

  package init(comparison: Comparison, width: Int) {
    (self.comparison, self.width) = (comparison, width)
  }

  package var text: String {
    let tables = [
      table("baselines, not judged: the ratios are to these", .baseline),
      table("not comparable: a figure is not above zero", .unknown),
      table("neither slower nor faster", .same),
      table("faster", .faster),
      table("slower", .slower),
    ]
    let remarks = ComparisonRemarks(comparison: comparison).lines(width: width)
    return ([remarks.joined(separator: "\n")] + tables.compactMap { $0?.text } + [summary]).joined(
      separator: "\n\n")
  }

  private func table(_ title: String, _ verdict: ComparedFigure.Verdict) -> TitledTable? {
    let figures = comparison.figures.filter { $0.verdict == verdict }
    guard !figures.isEmpty else { return nil }
    var table = TextTable(
      header: [
        "case", "subject", "figure", "A", "B", "change", "A's spread", "fastest A", "fastest B",
        "change",
      ], wordColumns: 3)
    table.rows = figures.map { one in
      [one.name.title, one.name.subject, one.isRatio ? "ratio" : "median"]
        + [one.a.values.median, one.b.values.median].map {
          one.isRatio ? $0.figure : one.name.unit.spoken($0)
        }
        + [one.change.signedPercent, one.spread.percent]
        + [one.a.fastest, one.b.fastest].map { one.name.unit.spoken($0) }
        + [one.changeOfFastest.signedPercent]
    }
    return TitledTable(title: title, table: table)
  }

  /// The numbers of slower and faster figures, in one sentence.
  private var summary: String {
    let judged = comparison.judged
    guard !judged.isEmpty else { return "The files of A and B have no figure in common." }
    let slower = judged.count { $0.verdict == .slower }
    let faster = judged.count { $0.verdict == .faster }
    return "Of \(judged.count.grouped) figures \(slower.grouped) slower, \(faster.grouped) faster."
  }
}
