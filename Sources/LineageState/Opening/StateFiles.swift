import Foundation
import LineageFiles
import StateRestoration

/// The files of a state folder, or one file with an archive, as the tool has read them.
struct StateFiles {
  /// The archives, the faults, and what else is in the folder, each as a line.
  private(set) var lines: [String] = []
  /// The archive that is shown. If the next launch uses an archive, it is this one.
  private(set) var shown: (name: String, inspection: ArchiveInspection)?
  private(set) var reports: [SavedReport] = []
  /// The status of the worst fault.
  private(set) var status = ExitStatus.good
  /// The folder; nil if the state is one file.
  private let folder: URL?

  /// The greatest number of bytes that a launch reads, unless the app has set another limit.
  private static let launchLimit = RestorationLimits().archiveBytes

  /// Reads and checks all files.
  ///
  /// - Throws: ``ToolError`` if there is no such file or folder.
  init(_ path: String) throws(ToolError) {
    var isFolder: ObjCBool = false
    guard FileManager.default.fileExists(atPath: path, isDirectory: &isFolder) else {
      throw ToolError(reason: "\(path): there is no such file or folder")
    }
    folder = isFolder.boolValue ? URL(filePath: path, directoryHint: .isDirectory) : nil
    guard let folder else {
      readArchive(path)
      return
    }
    for name in StateFileName.generations + [StateFileName.atLaunch] { readArchive(name) }
    let isEmpty = lines.isEmpty
    readGuard()
    readReports()
    let kept = StateFileName.kept.filter {
      FileManager.default.fileExists(atPath: url($0).path(percentEncoded: false))
    }
    lines += kept.map { "\($0): A launch that could not restore it has kept it." }
    let quarantine = folder.appending(path: StateFileName.quarantine).path(percentEncoded: false)
    let names = try? FileManager.default.contentsOfDirectory(atPath: quarantine)
    lines += (names ?? []).sorted()
      .map { "\(StateFileName.quarantine)/\($0): A launch could not use it." }
    if let shown, shown.inspection.byteCount <= Self.launchLimit {
      lines.append("The next launch uses \(shown.name).")
    } else {
      lines.append("The next launch finds no state.")
      if shown != nil || isEmpty { status = .unusable }
    }
  }

  private func url(_ name: String) -> URL {
    folder?.appending(path: name) ?? URL(filePath: name, directoryHint: .notDirectory)
  }

  /// Reads a file. Returns nil if there is none, or if it cannot be read or has more than `limit`
  /// bytes.
  private mutating func read(_ name: String, limit: Int) -> [UInt8]? {
    do {
      // A launch follows no links in a folder, so the tool follows none either.
      guard let file = try InputFile(url(name), followsLinks: folder == nil) else { return nil }
      if file.length <= UInt64(limit) { return try file.bytes(first: limit) }
      note("it has \(file.length) bytes, and the limit is \(limit)", in: name, .unusable)
    } catch {
      let reason = error.isObstacle ? FileError.Reason.notRegularFile : error.reason
      note("\(reason)", in: name, .unusable)
    }
    return nil
  }

  private mutating func note(_ fault: String, in name: String, _ status: ExitStatus) {
    lines.append("\(name): \(fault)")
    if status.rawValue > self.status.rawValue { self.status = status }
  }

  private mutating func readArchive(_ name: String) {
    guard let bytes = read(name, limit: ArchiveInspection.limits.archiveBytes) else { return }
    let inspection = ArchiveInspection(bytes)
    let facts = try? FileManager.default.attributesOfItem(
      atPath: url(name).path(percentEncoded: false))
    let date = (facts?[.modificationDate] as? Date)?.timeIntervalSinceReferenceDate.rounded(.down)
    let saved = date.flatMap { String(secondsSince2001: $0) }.map { ", saved \($0)" } ?? ""
    lines.append(
      "\(name): \(String(inspection.findings.records, "record")), "
        + "\(String(bytes.count, "byte")), generation \(inspection.findings.generation)\(saved)")
    let status =
      switch inspection.findings.fault {
      case nil, .empty?, .damaged?: ExitStatus.damaged
      case .foreign?, .newerFormat?, .olderFormat?, .tooLarge?: ExitStatus.unusable
      }
    for fault in inspection.faults { note(fault, in: name, status) }
    let more = inspection.faultCount - inspection.faults.count
    if more > 0 { note(String(more, "more fault"), in: name, status) }
    if bytes.count > Self.launchLimit {
      lines.append("\(name): By default, a launch reads at most \(Self.launchLimit) bytes.")
    }
    guard inspection.findings.fault == nil else { return }
    if let shown, Self.rank(shown.name, shown.inspection) >= Self.rank(name, inspection) { return }
    shown = (name, inspection)
  }

  /// Returns the rank of an archive. A launch uses the archive with the greatest rank.
  private static func rank(_ name: String, _ archive: ArchiveInspection) -> (Int, UInt64) {
    // The archive of the last launch is used only if no archive of a save can be used.
    let kind = archive.byteCount > launchLimit ? 0 : name == StateFileName.atLaunch ? 2 : 4
    return (archive.isDamaged ? kind : kind + 1, archive.findings.generation)
  }

  private mutating func readReports() {
    guard let bytes = read(StateFileName.reports, limit: 16 << 20) else { return }
    do {
      reports = try JSONDecoder().decode([SavedReport].self, from: Data(bytes))
    } catch {
      note("It has no reports that can be read.", in: StateFileName.reports, .damaged)
    }
  }

  private mutating func readGuard() {
    let name = StateFileName.guardPage
    guard let bytes = read(name, limit: 1 << 20), !bytes.isEmpty else { return }
    if let format = FoundStrikes.laterFormat(of: bytes) {
      note("It has format \(format), which is newer than 2.", in: name, .unusable)
    } else if let page = FoundStrikes(bytes) {
      lines += page.sentences(shown?.inspection).map { "\(name): \($0)" }
    } else {
      note("It is not a page of the crash guard.", in: name, .damaged)
    }
  }
}
