import Foundation
import LineageFiles

extension FolderFiles {
  /// Stores an archive, which has no records at a path and below it, as the only one, and removes
  /// all other files that may contain erased records. If there is no room, it is written over the
  /// newest file. If that fails, all archives are removed.
  ///
  /// If the archive is nil, no archive is kept. Even the files of a newer version of this library
  /// are then removed.
  ///
  /// - Returns: whether a file may have had records at the path. If not, nothing is written.
  /// - Throws: ``StateFolderError/overwritten(file:)`` if all was done, but over the newest file.
  func erase(_ archive: StateArchive?, at path: [String]) throws -> Bool {
    if let name = path.last, !mentions(name), atLaunch?.archive.mentions(name) != true {
      return false
    }
    if archive != nil || refusal as? StateFolderError == .inUse {
      try checkLock()
    } else if lock?.isNamed != true {
      // The user wants all state to be removed, even state that this process cannot read.
      close()
      try takeLock()
    }
    try eraseAll(but: archive)
    return true
  }

  /// Erases all state but an archive. Until this succeeds, each save tries again.
  func eraseAll(but archive: StateArchive?) throws {
    (atLaunch, earlierReports, misfits, isErasing) = (nil, nil, [:], true)
    var failure: (any Error)?
    do {
      if let archive { try writeOrOverwrite(archive) }
    } catch {
      failure = error
    }
    if archive == nil || failure?.isStored == false { (newest, durable) = (nil, nil) }
    let isErased = failure.map { $0 is StateFolderError } ?? true
    do {
      try removeFiles(but: newest)
      isErasing = !isErased
    } catch {
      if isErased { failure = StateFolderError.notErased(reason: "\(error)") }
    }
    if let failure { throw failure }
  }

  /// Replaces an archive file. If even removing the other files does not help, overwrites the newest.
  private func writeOrOverwrite(_ archive: StateArchive) throws {
    do { return try write(archive) } catch let error where !error.isStored {}
    try? removeFiles(but: newest)
    do {
      try write(archive)
    } catch let error where !error.isStored {
      guard let newest, (try? folder.overwrite(newest, with: archive.bytes)) != nil else {
        throw error
      }
      durable = newest
      throw StateFolderError.overwritten(file: newest)
    }
  }

  /// Returns whether a record of a file may have an identifier, or a report may name it.
  private func mentions(_ identifier: String) -> Bool {
    // Other characters may be written in more than one way.
    let isPlain = identifier.utf8.allSatisfy { 0x20..<0x7F ~= $0 && !"\"\\/".utf8.contains($0) }
    guard isPlain, !identifier.isEmpty else { return true }
    func mentions(_ folder: PrivateFolder) -> Bool {
      guard let names = try? folder.names() else { return true }
      return names.contains { name in
        if name == StateFileName.lock || name == StateFileName.guardPage { return false }
        if name == StateFileName.quarantine { return mentions(quarantine) }
        guard let bytes = try? folder.bytes(of: name) else { return true }
        return StateArchive(bytes: bytes).mentions(identifier)
      }
    }
    return mentions(folder)
  }

  /// Removes the archives, unfinished files, reports, quarantined files, and what was in the way of
  /// the quarantine. The file named `kept` stays.
  private func removeFiles(but kept: String?) throws {
    var failure: (any Error)?
    func attempt(_ step: () throws -> Void) {
      do { try step() } catch { failure = failure ?? error }
    }
    let names = StateFileName.archives + StateFileName.kept + [StateFileName.reports]
    for name in names + [StateFileName.quarantine] where name != kept {
      attempt { try folder.remove(name) }
    }
    attempt {
      for other in try folder.names()
      where names.contains(where: { other.hasPrefix(".\($0).saving") })
        || other.hasPrefix("\(StateFileName.quarantine).")
      {
        attempt { try folder.remove(other) }
      }
    }
    attempt { try folder.sync() }
    if let failure { throw failure }
  }
}

extension StateArchive {
  /// Returns whether the bytes contain an identifier.
  func mentions(_ identifier: String) -> Bool {
    Data(bytes).range(of: Data(identifier.utf8)) != nil
  }
}
