/// The section on late root contexts with branches, and on lists that show the objects of a
/// context.
struct LivingSection {
  /// The labels of the bars in the chart of `isolation held`. The bars show how the samples of this
  /// result are distributed.
  static let shares = ["one in two", "nine in ten", "all but one in a hundred", "all"]

  let measurements: [Measurement]

  private var living: [Measurement] { measurements.filter { $0.suite == Suite.living.rawValue } }

  var section: PageSection? {
    let figures =
      [list("false"), list("true"), branches, imports, isolation, opening].compactMap(\.self)
    guard !figures.isEmpty else { return nil }
    return PageSection(
      title: "Contexts that arrive, lists that follow",
      introduction: """
        A tree whose root context comes from a store: it is opened elsewhere, delivered to \
        controllers that each work in a child of it, shown in sorted lists, and imported into \
        from another thread while the tree goes on.
        """,
      figures: figures)
  }

  private func list(_ windowed: String) -> PageSection.Figure? {
    let chosen = living.of("list follow-up", Parameter("windowed", windowed))
    guard let rows = chosen.numbers(of: "rows").last,
      let (lineage, again) = pair(chosen.of("list follow-up", Parameter("rows", rows)))
    else { return nil }
    let chart = LineChart(
      title: windowed == "true" ? "A window of 256 rows" : "A list of all rows",
      series: LineChart.Series.all(of: chosen, by: "rows"), xLabel: "rows in the store",
      yLabel: "time a change", yText: lineage.unit.spoken, width: 520, height: 320,
      labelWidth: 142)
    let of = windowed == "true" ? "in a window on" : "of a list of"
    return PageSection.Figure(
      chart,
      sentence: """
        A change of one object \(of) \(rows.grouped), saved and followed, takes \
        \(lineage.unit.spoken(lineage.median)): \
        \(comparison(of: lineage.median, to: again.median)) fetching again.
        """, isHalf: true)
  }

  private var branches: PageSection.Figure? {
    guard let controllers = living.numbers(of: "controllers").last else { return nil }
    let chosen = living.of("branch delivery", Parameter("controllers", controllers))
    guard let used = chosen.numbers(of: "used").last,
      let push = chosen.first(where: { $0.subject == $0.baseline })
    else { return nil }
    let compared = chosen.filter { $0.subject != $0.baseline }.map {
      "\($0.subject) \(comparison(of: $0.median, to: push.median)) it"
    }
    return figure(
      chosen,
      """
      Of \(controllers.grouped) controllers with a branch each, \(used.grouped) are used when the \
      root context arrives. Pushing, which makes all children, takes \
      \(push.unit.spoken(push.median)): \(compared.joined(separator: ", ")).
      """)
  }

  private var imports: PageSection.Figure? {
    let chosen = living.of("background import")
    guard let rows = chosen.numbers(of: "rows").last, let (lineage, front) = pair(chosen) else {
      return nil
    }
    return figure(
      chosen,
      """
      Importing \(rows.grouped) rows in the background, until the tree shows them, takes \
      \(lineage.unit.spoken(lineage.median)): \
      \(comparison(of: lineage.median, to: front.median)) doing so in the foreground.
      """)
  }

  private var isolation: PageSection.Figure? {
    guard let (lineage, _) = pair(living.of("isolation held")) else { return nil }
    let (unit, held) = (lineage.unit, lineage.statistics)
    let bars = zip(Self.shares, [held.median, held.p90, held.p99, held.maximum]).map {
      BarChart.Bar(name: $0, value: $1, text: unit.spoken($1))
    }
    let group = BarChart.Group(name: "isolation held by an import", bars: bars)
    return PageSection.Figure(
      BarChart(groups: [group]), sentence: HeldFinding(measurement: lineage).sentence,
      isHalf: true)
  }

  private var opening: PageSection.Figure? {
    let chosen = living.of("open and deliver")
    guard let skipping = chosen.first(where: { $0.subject == "skipping" }),
      let hand = chosen.first(where: { $0.subject == $0.baseline })
    else { return nil }
    return figure(
      chosen,
      """
      From the start to the root context at a leaf takes \(skipping.unit.spoken(skipping.median)) \
      with skipping: \(comparison(of: skipping.median, to: hand.median)) awaiting the store and \
      handing its context down by hand.
      """)
  }
}

extension LivingSection {
  private func pair(_ chosen: [Measurement]) -> (lineage: Measurement, baseline: Measurement)? {
    guard let lineage = chosen.first(where: { $0.subject == "Lineage" }),
      let baseline = chosen.first(where: { $0.subject == $0.baseline })
    else { return nil }
    return (lineage, baseline)
  }

  private func figure(_ chosen: [Measurement], _ sentence: String) -> PageSection.Figure? {
    guard let name = chosen.first?.case else { return nil }
    return PageSection.Figure(
      BarChart(groups: [BarChart.Group(name, chosen)]), sentence: sentence, isHalf: true)
  }
}
