import Foundation
import LineageFiles

extension FolderFiles {
  /// The greatest number of files in the quarantine, the folder of unusable files.
  private static let quarantinedFiles = 4
  /// The greatest total number of bytes of the files in the quarantine. The newest file is kept
  /// even if it is larger.
  private static let quarantinedBytes = 128 << 20

  /// Moves the files that could not be used into the quarantine. Otherwise, saves would overwrite
  /// them.
  ///
  /// A file that cannot be moved is replaced by a later save, because saving the state is worth
  /// more than the damaged file.
  mutating func moveUnusable() {
    guard !unusable.isEmpty else { return }
    _ = move(unusable)
    unusable = []
  }

  /// Moves files into the quarantine. Returns the names of the files that could not be moved.
  func move(_ names: [String]) -> [String] {
    let present = names.filter { name in
      do { return try folder.entry(name) != nil } catch { return true }
    }
    guard !present.isEmpty else { return [] }
    do {
      let quarantine = try makeQuarantine()
      var number = try quarantine.names().compactMap(Self.number).max() ?? 0
      let left = present.filter { name in
        number += 1
        return (try? folder.move(name, to: "\(StateFileName.quarantine)/\(name).\(number)")) == nil
      }
      // The new names are stored before the old ones are removed from the disk. Otherwise, a power
      // cut could remove both names of a file.
      try? quarantine.sync()
      try? folder.sync()
      prune(quarantine)
      return left
    } catch {
      return present
    }
  }

  /// Returns the quarantine, which is made if it is missing. If its name belongs to an entry that
  /// is not a folder, that entry is renamed first.
  private func makeQuarantine() throws(FileError) -> PrivateFolder {
    let name = StateFileName.quarantine
    // A link is not followed, because it could lead out of the folder.
    if let entry = try folder.entry(name), entry != .folder {
      var number = 1
      while try folder.entry("\(name).\(number)") != nil { number += 1 }
      try folder.move(name, to: "\(name).\(number)")
    }
    let quarantine = PrivateFolder(folder.file(name), probe: probe)
    try quarantine.make()
    return quarantine
  }

  /// Returns the number at the end of a quarantined file's name; nil if there is none.
  private static func number(_ name: String) -> Int? {
    name.split(separator: ".").last.flatMap { Int($0) }.flatMap { $0 < .max >> 1 ? $0 : nil }
  }

  /// Removes the oldest files of the quarantine until the rest is within the limits.
  private func prune(_ quarantine: PrivateFolder) {
    let names = ((try? quarantine.names()) ?? [])
      .sorted { (Self.number($0) ?? 0) > (Self.number($1) ?? 0) }
    var bytes = 0
    for (index, name) in names.enumerated() {
      if case .file(let size) = try? quarantine.entry(name) { bytes += min(size, .max >> 8) }
      if index > 0, index >= Self.quarantinedFiles || bytes > Self.quarantinedBytes {
        try? quarantine.remove(name)
      }
    }
  }

  /// Stores an archive as the only one, and removes all other files that may contain erased
  /// records. If there is no room for a new file, the archive is written over the newest file.
  ///
  /// If the archive is nil, no archive is kept. Even the files of a newer version of this library
  /// are then removed.
  ///
  /// - Throws: ``StateFolderError/overwritten(file:)`` if all was done, but over the newest file.
  mutating func erase(_ bytes: [UInt8]?) throws(StateFolderError) {
    if bytes != nil || refusal == .inUse {
      try checkLock()
    } else if lock?.isNamed != true {
      // The user wants all state to be removed, even state that this process cannot read.
      lock = nil
      try takeLock()
    }
    (unusable, unreadable, damaged, foundGeneration) = ([], [], nil, nil)
    var failure: StateFolderError?
    var isStored = false
    if let bytes {
      do throws(StateFolderError) {
        try replaceOrOverwrite(bytes)
        isStored = true
      } catch {
        (failure, isStored) = (error, error.isStored)
      }
    }
    if !isStored { (current, durable) = (nil, nil) }
    do throws(FileError) {
      try removeFiles(but: current)
    } catch {
      if case nil = failure { failure = .notErased(error) }
      if case .overwritten? = failure { failure = .notErased(error) }
    }
    if let failure { throw failure }
  }

  /// Replaces an archive file. If this fails even without the other files, writes the archive over
  /// the newest file.
  private mutating func replaceOrOverwrite(_ bytes: [UInt8]) throws(StateFolderError) {
    do throws(StateFolderError) {
      return try replace(bytes)
    } catch {
      if error.isStored { throw error }
    }
    try? removeFiles(but: current)
    do throws(StateFolderError) {
      try replace(bytes)
    } catch {
      guard !error.isStored, let current,
        (try? folder.overwrite(current, with: bytes)) != nil
      else { throw error }
      durable = current
      throw .overwritten(file: current)
    }
  }

  /// Returns whether a file may have an identifier in its bytes. If so, it may have a record with
  /// this identifier, or a report that names it.
  func mentions(_ identifier: String) -> Bool {
    // Other characters may be written in more than one way.
    guard !identifier.isEmpty, identifier.utf8.allSatisfy({ 0x20..<0x7F ~= $0 }),
      !identifier.contains(where: { "\"\\/".contains($0) })
    else { return true }
    func mentions(_ folder: PrivateFolder) -> Bool {
      guard let names = try? folder.names() else { return true }
      return names.contains { name in
        if name == StateFileName.lock || name == StateFileName.guardPage { return false }
        if name == StateFileName.quarantine {
          return mentions(PrivateFolder(folder.file(name), probe: probe))
        }
        guard let file = try? InputFile(folder.file(name), followsLinks: false, probe: probe),
          let bytes = try? file.bytes()
        else { return true }
        return Data(bytes).range(of: Data(identifier.utf8)) != nil
      }
    }
    return mentions(folder)
  }

  /// Removes the archives, the unfinished files, the reports, the quarantined files, and entries
  /// that were in the way of the quarantine. The file named `kept` is not removed.
  private func removeFiles(but kept: String?) throws(FileError) {
    var failure: FileError?
    func attempt(_ step: () throws(FileError) -> Void) {
      do { try step() } catch { failure = failure ?? error }
    }
    let names = StateFileName.archives + StateFileName.kept + [StateFileName.reports]
    for name in names + [StateFileName.quarantine] where name != kept {
      attempt { () throws(FileError) in try folder.remove(name) }
    }
    var others: [String] = []
    attempt { () throws(FileError) in
      others = try folder.names().filter { other in
        names.contains { other.hasPrefix(".\($0).saving") }
          || other.hasPrefix("\(StateFileName.quarantine).")
      }
    }
    for other in others { attempt { () throws(FileError) in try folder.remove(other) } }
    attempt { () throws(FileError) in try folder.sync() }
    if let failure { throw failure }
  }
}
