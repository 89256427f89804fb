/// The remarks on the compared files, which are printed before the figures.
package struct ComparisonRemarks {
  let comparison: Comparison

  package init(comparison: Comparison) { self.comparison = comparison }

  private var a: [ReportFile] { comparison.a }
  private var b: [ReportFile] { comparison.b }

  /// Returns lines of at most `width` characters, unless one word is longer.
  package func lines(width: Int) -> [String] {
    let rule = """
      Slower means: the median over the runs of B exceeds that over the runs of A by more than \
      \(Comparison.threshold.percent), and by more than A's spread, which is the difference between \
      A's largest and smallest run. Beside it stands the fastest sample of all runs, since a \
      machine can have two speeds.
      """
    let sides = "A: \(heading(a)). B: \(heading(b))."
    return ([sides, rule] + counts + differences + commits("A", a) + commits("B", b))
      .flatMap { $0.wrapped(to: width) }
      + list("Only in A", comparison.onlyInA, width) + list("Only in B", comparison.onlyInB, width)
      + list("Not in every file, so that the medians are of fewer runs", incomplete, width)
  }

  private func heading(_ files: [ReportFile]) -> String {
    let runs = files.count == 1 ? "1 run" : "\(files.count.grouped) runs"
    let commits = Set(files.compactMap { $0.facts["commit"] })
    return "\(runs) of \(commits.count == 1 ? commits.first ?? "" : "an unknown commit")"
  }

  private var counts: [String] {
    var remarks: [String] = []
    if min(a.count, b.count) < Comparison.runs {
      remarks.append(
        "Remark: the rule asks for \(Comparison.runs) runs of each, and these are fewer.")
    }
    if a.count != b.count { remarks.append("Remark: A and B have different numbers of runs.") }
    if a.count == 1 {
      remarks.append(
        """
        Remark: one run of A does not tell how much A differs from A, so that \
        \(Comparison.threshold.percent) alone decides.
        """)
    }
    return remarks
  }

  /// One remark for each fact about the runs, such as the machine, that differs between files.
  private var differences: [String] {
    let files = a + b
    let names = Set(files.flatMap(\.facts.keys)).subtracting(["commit"]).sorted()
    let remarks = names.compactMap { name -> String? in
      var first: [(value: String, path: String)] = []
      for file in files {
        guard let value = file.facts[name], !first.contains(where: { $0.value == value }) else {
          continue
        }
        first.append((value, file.path))
      }
      guard first.count > 1 else { return nil }
      let said = first.map { "\($0.value) in \($0.path)" }.joined(separator: ", ")
      return "Remark: the runs differ in \(name): \(said)."
    }
    let isDebug = files.contains { $0.facts["build"] == Machine.Build.debug.rawValue }
    return remarks + (isDebug ? ["Remark: the figures of a debug build say nothing."] : [])
  }

  private func commits(_ side: String, _ files: [ReportFile]) -> [String] {
    let commits = Set(files.compactMap { $0.facts["commit"] }).sorted()
    guard commits.count > 1 else { return [] }
    let said = commits.joined(separator: "; ")
    return ["Remark: the runs of \(side) are of several commits: \(said)."]
  }

  /// The compared figures that some files lack.
  private var incomplete: [FigureName] {
    comparison.figures.map(\.name).filter { name in
      (a + b).contains { $0.rows[name] == nil }
    }
  }

  /// Returns the lines for a list of figures below a title. The figures of one case share a line.
  private func list(_ title: String, _ names: [FigureName], _ width: Int) -> [String] {
    guard !names.isEmpty else { return [] }
    var cases: [String] = []
    let subjects = Dictionary(grouping: names) { name in
      if !cases.contains(name.title) { cases.append(name.title) }
      return name.title
    }
    let count = names.count == 1 ? "1 figure" : "\(names.count.grouped) figures"
    return ["\(title), \(count):"]
      + cases.flatMap { one -> [String] in
        let here = (subjects[one] ?? []).map(\.subject).joined(separator: ", ")
        return "\(one): \(here)".wrapped(to: width - 2, hanging: "  ").map { "  " + $0 }
      }
  }
}
