/// The section on the cost of identity and child contexts, for each object.
struct ObjectSection {
  static let names = ["identity hit", "child copy", "child save", "memory"]

  let measurements: [Measurement]

  private var stored: [Measurement] { measurements.filter { $0.suite == Suite.store.rawValue } }

  var section: PageSection? {
    guard let rows = stored.numbers(of: "rows").last else { return nil }
    let chosen = Self.names.compactMap { stored.of($0, Parameter("rows", rows)).first }
    let times = chosen.filter { $0.unit.isTime }
    guard !times.isEmpty else { return nil }
    let groups = [
      group("time an object", times), group("over its value", chosen.filter { !$0.unit.isTime }),
    ]
    let said = chosen.map { "\($0.case) \($0.unit.spoken($0.median))" }
    return PageSection(
      title: "What an object costs",
      introduction: """
        Among \(rows.grouped) objects of a context: finding one that is there by its id, in random \
        order; copying one into a child context; saving one from a child into its parent; and the \
        memory that an object with its context takes over its value in an array.
        """,
      figures: [
        PageSection.Figure(
          BarChart(groups: groups.filter { !$0.bars.isEmpty }),
          sentence: "For each object: \(said.joined(separator: ", ")).")
      ])
  }

  private func group(_ name: String, _ chosen: [Measurement]) -> BarChart.Group {
    BarChart.Group(name, chosen, naming: \.case)
  }
}
