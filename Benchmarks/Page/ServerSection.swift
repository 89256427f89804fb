/// The section that compares, for each case, the cost of an object store on a server with that of libpq
/// written by hand.
struct ServerSection {
  let measurements: [Measurement]

  /// Returns the names of the cases, each with a phrase for the work of Lineage.
  private static func deeds(_ rows: Int) -> [(case: String, deed: String)] {
    let (all, some) = (rows.grouped, (rows / 10).grouped)
    return [
      ("insert", "Saving \(all) new objects"),
      ("fetch objects", "Fetching \(all) objects into a fresh context"),
      ("fetch values", "Fetching \(all) plain values"),
      ("by id", "Finding \(some) objects one by one by id"),
      ("by ids", "Finding \(some) objects together by their ids"),
      ("filter", "Finding a thirtieth of \(all) rows without an index, as objects,"),
      ("update", "Changing two of six columns in \(some) rows, and saving,"),
      ("single save", "Changing one column of one object, and saving,"),
      ("begin", "Beginning a read transaction with its first object"),
    ]
  }

  private var stored: [Measurement] {
    measurements.filter { $0.suite == Suite.postgres.rawValue }
  }

  var section: PageSection? {
    guard let rows = stored.numbers(of: "rows").last else { return nil }
    let figures = Self.deeds(rows).compactMap { figure($0.case, rows, $0.deed) }
    guard !figures.isEmpty else { return nil }
    return PageSection(
      title: "Storing objects on a server",
      introduction: """
        \(rows.grouped) rows of id, name, team, score, notes and updatedAt on a PostgreSQL server of \
        the same machine. “Raw libpq” is C calls into Swift structs: prepared statements in \
        pipelines, binary values, a thousand rows a statement or a page, and the same row in the log \
        of commits. It has neither identity, change tracking nor contexts, and sees no conflicts. \
        Bars are ratios to raw libpq.
        """,
      figures: figures)
  }

  private func figure(_ name: String, _ rows: Int, _ deed: String) -> PageSection.Figure? {
    let chosen = stored.of(name, Parameter("rows", rows))
    guard let lineage = chosen.first(where: { $0.subject == "Lineage" }),
      let raw = chosen.first(where: { $0.subject != "Lineage" })
    else { return nil }
    let chart = BarChart(
      groups: [
        BarChart.Group(
          name: name,
          bars: chosen.map {
            BarChart.Bar(
              name: $0.subject, value: $0.ratio,
              text: "\($0.unit.spoken($0.median)), \($0.ratio.times)")
          })
      ])
    let sentence = """
      \(deed) takes \(lineage.unit.spoken(lineage.median)): \
      \(comparison(of: lineage.median, to: raw.median)) \(raw.subject).
      """
    return PageSection.Figure(chart, sentence: sentence, isHalf: true)
  }
}
