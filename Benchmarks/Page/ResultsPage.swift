/// The results of a run as one HTML page that needs no other file.
struct ResultsPage {
  let run: RunFacts
  let measurements: [Measurement]
  let skipped: Int

  var html: String {
    let sections = [
      LookupSection(measurements: measurements).section,
      ChangeSection(measurements: measurements).section,
      ChurnSection(measurements: measurements).section,
      MemorySection(measurements: measurements).section,
      StoreSection(measurements: measurements).section,
      ObjectSection(measurements: measurements).section,
      LivingSection(measurements: measurements).section,
      RestorationSection(measurements: measurements).section,
    ]
    return """
      <!doctype html>
      <html lang="en">
      <head>
      <meta charset="utf-8">
      <meta name="viewport" content="width=device-width, initial-scale=1">
      <meta name="color-scheme" content="light dark">
      <title>Lineage benchmarks</title>
      <style>
      \(Stylesheet.text)
      </style>
      </head>
      <body>
      <header>
      <h1>Lineage benchmarks</h1>
      <p>\(facts.escaped)</p>
      <p class="key"><span class="solid"></span>the library \
      <span class="dashes"></span>written by hand, outside the library</p>
      </header>
      \(sections.compactMap { $0?.html }.joined(separator: "\n"))
      \(table)
      </body>
      </html>
      """
  }

  private var facts: String {
    let samples = measurements.map(\.statistics.count).min() ?? 0
    let left = skipped == 0 ? "nothing skipped" : "\(skipped.grouped) cases skipped"
    return "\(run.machine.summary). Medians of \(samples) samples, seed \(run.seed), \(left)."
  }

  private var table: String {
    let rows = measurements.map { one in
      let words = [
        one.case, one.parameters.map { "\($0.name) \($0.value)" }.joined(separator: ", "),
        one.subject,
      ]
      let figures = [
        one.statistics.minimum.figure, one.median.figure, one.statistics.p90.figure,
        one.unit.rawValue, one.ratio.times,
      ]
      return "<tr>" + words.map { "<td>\($0.escaped)</td>" }.joined()
        + figures.map { "<td class=\"n\">\($0.escaped)</td>" }.joined()
        + "<td>\(one.baseline.escaped)</td></tr>"
    }
    return """
      <details>
      <summary>All \(measurements.count.grouped) results</summary>
      <div class="scroll"><table>
      <tr><th>case<th>parameters<th>subject<th class="n">minimum<th class="n">median\
      <th class="n">p90<th class="n">unit<th class="n">ratio<th>to</tr>
      \(rows.joined(separator: "\n"))
      </table></div>
      </details>
      """
  }
}
