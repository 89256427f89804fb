/// The sentences of a report. Each is listed once, with the number of times that it was found.
struct ReportLines: Sendable {
  private(set) var lines: [String] = []
  private var counts: [String: Int] = [:]
  /// The number of sentences that were not listed, because there were too many already.
  private var others = 0

  /// The greatest number of sentences.
  private static let limit = 1_000

  /// Adds a sentence, or counts it if it is there.
  mutating func add(_ line: String) {
    if let count = counts[line] {
      counts[line] = count + 1
    } else if lines.count < Self.limit {
      lines.append(line)
      counts[line] = 1
    } else {
      others += 1
    }
  }

  /// The sentences, with their counts where they were found more than once.
  var counted: [String] {
    var counted = lines.map { line in
      let count = counts[line] ?? 1
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
