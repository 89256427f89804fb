/// The section on late delivery and on a replaced root context, by the size of the tree.
struct ChangeSection {
  let measurements: [Measurement]

  var section: PageSection? {
    let late = [10_000, 10].map {
      figure("late delivery", $0, "A late context reaches \($0.grouped) observers")
    }
    let replaced = figure("root replaced", 10, "The root's context is replaced, 10 observers")
    let figures = (late + [replaced]).compactMap(\.self)
    guard !figures.isEmpty else { return nil }
    return PageSection(
      title: "Late delivery by tree size",
      introduction: """
        The root expects its context, observers wait anywhere in the tree, the context arrives. \
        Pushing costs time for each responder of the tree, walking for each observer.
        """,
      figures: figures)
  }

  private func figure(_ name: String, _ observers: Int, _ title: String) -> PageSection.Figure? {
    let chosen = measurements.of(name, Parameter("observers", observers))
    guard let unit = chosen.first?.unit, let most = chosen.numbers(of: "nodes").last else {
      return nil
    }
    let chart = LineChart(
      title: title, series: LineChart.Series.all(of: chosen, by: "nodes"),
      xLabel: "responders in the tree", yLabel: "time a change", yText: unit.spoken)
    func time(_ subject: String) -> Double {
      chosen.of(name, Parameter("nodes", most)).first { $0.subject == subject }?.median ?? 0
    }
    let others = chosen.subjects.contains("stored closures") ? ["stored closures"] : []
    let compared = (["hand-written push", "baton"] + others).map {
      "\(comparison(of: time("skipping"), to: time($0))) \($0) (\(unit.spoken(time($0))))"
    }
    let sentence = """
      With \(most.grouped) responders and \(observers.grouped) observers, skipping takes \
      \(unit.spoken(time("skipping"))): \(compared.joined(separator: ", ")).
      """
    return PageSection.Figure(chart, sentence: sentence)
  }
}
