import Foundation

/// One run of the program that measures the chosen cases, prints their results and writes the
/// result files.
@MainActor struct Run {
  let arguments: Arguments

  func perform() async throws {
    let all = try cases()
    let chosen = all.filter { $0.isMeasured(with: arguments.effort) }
    let skipped = all.filter { !$0.isMeasured(with: arguments.effort) }
    if arguments.suites.contains(.postgres), let reason = PostgresSuite.absence {
      let line = "Skipped the suite postgres, because \(reason)."
      say(line.wrapped(to: Terminal.width).joined(separator: "\n"))
    }
    if arguments.wantsList {
      printTable("Would be measured", chosen)
      if !skipped.isEmpty { printTable("Would be skipped; --full runs it", skipped) }
      return
    }
    let paths = [arguments.htmlPath, arguments.jsonPath, arguments.markdownPath]
    for path in paths.compactMap(\.self) where path != "-" { try requireFolder(of: path) }
    var facts = RunFacts.current(seed: arguments.seed, effort: arguments.effort)
    if chosen.contains(where: { $0.suite == .postgres }) {
      facts.machine.server = try PostgresSuite.settings
    }
    if facts.machine.build == .debug {
      complain("Benchmarks: this is a debug build, whose figures say nothing; use -c release.")
    }
    let (least, most) = (arguments.effort.leastSamples, arguments.effort.samples)
    let samples = least < most ? "\(least) to \(most) samples" : "\(most) samples"
    say("\(facts.machine.summary), seed \(arguments.seed), \(samples)\n")
    let start = ContinuousClock.now
    let measurements = try await measure(chosen)
    let seconds = Stopwatch.nanoseconds(since: start) / 1e9
    let bars = BarFinding.all(of: all, in: measurements)
    printResults(measurements, bars)
    say("Measured \(chosen.count.cases) in \(seconds.formatted(digits: 2)) s.")
    if !skipped.isEmpty {
      say("Skipped \(skipped.count.cases), which --list names and --full measures.")
    }
    try writeFiles(facts, measurements, bars, skipped: skipped.count)
  }

  /// Prints a text for a person. It goes to standard error if standard output is used for the JSON.
  private func say(_ text: String) {
    if arguments.printsJSON { complain(text) } else { print(text) }
  }

  private func cases() throws(ArgumentError) -> [BenchmarkCase] {
    let all = arguments.suites.flatMap { $0.cases(seed: arguments.seed, effort: arguments.effort) }
    guard !arguments.cases.isEmpty else { return all }
    let unknown = arguments.cases.subtracting(all.map(\.name)).sorted()
    if let name = unknown.first {
      throw ArgumentError(description: "There is no case “\(name)” in these suites; see --list.")
    }
    return all.filter { arguments.cases.contains($0.name) }
  }

  private func measure(_ cases: [BenchmarkCase]) async throws -> [Measurement] {
    let harness = Harness(effort: arguments.effort)
    let progress = ProgressLine()
    defer { progress.clear() }
    var measurements: [Measurement] = []
    for (index, benchmark) in cases.enumerated() {
      progress.show("\(index + 1) of \(cases.count): \(benchmark.title)")
      measurements += try await harness.measure(benchmark)
    }
    return measurements
  }

  private func printTable(_ title: String, _ cases: [BenchmarkCase]) {
    say("\(title)\n")
    for line in CaseList(cases: cases).lines(width: Terminal.width) { say(line) }
    say("")
  }

  private func printResults(_ measurements: [Measurement], _ bars: [BarFinding]) {
    say(ResultTables(measurements: measurements).all.map(\.text).joined(separator: "\n\n"))
    let breakEvens = BreakEvenFinding.all(in: measurements)
    if !breakEvens.isEmpty { say("\n" + BreakEvenTable(findings: breakEvens).table.text) }
    for finding in HeldFinding.all(in: measurements) { say("\n\(finding.sentence)") }
    if bars.contains(where: { !$0.figures.isEmpty }) {
      let table = BarTable(findings: bars)
      say("\n\(table.table.text)\n\n\(table.sentences)")
    }
    say("")
  }

  /// Checks that a result file can be written: its folder must exist, and no folder may have its
  /// name. This is called before anything is measured.
  private func requireFolder(of path: String) throws {
    let folder = URL(fileURLWithPath: path).deletingLastPathComponent().path
    var isDirectory: ObjCBool = false
    guard FileManager.default.fileExists(atPath: folder, isDirectory: &isDirectory),
      isDirectory.boolValue
    else { throw ArgumentError(description: "There is no folder \(folder) to write \(path) in.") }
    if FileManager.default.fileExists(atPath: path, isDirectory: &isDirectory),
      isDirectory.boolValue
    {
      throw ArgumentError(description: "\(path) is a folder, so no file can be written there.")
    }
  }

  private func writeFiles(
    _ facts: RunFacts, _ measurements: [Measurement], _ bars: [BarFinding], skipped: Int
  ) throws {
    let page = ResultsPage(
      run: facts, measurements: measurements, findings: bars, skipped: skipped)
    try write(Data(page.html.utf8), to: arguments.htmlPath)
    if let path = arguments.markdownPath {
      let page = MarkdownPage(
        run: facts, measurements: measurements, findings: bars, skipped: skipped)
      try write(Data(page.text.utf8), to: path)
    }
    if let path = arguments.jsonPath {
      try write(JSONReport(run: facts, measurements: measurements).data(), to: path)
    }
  }

  /// Writes data to a file, or to standard output if the path is `-`.
  private func write(_ data: Data, to path: String) throws {
    guard path != "-" else { return try FileHandle.standardOutput.write(contentsOf: data + [10]) }
    try data.write(to: URL(fileURLWithPath: path))
    say("Wrote \(path).")
  }
}
