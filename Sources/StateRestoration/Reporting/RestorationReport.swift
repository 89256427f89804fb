/// A report on what a restoration did with each record of the archive.
public struct RestorationReport: Sendable {
  /// The outcome of a restoration for one record.
  public enum Outcome: String, Sendable, CaseIterable, Codable {
    /// The responder exists and has its state.
    case restored
    /// The responder exists, and some of its values wait for a context.
    case waiting
    /// The record is kept for a later launch.
    case carried
    /// The record is kept but not restored, because launches have ended in it or in a record above
    /// it.
    case leftOut
    /// The kind's factory has refused the record, and the record is removed.
    case vetoed
    /// The record is removed, or its responder has left the tree while values waited for a context.
    case dropped
    /// The record's bytes are damaged.
    case damaged
  }

  /// The outcome for one record of the archive.
  public struct Record: Sendable, Codable {
    /// The identifiers on the way from the application to the responder; empty for the application
    /// itself.
    public let path: [String]
    /// The number of earlier siblings with the same identifier. It is not encoded.
    public internal(set) var ordinal = 0
    /// The name of the kind; empty if there is none.
    public let kind: String
    /// The outcome for the record.
    public let outcome: Outcome
    /// The reason for the outcome; nil if none.
    public let reason: String?

    private enum CodingKeys: String, CodingKey { case path, kind, outcome, reason }
  }

  /// The findings about the archive's bytes.
  public internal(set) var archive = ArchiveFindings()
  /// The sentences about state that could not be archived or read, without repetitions.
  ///
  /// There are at most a thousand. The ``description`` tells how often each sentence was found, and
  /// how many sentences are left out.
  public var problems: [String] { problemLines.lines }
  /// The sentences about differences through which no state was lost, without repetitions.
  ///
  /// There are at most a thousand, as with ``problems``.
  public var notes: [String] { noteLines.lines }
  private(set) var problemLines = ReportLines()
  private(set) var noteLines = ReportLines()
  private var entries: [ReportEntry] = []

  /// One record of the report. It has the index of the record above instead of a path.
  struct ReportEntry: Sendable {
    var parent: Int32
    var outcome: Outcome
    var identifier: String
    var kind: String
    /// The number of earlier siblings with the same identifier.
    var ordinal: Int32
    var reason: String?
    /// Whether a launch may keep the record for later although nothing is wrong.
    var mayBeKept = false
    /// Whether the state at the record's path was erased, so that no stored report has the path.
    var isErased = false
  }

  init() {}
}

extension RestorationReport {
  /// Makes room for a number of records.
  mutating func reserve(_ count: Int) { entries.reserveCapacity(count) }

  /// Adds a line for a record, and returns its index. `parent` is the index of the line of the record
  /// above.
  mutating func add(_ identifier: String, kind: String, parent: Int?, _ ordinal: Int = 0) -> Int {
    entries.append(
      ReportEntry(
        parent: Int32(parent ?? -1), outcome: .dropped, identifier: identifier, kind: kind,
        ordinal: Int32(clamping: ordinal)))
    return entries.count - 1
  }

  /// Notes that a launch may keep a record for later though nothing is wrong: it waits for its
  /// screen, is that of an added object, or was kept before.
  mutating func mayKeep(_ line: Int) { entries[line].mayBeKept = true }

  /// A sentence for each responder of the archived tree that a launch has not restored, though it
  /// should. A record below an unrestored one gets no sentence.
  var unrestored: [String] {
    var isLeft = [Bool](repeating: false, count: entries.count)
    var sentences: [String] = []
    for (index, entry) in entries.enumerated()
    where entry.outcome != .restored && entry.outcome != .waiting {
      isLeft[index] = true
      if entry.mayBeKept || entry.parent >= 0 && isLeft[Int(entry.parent)] { continue }
      let name = entry.parent < 0 ? "The application" : pathLine(index)
      sentences.append("\(name) was not restored: \(entry.reason ?? "There is no reason.")")
    }
    return sentences
  }

  /// Sets the outcome for a record. A new reason is added to the earlier reasons.
  mutating func set(_ index: Int, _ outcome: Outcome, _ reason: String? = nil) {
    entries[index].outcome = outcome
    if let reason {
      let before = entries[index].reason.map { $0 + " " } ?? ""
      entries[index].reason = before + reason
    }
  }

  private func record(_ index: Int) -> Record {
    let entry = entries[index]
    return Record(
      path: path(index), ordinal: Int(entry.ordinal), kind: entry.kind, outcome: entry.outcome,
      reason: entry.reason)
  }

  /// Returns the reason for a record's outcome; nil if none.
  func reason(_ index: Int) -> String? { entries[index].reason }

  /// Replaces the outcome for a record, and all reasons for it.
  mutating func replace(_ index: Int, _ outcome: Outcome, _ reason: String?) {
    entries[index].outcome = outcome
    entries[index].reason = reason
  }

