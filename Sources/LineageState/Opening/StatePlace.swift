import Foundation
import StateRestoration

/// A file or a folder with the state of an app.
struct StatePlace {
  /// The path of the file or folder, as it was given.
  let path: String
  let url: URL
  let isFolder: Bool

  /// Finds the file or folder that the arguments name.
  ///
  /// - Throws: ``ToolError`` if there is no such file or folder.
  init(_ arguments: ToolArguments) throws(ToolError) {
    switch arguments.place {
    case .path(let given): path = given
    case .app(let name): path = StateFolder.state(of: name).url.path(percentEncoded: false)
    }
    var isFolder: ObjCBool = false
    guard FileManager.default.fileExists(atPath: path, isDirectory: &isFolder) else {
      throw .file(path, reason: "there is no such file or folder")
    }
    self.isFolder = isFolder.boolValue
    url = URL(filePath: path, directoryHint: self.isFolder ? .isDirectory : .notDirectory)
  }

  /// Reads the file `name` in the folder or, if `name` is nil, the file at ``path``. Reads no more
  /// than `limit` bytes.
  ///
  /// - Returns: nil if there is no such file.
  /// - Throws: ``ToolError`` if the file cannot be read.
  func read(
    _ name: String? = nil, limit: Int = ArchiveInspection.limits.archiveBytes
  ) throws(ToolError) -> [UInt8]? {
    do {
      // A launch follows no links in a folder, so the tool follows none either.
      return try InspectedFile(
        name.map { url.appending(path: $0) } ?? url, followsLinks: name == nil,
        limit: limit)?.bytes
    } catch {
      throw .file(name ?? path, reason: error.reason)
    }
  }

  /// Reads and checks the archive `name` in the folder or, if `name` is nil, the archive at
  /// ``path``. Returns nil if there is no such file.
  func open(_ name: String? = nil) throws(ToolError) -> OpenedState? {
    guard let bytes = try read(name) else { return nil }
    let file = name.map { url.appending(path: $0) } ?? url
    let facts = try? FileManager.default.attributesOfItem(
      atPath: file.path(percentEncoded: false))
    return OpenedState(
      name: name ?? path, saved: facts?[.modificationDate] as? Date,
      inspection: ArchiveInspection(bytes))
  }

  /// Reads the archive of the folder that the next launch would use. If ``path`` leads to a file,
  /// reads this file.
  ///
  /// - Throws: ``ToolError`` if no archive can be used.
  func newest() throws(ToolError) -> OpenedState {
    guard isFolder else {
      guard let state = try open() else { throw .file(path, reason: "there is no such file") }
      if let error = state.error { throw error }
      return state
    }
    var newest: OpenedState?
    var errors: [ToolError] = []
    for name in StateFileName.generations + [StateFileName.atLaunch] {
      // The archive of the last launch is used only if neither of the two archives from saves can
      // be used.
      if name == StateFileName.atLaunch, newest.map({ !$0.candidate.isTooLarge }) ?? false { break }
      do throws(ToolError) {
        guard let state = try open(name) else { continue }
        if let error = state.error { throw error }
        if newest.map({ $0.candidate.isOlder(than: state.candidate) }) ?? true { newest = state }
      } catch {
        errors.append(error)
      }
    }
    if let newest { return newest }
    guard let first = errors.first else { throw .file(path, reason: "there is no state in it") }
    throw errors.max { $0.status < $1.status } ?? first
  }
}

/// An archive that was read, with the name of its file.
struct OpenedState {
  let name: String
  /// The time at which the file was last written; nil if the system does not state it.
  let saved: Date?
  let inspection: ArchiveInspection

  /// The reason why a launch cannot use the archive; nil if it can.
  var error: ToolError? {
    switch inspection.findings.fault {
    case nil: nil
    case .empty?, .damaged?:
      .damaged(name, reason: inspection.findings.fault.map { "\($0)" } ?? "")
    case .newerFormat(let format)?:
      .file(
        name,
        reason: "written in format \(format), which is newer than \(ArchiveInspection.format). "
          + "It is neither read nor overwritten.")
    case .foreign?, .tooLarge?:
      .file(name, reason: inspection.findings.fault.map { "\($0)" } ?? "")
    }
  }

  /// The facts that decide which archive a launch uses.
  var candidate: Candidate {
    Candidate(
      name: name, generation: inspection.findings.generation, usedBytes: inspection.usedBytes,
      isDamaged: inspection.isBaseDamaged,
      isTooLarge: inspection.byteCount > Candidate.byteLimit)
  }
}

/// The facts about an archive that decide whether a launch uses it.
struct Candidate {
  let name: String
  let generation: UInt64
  let usedBytes: Int
  /// Whether an item of the archive's base (the part that the last full save wrote) does not match
  /// its checksum.
  let isDamaged: Bool
  /// Whether the file has more bytes than a launch reads.
  let isTooLarge: Bool

  /// The greatest number of bytes that a launch reads, unless the app has set another limit.
  static let byteLimit = RestorationLimits().archiveBytes

  /// Returns whether a launch would use the other archive, and not this one.
  func isOlder(than other: Candidate) -> Bool {
    if isTooLarge != other.isTooLarge { return isTooLarge }
    if name == StateFileName.atLaunch || other.name == StateFileName.atLaunch {
      return name == StateFileName.atLaunch
    }
    if isDamaged != other.isDamaged { return isDamaged }
    return generation != other.generation
      ? generation < other.generation : usedBytes < other.usedBytes
  }
}
