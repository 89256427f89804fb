/// The summary at the top of the page. It has the number of limits that the run keeps, and one
/// sentence for each of the main results that were measured.
struct Verdict {
  let measurements: [Measurement]
  let findings: [BarFinding]

  var html: String {
    let sentences = [lookup, change, objects, songs, screens].compactMap(\.self)
    return """
      <div class="verdict">
      <h2>\(headline.escaped)</h2>
      \(list(sentences))
      \(misses.isEmpty ? "" : "<p>Not kept:</p>")
      \(list(misses))
      </div>
      """
  }

  private func list(_ sentences: [String]) -> String {
    let items = sentences.map { "<li>\($0.escaped)</li>" }.joined(separator: "\n")
    return items.isEmpty ? "" : "<ul>\n\(items)\n</ul>"
  }

  private var headline: String {
    let measured = findings.filter { !$0.figures.isEmpty }
    guard !measured.isEmpty else { return "No figure of this run has a limit." }
    let kept = measured.count(where: \.isReached).grouped
    return "Verdict: \(kept) of \(measured.count.grouped) limits are kept."
  }

  private var misses: [String] {
    findings.filter(\.isMissed).map {
      "\($0.name), \($0.figure): \($0.worstText), the limit is \($0.limit)"
    }
  }
}

extension Verdict {
  private var lookup: String? {
    let all = measurements.of("lookup", Parameter("providers", "0"))
    let depths = all.numbers(of: "depth")
    guard let depth = depths.contains(8) ? 8 : depths.last else { return nil }
    let chosen = all.of("lookup", Parameter("depth", depth))
    guard let skipping = chosen.median(of: "skipping") else { return nil }
    return """
      A lookup over \(depth == 1 ? "1 hop" : "\(depth) hops") takes \(skipping.text) with \
      skipping: \(chosen.compared(skipping, to: ["stored reference", "weak recursion"])).
      """
  }

  private var change: String? {
    let all = measurements.of("root replaced", Parameter("observers", 10))
    guard let nodes = all.numbers(of: "nodes").last else { return nil }
    let chosen = all.of("root replaced", Parameter("nodes", nodes))
    guard let skipping = chosen.median(of: "skipping") else { return nil }
    return """
      A new root value reaches 10 observers among \(nodes.grouped) responders in \
      \(skipping.text): \(chosen.compared(skipping, to: ["hand-written push"])).
      """
  }

  private var objects: String? {
    let chosen = measurements.filter {
      $0.suite == Suite.store.rawValue && $0.subject == "Lineage" && $0.baseline == "raw SQLite"
        && $0.ratio > 0
    }
    guard let best = chosen.min(by: { $0.ratio < $1.ratio }),
      let worst = chosen.max(by: { $0.ratio < $1.ratio })
    else { return nil }
    let range =
      chosen.count == 1
      ? "\(best.ratio.times) (\(best.case))"
      : "between \(best.ratio.times) (\(best.case)) and \(worst.ratio.times) (\(worst.case))"
    return "A store of objects takes \(range) the time of C calls to SQLite for bare structs."
  }

  private var songs: String? {
    let all = measurements.of("list follow-up", Parameter("windowed", "false"))
    guard let rows = all.numbers(of: "rows").last else { return nil }
    let chosen = all.of("list follow-up", Parameter("rows", rows))
    guard let lineage = chosen.median(of: "Lineage") else { return nil }
    return """
      A change in a sorted list of \(rows.grouped) objects is saved and shown in \(lineage.text): \
      \(chosen.compared(lineage, to: ["fetch again"])).
      """
  }

  private var screens: String? {
    let all = measurements.filter { $0.suite == Suite.restoration.rawValue }
    guard let responders = all.numbers(of: "responders").first else { return nil }
    let said = ["save", "restore"].compactMap { name -> String? in
      let chosen = all.of(name, Parameter("responders", responders))
      guard let time = chosen.median(of: "properties"), let baseline = chosen.first?.baseline
      else { return nil }
      return "\(name) takes \(time.text), \(chosen.compared(time, to: [baseline]))"
    }
    guard !said.isEmpty else { return nil }
    return """
      For \(responders.grouped) screens with eight values each, \
      \(said.joined(separator: ", and ")), which has no tree.
      """
  }
}

extension [Measurement] {
  /// Returns the median of a subject, with its text.
  fileprivate func median(of subject: String) -> (value: Double, text: String)? {
    first { $0.subject == subject }.map { ($0.median, $0.unit.spoken($0.median)) }
  }

  /// Returns a comparison of a time with those of the subjects that were measured.
  fileprivate func compared(
    _ time: (value: Double, text: String), to subjects: [String]
  ) -> String {
    subjects.compactMap { subject in
      median(of: subject).map { "\(comparison(of: time.value, to: $0.value)) \(subject)" }
    }.joined(separator: ", ")
  }
}
