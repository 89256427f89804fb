/// The section on the bytes of a responder and the nanoseconds to build one.
struct MemorySection {
  let measurements: [Measurement]

  var section: PageSection? {
    let figures = [memory, build].compactMap(\.self)
    guard !figures.isEmpty else { return nil }
    return PageSection(
      title: "Memory and building",
      introduction: """
        What a responder without contexts costs, with its share of its parent's array of children, \
        beside a bare class with nothing but that array and a link up.
        """,
      figures: figures)
  }

  private var memory: PageSection.Figure? {
    let chosen = measurements.of("memory")
    let groups = ["View", "Controller"].compactMap { kind in
      group("\(kind), bytes", chosen.of("memory", Parameter("kind", kind)))
    }
    guard !groups.isEmpty else { return nil }
    let said = ["View", "Controller"].compactMap { kind -> String? in
      let these = chosen.of("memory", Parameter("kind", kind))
      return these.first { $0.subject == "skipping" }.map {
        "A \(kind) takes \($0.unit.spoken($0.median)) with skipping, "
          + "\($0.ratio.times) a bare class."
      }
    }
    return PageSection.Figure(
      BarChart(groups: groups), sentence: said.joined(separator: " "))
  }

  private var build: PageSection.Figure? {
    let chosen = measurements.of("build")
    let sizes = chosen.numbers(of: "nodes")
    let groups = sizes.compactMap { nodes in
      group("Building \(nodes.grouped) nodes", chosen.of("build", Parameter("nodes", nodes)))
    }
    guard let most = sizes.last else { return nil }
    let largest = chosen.of("build", Parameter("nodes", most))
    guard let skipping = largest.first(where: { $0.subject == "skipping" }) else { return nil }
    return PageSection.Figure(
      BarChart(groups: groups),
      sentence: """
        In a tree of \(most.grouped), making and linking a node takes \
        \(skipping.unit.spoken(skipping.median)) with skipping, \(skipping.ratio.times) a bare class.
        """)
  }

  private func group(_ name: String, _ chosen: [Measurement]) -> BarChart.Group? {
    guard !chosen.isEmpty else { return nil }
    return BarChart.Group(name, chosen)
  }
}
