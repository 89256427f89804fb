/// The section on saving and restoring the state of many screens.
struct RestorationSection {
  let measurements: [Measurement]

  private var chosen: [Measurement] {
    let all = measurements.filter { $0.suite == Suite.restoration.rawValue }
    guard let responders = all.numbers(of: "responders").first else { return [] }
    let parameter = Parameter("responders", responders)
    return all.filter { $0.parameters.contains(parameter) }
  }

  var section: PageSection? {
    let figures = [
      figure("save", "Encoding the whole tree"), figure("save changed", "Saving 1 % of it"),
      figure("restore", "Making, linking and decoding the tree"),
      figure("validate", "Checking the archive"),
    ].compactMap(\.self)
    guard !figures.isEmpty, let responders = chosen.numbers(of: "responders").first else {
      return nil
    }
    return PageSection(
      title: "State that survives",
      introduction: """
        A tree of \(responders.grouped) screens with eight values each is saved and restored, by \
        two methods or by properties. Foundation's JSON coders do the same with the values alone, \
        in an array without a tree.
        """,
      figures: figures)
  }

  private func figure(_ name: String, _ work: String) -> PageSection.Figure? {
    let measured = chosen.filter { $0.case == name }
    guard let first = measured.first(where: { $0.subject == "methods" }),
      let baseline = measured.first(where: { $0.subject == $0.baseline })
    else { return nil }
    let bars = measured.map {
      BarChart.Bar(name: $0.subject, value: $0.median, text: $0.unit.spoken($0.median))
    }
    let chart = BarChart(
      title: name, groups: [BarChart.Group(name: name, bars: bars)], width: 560)
    return PageSection.Figure(
      svg: chart.svg,
      sentence: """
        \(work) by methods takes \(first.unit.spoken(first.median)): \
        \(comparison(of: first.median, to: baseline.median)) \(baseline.subject).
        """, isHalf: true)
  }
}
