/// The results of a run as one HTML page that needs no other file.
package struct ResultsPage {
  let run: RunFacts
  let measurements: [Measurement]
  let findings: [BarFinding]
  let skipped: Int

  package init(
    run: RunFacts, measurements: [Measurement], findings: [BarFinding], skipped: Int
  ) {
    self.run = run
    self.measurements = measurements
    self.findings = findings
    self.skipped = skipped
  }

  package var html: String {
    let sections = [
      LookupSection(measurements: measurements).section,
      ChangeSection(measurements: measurements).section,
      ChurnSection(measurements: measurements).section,
      MemorySection(measurements: measurements).section,
      StoreSection(measurements: measurements).section,
      ServerSection(measurements: measurements).section,
      ObjectSection(measurements: measurements).section,
      LivingSection(measurements: measurements).section,
      RestorationSection(measurements: measurements).section,
      AppSection(measurements: measurements).section,
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
      \(warnings.map { "<p class=\"warning\">\($0.escaped)</p>" }.joined(separator: "\n"))
      \(Verdict(measurements: measurements, findings: findings).html)
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

  /// The warnings about the figures of a quick run or a debug build.
  private var warnings: [String] {
    var warnings: [String] = []
    if run.effort == .quick {
      warnings.append(
        """
        This was a quick run: \(Effort.quick.samples) samples a figure, of the smaller cases. It \
        shows that the program works, and its figures vary. For figures to quote, run \
        “swift run -c release Benchmarks”.
        """)
    }
    if run.machine.build == .debug {
      warnings.append("This was a debug build, whose figures say nothing.")
    }
    return warnings
  }

  private var facts: String {
    let samples = measurements.map(\.statistics.count).min() ?? 0
    let left = skipped == 0 ? "nothing skipped" : "\(skipped.cases) skipped"
    return
      "\(run.machine.summary). Medians of at least \(samples) samples, seed \(run.seed), \(left)."
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
