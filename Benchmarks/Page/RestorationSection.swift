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
      figure("open archive", "Reading, checking and planning from a file"),
      figure("append", "Saving and writing 1 % of it"), memory, objects, growth,
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
    return PageSection.Figure(
      BarChart(groups: [BarChart.Group(name, measured)]),
      sentence: """
        \(work) by methods takes \(first.unit.spoken(first.median)): \
        \(comparison(of: first.median, to: baseline.median)) \(baseline.subject).
        """, isHalf: true)
  }

  private var memory: PageSection.Figure? {
    let measured = chosen.of("memory")
    let said = measured.filter { $0.subject != $0.baseline }.map {
      "\($0.ratio.figure) times the archive with \($0.subject)"
    }
    guard !said.isEmpty else { return nil }
    return PageSection.Figure(
      BarChart(groups: [BarChart.Group("memory", measured)]),
      sentence: """
        What a restored tree holds more than an equal one that was made by hand, the archive \
        included: \(said.joined(separator: ", ")).
        """, isHalf: true)
  }

  /// The chart of the case in which each screen also keeps an object. It has a group of bars for
  /// each combination of the case's parameters.
  private var objects: PageSection.Figure? {
    let measured = chosen.of("restore objects")
    let groups = measured.numbers(of: "branches").flatMap { branches in
      ["ready", "late"].map { store in
        BarChart.Group(
          "\(branches == 0 ? "no branch" : "a branch each"), store \(store)",
          measured.of(
            "restore objects", Parameter("branches", branches), Parameter("store", store)))
      }
    }.filter { !$0.bars.isEmpty }
    let ratios = measured.filter { $0.subject != $0.baseline }.map(\.ratio)
    guard let best = ratios.min(), let worst = ratios.max() else { return nil }
    let range =
      best.figure == worst.figure ? best.figure : "\(best.figure) to \(worst.figure)"
    return PageSection.Figure(
      BarChart(groups: groups),
      sentence: """
        Each screen also keeps an object, which is found again in a file that is open before the \
        launch or opens after it. This takes \(range) times as long as \
        decoding the values and the objects' URIs from JSON.
        """, isHalf: true)
  }

  /// The chart of the `restore` case by the number of responders; nil if only one number was
  /// measured.
  private var growth: PageSection.Figure? {
    let all = measurements.filter { $0.suite == Suite.restoration.rawValue }
    guard let fewest = all.numbers(of: "responders").first,
      let most = all.numbers(of: "responders").last, most > fewest
    else { return nil }
    let said = ["save", "restore"].compactMap { name -> String? in
      let points = all.of(name).curve(of: "methods", by: "responders")
      guard let first = points.first, let last = points.last, last.x > first.x else { return nil }
      return "\(name) takes \((last.y / first.y).figure) times as long"
    }
    guard !said.isEmpty else { return nil }
    let chart = LineChart(
      title: "restore",
      series: LineChart.Series.all(of: all.of("restore"), by: "responders"),
      xLabel: "responders", yLabel: "time", yText: Unit.milliseconds.spoken, width: 520,
      height: 320, labelWidth: 142)
    return PageSection.Figure(
      chart,
      sentence: """
        With \(most.grouped) screens instead of \(fewest.grouped), by methods \
        \(said.joined(separator: " and ")).
        """, isHalf: true)
  }
}
