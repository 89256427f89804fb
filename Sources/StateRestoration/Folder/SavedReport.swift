package import Foundation

/// The report of one launch, as it is in the folder's file of reports. The names of the keys do not
/// change between versions.
package struct SavedReport: Codable, Sendable {
  /// The number of the launch.
  package internal(set) var launch = 1
  package let date: String
  package let appVersion: String
  /// The generation of the archive.
  package let generation: UInt64
  /// The fault of the archive, if it could not be read.
  package let problem: String?
  /// The number of records with each outcome, without zeros, stored under the outcome's name.
  package let counts: [String: Int]
  /// The records with another outcome than `restored`, or with a reason; at most a thousand.
  package let records: [RestorationReport.Record]
  /// The sentences about state that was not archived or not read, each once, with its count.
  package let problems: [String]
  package let notes: [String]

  /// The greatest size of the file of reports, in bytes.
  static let fileLimit = 16 << 20
  /// The greatest number of records in a stored report.
  private static let recordLimit = 1_000

  /// Makes the report of a launch at a date.
  package init(_ report: RestorationReport, _ date: Date, appVersion: String) {
    let seconds = date.timeIntervalSinceReferenceDate
    self.date = (seconds.isFinite ? date : Date(timeIntervalSinceReferenceDate: 0))
      .formatted(.iso8601)
    self.appVersion = appVersion.cut(to: 1_000)
    generation = report.archive.generation
    problem = report.archive.fault.map { "\($0)" }
    let counts = RestorationReport.Outcome.allCases.map { ($0.rawValue, report.count($0)) }
    self.counts = Dictionary(uniqueKeysWithValues: counts.filter { $0.1 > 0 })
    var room = ReportRoom()
    problems = report.problemLines.counted.filter { room.takes([$0]) }
    var notes = report.noteLines.counted.filter { room.takes([$0]) }
    var records: [RestorationReport.Record] = []
    // After a hundred long paths that have no room, no more are made.
    for record in report.unusualRecords.prefix(Self.recordLimit) where room.leftOut < 100 {
      if room.takes(record.path + [record.kind, record.reason ?? ""]) { records.append(record) }
    }
    self.records = records
    if room.leftOut > 0 {
      let count = room.leftOut < 100 ? "\(room.leftOut)" : "\(room.leftOut) or more"
      notes.append("\(count) other lines of the report have no room in its file.")
    }
    self.notes = notes
  }
}

/// The number of bytes that the texts in a stored report may still use.
private struct ReportRoom {
  /// The number of bytes that are left.
  private var bytes = 1 << 20
  /// The number of lines that were left out, because too few bytes were left.
  private(set) var leftOut = 0

  /// Takes the bytes that the texts of a line need as JSON. If too few bytes are left, takes none,
  /// counts the line as left out, and returns false.
  mutating func takes(_ texts: [String]) -> Bool {
    // Each text has quotation marks and a comma. A record has the keys of an object besides.
    var size = texts.reduce(texts.count > 1 ? 80 : 0) { $0 + $1.utf8.count + 3 }
    // Texts that are too long anyway are not read.
    if size <= bytes {
      for byte in texts.lazy.flatMap(\.utf8) {
        size += byte < 0x20 ? 5 : byte == 0x22 || byte == 0x5C ? 1 : 0
      }
    }
    guard size <= bytes else {
      leftOut += 1
      return false
    }
    bytes -= size
    return true
  }
}
