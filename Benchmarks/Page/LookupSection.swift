/// The section on lookups by the depth of the leaf.
struct LookupSection {
  let measurements: [Measurement]

  var section: PageSection? {
    let figures = [
      figure("lookup", [Parameter("providers", "0")], "Nobody on the way provides anything else"),
      figure(
        "lookup", [Parameter("providers", "all")], "Each node on the way provides another key"),
      figure("cold lookup", [], "Random leaves of 200,000 nodes scattered in memory"),
    ].compactMap(\.self)
    guard !figures.isEmpty else { return nil }
    return PageSection(
      title: "Lookup by depth",
      introduction: """
        A leaf looks up the context that the root provides; the result is stored in a global, so \
        that its reference is really counted. Lower is better.
        """,
      figures: figures)
  }

  private func figure(
    _ name: String, _ fixed: [Parameter], _ title: String
  ) -> PageSection.Figure? {
    let chosen = measurements.of(name, fixed)
    guard let unit = chosen.first?.unit, let deepest = chosen.numbers(of: "depth").last,
      let least = chosen.numbers(of: "depth").first
    else { return nil }
    let chart = LineChart(
      title: title, series: LineChart.Series.all(of: chosen, by: "depth"),
      xLabel: "hops to the root",
      yLabel: "time a lookup", yText: unit.spoken)
    func time(_ subject: String, _ depth: Int) -> Double {
      chosen.of(name, [Parameter("depth", depth)]).first { $0.subject == subject }?.median ?? 0
    }
    let skipping = time("skipping", deepest)
    let growth =
      least == deepest
      ? ""
      : """
      From depth \(least) to \(deepest), skipping takes \(unit.spoken(time("skipping", least))) to \
      \(unit.spoken(skipping)) and chain \(unit.spoken(time("chain", least))) to \
      \(unit.spoken(time("chain", deepest))).\u{20}
      """
    let sentence = """
      \(growth)At depth \(deepest), skipping takes \(unit.spoken(skipping)): \
      \(comparison(of: skipping, to: time("weak recursion", deepest))) weak recursion, \
      \(comparison(of: skipping, to: time("persistent map per node", deepest))) a persistent map \
      per node, and \(comparison(of: skipping, to: time("baton", deepest))) baton.
      """
    return PageSection.Figure(chart, sentence: sentence)
  }
}
