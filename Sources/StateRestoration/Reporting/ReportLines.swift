/// The sentences of a report. Each sentence is listed once, with the number of times that it was
/// found.
struct ReportLines: Sendable {
  private(set) var lines: [String] = []
  private var counts: [String: Int] = [:]
  /// The number of sentences that were not listed, because there were too many.
  private var others = 0

  /// The greatest number of listed sentences.
  private static let limit = 1_000

  /// Adds a sentence, or counts it if it was added before.
  mutating func add(_ line: String) {
    if counts[line] == nil {
      guard lines.count < Self.limit else { return others += 1 }
      lines.append(line)
    }
    counts[line, default: 0] += 1
  }

  /// Removes the sentences that satisfy the closure.
  mutating func removeLines(where isRemoved: (String) -> Bool) {
    lines.removeAll(where: isRemoved)
    counts = counts.filter { !isRemoved($0.key) }
  }

  /// The sentences. A sentence that was found more than once is followed by its count.
  var counted: [String] {
    var counted = lines.map { line in
      let count = counts[line, default: 1]
      return count > 1 ? "\(line) (\(count) times)" : line
    }
    if others > 0 { counted.append("And \(others) more.") }
    return counted
  }

  /// Returns the sentences that were found since an earlier state of the report.
  func lines(since earlier: ReportLines) -> [String] {
    lines.filter { counts[$0] != earlier.counts[$0] }
  }
}
