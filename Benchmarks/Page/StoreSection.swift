/// The section that compares, for each case, the cost of an object store with that of C calls
/// written by hand.
struct StoreSection {
  let measurements: [Measurement]

  /// Returns the names of the cases, each with a phrase for the work of Lineage. In a sentence,
  /// “takes 5 ms” can follow the phrase.
  private static func deeds(_ rows: String) -> [(case: String, deed: String)] {
    [
      ("insert", "Saving \(rows) new objects"),
      ("fetch objects", "Fetching \(rows) objects into a fresh context"),
      ("fetch values", "Fetching \(rows) plain values"),
      ("by id", "Finding \(rows) objects one by one by id"),
      ("filter", "Finding a thirtieth of \(rows) rows without an index, as objects,"),
      ("filter indexed", "Finding a hundred of \(rows) rows by an index, sorted, as objects,"),
      ("folded order", "Fetching \(rows) objects, sorted by names of many languages,"),
      ("sql rows", "Reading \(rows) rows by a statement in SQL, as tuples,"),
      ("update", "Changing two of six columns in a tenth of \(rows) rows, and saving,"),
      ("upsert", "A fifth of \(rows) rows by a unique code, half of them new, the others updated,"),
      ("single saves", "A thousand changes among \(rows) rows, each saved by itself,"),
      ("open", "From nothing to the first of \(rows) objects in an existing file"),
      ("release", "Letting go of \(rows) objects"),
    ]
  }

  private var stored: [Measurement] { measurements.filter { $0.suite == Suite.store.rawValue } }

  var section: PageSection? {
    guard let rows = stored.numbers(of: "rows").last else { return nil }
    let figures = Self.deeds(rows.grouped).compactMap { figure($0.case, rows, $0.deed) }
    guard !figures.isEmpty else { return nil }
    return PageSection(
      title: "Storing objects",
      introduction: """
        \(rows.grouped) rows of id, name, team, score, notes and updatedAt in an SQLite file. \
        “Raw SQLite” is C calls into Swift structs by prepared statements, one row a statement, in \
        one transaction; “best” writes several rows a statement, its texts not copied. Neither has \
        identity, change tracking or contexts. Bars are ratios to raw SQLite.
        """,
      figures: figures)
  }

  private func figure(_ name: String, _ rows: Int, _ deed: String) -> PageSection.Figure? {
    let chosen = stored.of(name, Parameter("rows", rows))
    guard let lineage = chosen.first(where: { $0.subject == "Lineage" }) else { return nil }
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
    let compared = chosen.filter { $0.subject != "Lineage" }.map {
      "\(comparison(of: lineage.median, to: $0.median)) \($0.subject)"
    }
    let sentence = """
      \(deed) takes \(lineage.unit.spoken(lineage.median)): \
      \(compared.joined(separator: ", and ")).
      """
    return PageSection.Figure(chart, sentence: sentence, isHalf: true)
  }
}
