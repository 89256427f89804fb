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
    // The number of bytes that are left for texts, and of the lines for which too few are left.
    var (room, leftOut) = (1 << 20, 0)
    func hasRoom(_ texts: [String]) -> Bool {
      // Each text has quotation marks and a comma. A record has the keys of an object besides.
      var size = texts.reduce(texts.count > 1 ? 80 : 0) { $0 + $1.utf8.count + 3 }
      // Texts that are too long anyway are not read.
      if size <= room {
        for byte in texts.lazy.flatMap(\.utf8) {
          size += byte < 0x20 ? 5 : byte == 0x22 || byte == 0x5C ? 1 : 0
        }
      }
      let fits = size <= room
      if fits { room -= size } else { leftOut += 1 }
      return fits
    }
    problems = report.problemLines.counted.filter { hasRoom([$0]) }
    var notes = report.noteLines.counted.filter { hasRoom([$0]) }
    var records: [RestorationReport.Record] = []
    // After a hundred long paths that have no room, no more are made.
    for record in report.unusualRecords.prefix(Self.recordLimit) where leftOut < 100 {
      if hasRoom(record.path + [record.kind, record.reason ?? ""]) { records.append(record) }
    }
    self.records = records
    if leftOut > 0 {
      let count = leftOut < 100 ? "\(leftOut)" : "\(leftOut) or more"
      notes.append("\(count) other lines of the report have no room in its file.")
    }
    self.notes = notes
  }
}
