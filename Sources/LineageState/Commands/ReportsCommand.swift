import StateRestoration

/// The command `reports`, which prints the reports of the last launches.
struct ReportsCommand {
  let output: ToolOutput

  /// Prints the reports of a folder or file.
  func run(_ place: StatePlace) throws {
    let reports = try SavedReports(in: place).all
    guard !reports.isEmpty else { throw ToolError.file(place.path, reason: "it has no reports") }
    for (index, report) in reports.enumerated() {
      if index > 0 { try output.line() }
      try show(report)
    }
  }

  private func show(_ report: SavedReport) throws {
    let version = report.appVersion.isEmpty ? "" : ", version \(report.appVersion) of the app"
    try output.line(
      "Launch \(report.launch), \(report.date)\(version), generation \(report.generation)", .bold)
    if let reason = report.problem { try output.line("  \(reason)", .red) }
    let counts = report.counts.sorted { $0.key < $1.key }
      .map { "\(NumberText.text($0.value)) \($0.key)" }
    try output.line("  Records: \(counts.isEmpty ? "none" : counts.joined(separator: ", ")).")
    for record in report.records {
      let path = record.path.isEmpty ? "the application" : record.path.joined(separator: " › ")
      try output.put("  \(record.outcome): ")
      try output.put(path, .bold)
      try output.line(record.reason.map { ": \($0)" } ?? "")
    }
    for loss in report.problems { try output.line("  Lost: \(loss)", .red) }
    for note in report.notes { try output.line("  \(note)") }
  }
}
