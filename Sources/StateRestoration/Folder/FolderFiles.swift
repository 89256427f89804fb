import Foundation
package import LineageFiles

/// The files of a state folder, as this process has read and written them.
///
/// The folder has two files for archives. A save never replaces the file that was last written to
/// the disk, so one of the two is complete at any time.
package final class FolderFiles {
  let folder: PrivateFolder
  let probe: @Sendable (FileStep) -> Int32
  private(set) var lock: FileLock?
  /// The reason why this process writes nothing; nil if it may write.
  var refusal: (any Error)?
  /// The limits for reading archives.
  var limits = RestorationLimits()
  /// The archive file with the newest state, `state-0` or `state-1`; nil if neither has it.
  var newest: String?
  /// The archive file that this process has last brought to the disk; nil before its first save.
  var durable: String?
  /// The greatest generation of an archive that was read or written.
  private var generation: UInt64 = 0
  /// The files that the launch could not use, or only in part. The value is true if it could not be
  /// read, so that it must not be lost.
  var misfits: [String: Bool] = [:]
  /// The archive with which the launch began, until it is stored as `state-launch`.
  var atLaunch: ArchivedTree?
  /// Whether erased records may still be in the folder.
  var isErasing = false
  /// The reports of the launches before this one; nil before they were read.
  var earlierReports: [SavedReport]?

  /// Makes the files of a folder, which is not opened yet. In tests, the probe makes steps fail.
  package init(_ folder: StateFolder, probe: @escaping @Sendable (FileStep) -> Int32 = { _ in 0 }) {
    self.probe = probe
    self.folder = PrivateFolder(folder.url, probe: probe)
  }

  /// The location of the crash guard's file; nil without the lock.
  var guardPage: (url: URL, probe: @Sendable (FileStep) -> Int32)? {
    lock == nil ? nil : (folder.file(StateFileName.guardPage), probe)
  }

  /// Ends the use of the folder, so that another process can use it. A later write locks it again.
  func close() { lock = nil }
}

extension FolderFiles {
  /// Locks the folder, and reads the newest archive that can be used.
  ///
  /// If the folder cannot be locked now, the next save tries again. Another process may have written
  /// the files meanwhile.
  package func load(_ limits: RestorationLimits) -> StoredState {
    self.limits = limits
    var state = StoredState()
    do {
      if lock == nil { try takeLock() }
    } catch let error as FileError where error.mayPass {
      state.problems.append(
        "The folder is not locked, so the crash guard is off. The next save tries again: \(error).")
    } catch {
      refusal = error
    }
    find(&state)
    state.isLocked = lock != nil
    if lock == nil { state.generation += 1 }
    generation = state.generation
    atLaunch = newest == nil ? nil : state.newest?.tree
    let kept = keptNames
    if !kept.isEmpty {
      state.notes.append(
        "A launch did not restore the state that is kept as \(kept.joined(separator: ", ")). "
          + "bringBackArchives() brings it back.")
    }
    if let refusal {
      state.refusal = "\(refusal)"
      state.problems.append("This process does not save its state. \(refusal)")
    }
    return state
  }

  /// Makes the folder if it is missing, and locks it.
  func takeLock() throws {
    try folder.make()
    lock = try FileLock(folder.file(StateFileName.lock), probe: probe)
    if lock == nil { throw StateFolderError.inUse }
  }

  /// Checks, before a write, that this process may write to the folder.
  ///
  /// If the folder or its lock was removed while the process runs, both are made again, and the
  /// files are read again.
  ///
  /// - Throws: the reason why this process must not write.
  func checkLock() throws {
    if let refusal { throw refusal }
    if lock?.isNamed == true { return }
    lock = nil
    try takeLock()
    var state = StoredState()
    find(&state)
    generation = state.generation
    if let refusal { throw refusal }
  }

  /// Forgets what is in the archive files, because they will be renamed or read again.
  func forget() { (newest, durable, misfits) = (nil, nil, [:]) }
}

