/// The results of a run as a page of Markdown that can be kept beside the sources.
struct MarkdownPage {
  let run: RunFacts
  let measurements: [Measurement]
  let findings: [BarFinding]
  let skipped: Int

  var text: String {
    let introduction = [
      """
      Written by `Benchmarks --full --markdown`; an edit would be lost with the next run. Figures are \
      medians, in brackets as a ratio to the baseline, which is the best that one would write by \
      hand for just that. Smaller is better. A bar limits one figure of a case, or the ratio \
      a / b of two. Where several cases have the same bar, the best and the worst of them are shown.
      """,
      BarTable(findings: findings).sentences,
    ]
    let lines =
      ["# Results of the benchmarks", ""] + paragraphs(introduction) + facts.markdown
      + Suite.allCases.flatMap(section)
    return lines.joined(separator: "\n") + "\n"
  }

  private var facts: TextTable {
    let machine = run.machine
    let samples = measurements.map(\.statistics.count).min() ?? 0
    var table = TextTable(header: ["run", ""], wordColumns: 2)
    table.rows = [
      ["processor", "\(machine.processor), \(machine.architecture)"],
      ["cores", machine.cores.grouped],
      ["memory", machine.memoryText],
      ["system", machine.system],
      ["Swift", machine.swift],
      ["build", machine.build.rawValue],
      ["commit", run.commit ?? "unknown"],
      ["date", run.date],
      ["seed", "\(run.seed)"],
      ["effort", "\(run.effort.name), at least \(samples) samples a figure"],
      ["skipped", skipped == 0 ? "nothing" : "\(skipped.cases), which `--full` measures"],
    ]
    for (name, value) in machine.server?.sorted(by: { $0.key < $1.key }) ?? [] {
      table.rows.append(["server, \(name)", value])
    }
    return table
  }

  /// Returns the lines on a suite: first its bars, then all of its figures.
  private func section(_ suite: Suite) -> [String] {
    let measured = measurements.filter { $0.suite == suite.rawValue }
    guard !measured.isEmpty else { return [] }
    let bars = findings.filter { $0.cases.first?.suite == suite }
    let breakEvens = BreakEvenFinding.all(in: measured)
    let tables =
      (bars.isEmpty ? [] : [BarTable(findings: bars).table])
      + ResultTables(measurements: measured).all
      + (breakEvens.isEmpty ? [] : [BreakEvenTable(findings: breakEvens).table])
    return ["", "## \(suite.rawValue)", ""]
      + Array(tables.map(\.markdown).joined(separator: [""]))
      + HeldFinding.all(in: measured).flatMap { [""] + $0.sentence.wrapped(to: 100) }
  }

  private func paragraphs(_ texts: [String]) -> [String] {
    texts.flatMap { $0.wrapped(to: 100) + [""] }
  }
}
