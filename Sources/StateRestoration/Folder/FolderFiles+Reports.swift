import Foundation
import LineageFiles

extension FolderFiles {
  /// The greatest number of reports that are kept.
  private static let reportCount = 3
  /// The greatest size of the file of reports, in bytes.
  private static let reportBytes = 16 << 20

  /// Stores the report of this launch, and keeps the reports of the two launches before.
  ///
  /// Each report is one line of the file. So earlier reports are copied without being encoded
  /// again.
  mutating func store(_ report: StoredReport) throws(StateFolderError) {
    try checkLock()
    var earlier: [(number: Int, line: String)]
    do throws(FileError) {
      earlier = try readReports()
    } catch {
      // The reports may be readable later, so they are not replaced. An obstacle, such as a link,
      // has no reports.
      guard error.isObstacle else { throw .file(error) }
      earlier = []
    }
    if let launch { earlier.removeAll { $0.number == launch } }
    // Another program may have written the greatest number, which has no successor.
    let last = earlier.last.map { $0.number < .max ? max($0.number, 0) : 0 }
    let number = launch ?? (last ?? 0) + 1
    guard let line = report.line(number: number) else { return }
    launch = number
    let lines = earlier.suffix(Self.reportCount - 1).map(\.line) + [line]
    let text = "[\n" + lines.joined(separator: ",\n") + "\n]\n"
    try replaceFile(StateFileName.reports, with: Array(text.utf8))
  }

  /// Returns the last reports in the file, with the numbers of their launches. Leaves out lines
  /// that are not reports, and lines with more than a quarter of ``reportBytes``.
  private func readReports() throws(FileError) -> [(number: Int, line: String)] {
    guard
      let file = try InputFile(
        folder.file(StateFileName.reports), followsLinks: false, probe: probe),
      file.length <= Self.reportBytes
    else { return [] }
    let bytes = try file.bytes()
    return String(decoding: bytes, as: UTF8.self).split(separator: "\n").suffix(
      Self.reportCount + 1
    )
    .compactMap { part in
      let line = part.hasSuffix(",") ? part.dropLast() : part
      guard line.utf8.count <= Self.reportBytes / 4,
        let head = try? JSONDecoder().decode(ReportHead.self, from: Data(line.utf8))
      else { return nil }
      return (head.launch, String(line))
    }
  }
}

/// The part of a stored report that has the number of its launch.
private struct ReportHead: Decodable {
  let launch: Int
}

extension StoredReport {
  /// The greatest number of records in a stored report.
  private static let recordLimit = 1_000
  /// The greatest total number of identifiers in the paths of a stored report.
  private static let componentLimit = 100_000
  /// The greatest number of characters of the app's version in a stored report.
  private static let versionLimit = 1_000

  /// Returns the report as JSON in one line; nil if it cannot be encoded. The number is that of the
  /// launch.
  func line(number: Int) -> String? {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    var room = ReportRoom()
    let problems = report.problemLines.counted.filter { room.takes([$0]) }
    var notes = report.noteLines.counted.filter { room.takes([$0]) }
    let records = report.unusualRecords(atMost: Self.recordLimit, components: Self.componentLimit)
      .filter { room.takes($0.path + [$0.kind, $0.reason ?? ""]) }
    if room.leftOut > 0 {
      notes.append("\(room.leftOut) more lines of the report have no room in its file.")
    }
    let counts = RestorationReport.Outcome.allCases.map { ($0.rawValue, report.count($0)) }
    let body = SavedReport(
      launch: number,
      date: Date(timeIntervalSinceReferenceDate: date.isFinite ? date : 0)
        .formatted(.iso8601),
      appVersion: String(appVersion.unicodeScalars.prefix(Self.versionLimit)),
      generation: report.archive.generation,
      problem: report.archive.fault.map { "\($0)" },
      counts: Dictionary(uniqueKeysWithValues: counts.filter { $0.1 > 0 }),
      records: records.map {
        SavedReport.Record(
          path: $0.path, kind: $0.kind, outcome: $0.outcome.rawValue, reason: $0.reason)
      },
      problems: problems, notes: notes)
    return (try? encoder.encode(body)).map { String(decoding: $0, as: UTF8.self) }
  }
}

/// The number of bytes that the texts in a stored report may still use.
private struct ReportRoom {
  /// The number of bytes that are left.
  private var bytes = 1 << 20
  /// The number of lines that were left out, because too few bytes were left.
  private(set) var leftOut = 0

  /// Takes the bytes that the texts of a line need. If too few bytes are left, takes none, counts
  /// the line as left out, and returns false.
  mutating func takes(_ texts: [String]) -> Bool {
    // Each text has quotation marks and a comma. A record has the keys of an object besides.
    let size = texts.reduce(texts.count > 1 ? 80 : 0) { $0 + Self.size($1) + 3 }
    guard size <= bytes else {
      leftOut += 1
      return false
    }
    bytes -= size
    return true
  }

  /// Returns the number of bytes that a text takes as JSON.
  private static func size(_ text: String) -> Int {
    text.utf8.reduce(0) { size, byte in
      size + (byte < 0x20 ? 6 : byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") ? 2 : 1)
    }
  }
}