extension FolderFiles {
  /// Stores an archive as the newest one, unless it is stored already. If `isDurable` is true, waits
  /// until it is on the disk. Otherwise, a power cut may lose it.
  ///
  /// The first save also stores the archive with which the launch began, and moves the files away
  /// that the launch could not use.
  ///
  /// - Returns: sentences about what else could not be done.
  package func save(_ archive: StateArchive, isDurable: Bool) throws -> [String] {
    let next = try ArchiveFormat.generation(ofHeader: archive.bytes)
    if !isDurable, !isErasing, newest != nil, next == generation { return [] }
    try checkLock()
    if isErasing {
      do {
        try eraseAll(but: archive)
      } catch StateFolderError.overwritten {
      } catch let error as StateFolderError {
        return ["The stored state was not erased: \(error)"]
      }
      return []
    }
    guard next > generation else { throw StateFolderError.outdated(generation: generation) }
    var problems: [String] = []
    do {
      try keepAtLaunch()
    } catch {
      problems.append("The state as it was at the launch was not kept: \(error)")
    }
    try write(archive, isDurable: isDurable)
    return problems
  }

  /// Writes an archive into the archive file that is not the last one on the disk.
  func write(_ archive: StateArchive, isDurable: Bool = true) throws {
    let names = StateFileName.generations
    let name = (durable ?? newest) == names[0] ? names[1] : names[0]
    let syncs = isDurable || durable == nil
    do {
      try replace(name, with: archive.bytes, syncs: syncs)
    } catch let error where error.isStored {
      // The new file has its final name already.
      newest = name
      throw error
    }
    newest = name
    if syncs { durable = name }
    generation = (try? ArchiveFormat.generation(ofHeader: archive.bytes)) ?? generation
    for name in misfits.keys.sorted() { try? moveAside(name) }
    misfits = [:]
  }

  /// Stores the archive with which the launch began, unless the stored one of an earlier launch is
  /// better. That one is better if more records can be restored from it, and the new archive is
  /// damaged or has at most the application's own record.
  private func keepAtLaunch() throws {
    guard let tree = atLaunch else { return }
    let name = StateFileName.atLaunch
    if misfits[name] == nil, tree.isDamaged || tree.findings.records < 2,
      let kept = try self.tree(named: name), kept.reachableCount > tree.reachableCount
    {
      return atLaunch = nil
    }
    try replace(name, with: tree.archive.bytes)
    atLaunch = nil
  }

  /// Replaces a file. If it is an archive, the archives that could not be read get other names
  /// before, but only when the new file is complete.
  private func replace(_ name: String, with bytes: [UInt8], syncs: Bool = true) throws {
    if misfits[name] == false {
      try? moveAside(name)
      misfits[name] = nil
    }
    let options = FileOptions(mode: 0o600, followsLinks: false)
    let file = try AtomicFile(replacing: folder.file(name), options, probe: probe)
    try file.write(bytes.span, at: 0)
    if name != StateFileName.reports {
      for (name, isUnread) in misfits where isUnread { try keep(name) }
    }
    try file.commit(syncs: syncs)
  }

  /// Stores the report of this launch, and keeps the reports of the two launches before. A later
  /// report of the same launch replaces an earlier one.
  package func store(_ report: SavedReport) throws {
    try checkLock()
    let earlier = try earlierReports ?? readReports()
    earlierReports = earlier
    var report = report
    // Another program may have written the greatest number, which has no successor.
    if let last = earlier.last?.launch, last < .max { report.launch = max(last, 0) + 1 }
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    let lines = try (earlier.suffix(2) + [report]).map {
      String(decoding: try encoder.encode($0), as: UTF8.self)
    }
    let text = "[\n" + lines.joined(separator: ",\n") + "\n]\n"
    try replace(StateFileName.reports, with: Array(text.utf8))
  }

  /// Returns the reports in the folder. If they cannot be read now, throws, so that they are not
  /// replaced.
  private func readReports() throws -> [SavedReport] {
    do {
      let bytes = try read(StateFileName.reports, first: SavedReport.fileLimit + 1) ?? []
      guard bytes.count <= SavedReport.fileLimit else { return [] }
      return (try? JSONDecoder().decode([SavedReport].self, from: Data(bytes))) ?? []
    } catch let error as FileError where error.isObstacle {
      return []
    }
  }
}