  /// Notes that a record was erased. If it was waiting, kept for later or left out, it counts as
  /// dropped.
  mutating func noteErased(_ index: Int) {
    guard [.waiting, .carried, .leftOut].contains(entries[index].outcome) else { return }
    replace(index, .dropped, "It was erased.")
  }

  /// Notes that the state at a path and below it was erased, so that no stored report has the path.
  mutating func erase(_ path: [String]) {
    // The number of identifiers that each record's path shares with the beginning of the erased path;
    // nil if the record's path leads elsewhere.
    var shared: [Int?] = []
    for (index, entry) in entries.enumerated() {
      let above = entry.parent < 0 ? nil : shared[Int(entry.parent)]
      let next = above.flatMap { count in
        count == path.count ? count : entry.identifier == path[count] ? count + 1 : nil
      }
      shared.append(entry.parent < 0 ? 0 : next)
      if shared[index] == path.count { entries[index].isErased = true }
    }
    let name = PathLine.text(path.reversed().map { ($0, 0) })
    problemLines.removeLines { path.isEmpty || $0.names(name) }
    noteLines.removeLines { path.isEmpty || $0.names(name) }
  }

  /// Adds a sentence about state that was lost.
  mutating func add(problem text: String) { problemLines.add(text) }

  /// Adds a sentence about a difference through which no state was lost.
  mutating func note(_ text: String) { noteLines.add(text) }

  /// Returns the indices of the lines on the way from a record to the application's line, which is
  /// left out.
  private func way(from index: Int) -> some Sequence<Int> {
    sequence(first: index) { Int(entries[$0].parent) }.lazy.prefix { entries[$0].parent >= 0 }
  }

  /// Returns the identifiers on the way from the application to a record's owner.
  func path(_ index: Int) -> [String] { way(from: index).map { entries[$0].identifier }.reversed() }

  /// Returns the path of a record's owner in one line; see ``PathLine``.
  func pathLine(_ index: Int) -> String {
    PathLine.text(way(from: index).lazy.map { (entries[$0].identifier, Int(entries[$0].ordinal)) })
  }

  /// All records of the archive, parents first.
  ///
  /// - Complexity: O(*n* · *depth*) for *n* records.
  public var records: [Record] { entries.indices.map(record) }

  /// The records with another outcome than `restored`, or with a reason, for a stored report. Parents
  /// come first. Erased records are left out.
  var unusualRecords: some Sequence<Record> {
    entries.indices.lazy.filter { index in
      let entry = entries[index]
      return !entry.isErased && (entry.outcome != .restored || entry.reason != nil)
    }
    .map(record)
  }

  /// Returns the number of records with an outcome.
  ///
  /// - Complexity: O(*n*) for *n* records.
  public func count(_ outcome: Outcome) -> Int {
    entries.count { $0.outcome == outcome }
  }
}

extension RestorationReport: CustomStringConvertible {
  /// The report as text: a line with the number of records for each outcome, a line for each record
  /// with a reason, and then the problems and notes.
  ///
  /// - Complexity: O(*n*) for *n* records, problems and notes.
  public var description: String {
    var lines: [String] = []
    if let problem = archive.fault { lines.append("\(problem)") }
    let counts = Outcome.allCases.compactMap { outcome -> String? in
      let count = count(outcome)
      return count > 0 ? "\(count) \(outcome.rawValue)" : nil
    }
    if !counts.isEmpty { lines.append("Records: " + counts.joined(separator: ", ") + ".") }
    if archive.unusedBytes > 0 {
      lines.append(
        "The last \(archive.unusedBytes) bytes belong to no complete save and were not used.")
    }
    for (index, entry) in entries.enumerated() {
      guard let reason = entry.reason else { continue }
      lines.append("\(entry.outcome.rawValue): \(pathLine(index)): \(reason)")
    }
    return (lines + problemLines.counted + noteLines.counted).joined(separator: "\n")
  }
}

extension RestorationReport: Encodable {
  private enum CodingKeys: String, CodingKey {
    case generation, problem, damaged, unusedBytes, records, problems, notes
  }

  /// Encodes all records and sentences. The names of the keys do not change between versions.
  ///
  /// - Complexity: O(*n* · *depth*) for *n* records, and O(*m*) for *m* problems and notes.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(archive.generation, forKey: .generation)
    try container.encodeIfPresent(archive.fault.map { "\($0)" }, forKey: .problem)
    try container.encode(archive.damaged, forKey: .damaged)
    try container.encode(archive.unusedBytes, forKey: .unusedBytes)
    try container.encode(records, forKey: .records)
    try container.encode(problems, forKey: .problems)
    try container.encode(notes, forKey: .notes)
  }
}

extension String {
  /// Returns whether a sentence of a report names a path, or a path below it. The path is in one
  /// line; see ``PathLine``.
  fileprivate func names(_ path: String) -> Bool {
    let text = " › " + self
    return [" under ", " misses ", " › "].contains { before in
      [":", " ", ",", "."].contains { text.contains(before + path + $0) }
    }
  }
}
