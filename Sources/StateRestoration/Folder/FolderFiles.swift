import Foundation
import LineageFiles

/// The files of a state folder, as this process has read and written them.
struct FolderFiles {
  let folder: PrivateFolder
  let probe: @Sendable (FileStep) -> Int32
  var lock: FileLock?
  /// The reason why this process writes nothing; nil if it may write.
  var refusal: StateFolderError?
  /// The limits for reading archives.
  var limits = RestorationLimits()
  /// The archive file with the newest state, `state-0` or `state-1`; nil if neither has it.
  var current: String?
  /// The archive file that is known to be on the disk. Saves replace the other one. At first, it is
  /// the file with the newest state.
  var durable: String?
  /// Whether this process has written an archive to the disk. Its first save always does so.
  private var hasSynced = false
  /// The names of unusable files. They are moved away before the first save.
  var unusable: [String] = []
  /// The names of files that cannot be read now. They may have good state, so the first save keeps
  /// them under other names.
  var unreadable: Set<String> = []
  /// The name of the archive file that is used although its base (its first save) is damaged; nil
  /// if there is none. This file is moved away after another file has the state.
  var damaged: String?
  /// The number of records that a launch can reach in the loaded archive. Nil if the base of that
  /// archive (its first save) is undamaged, or if there is no archive.
  var damagedReach: Int?
  /// The greatest generation of the archives that were found when the lock was taken again. The
  /// next archive must be newer. Nil if the lock was not taken again since the last archive was
  /// written.
  var foundGeneration: UInt64?
  /// The number of this launch among the stored reports; nil before the first report.
  var launch: Int?

  init(_ folder: StateFolder, _ probe: @escaping @Sendable (FileStep) -> Int32) {
    self.folder = PrivateFolder(folder.url, probe: probe)
    self.probe = probe
  }

  /// Makes the folder if it is missing, and locks it.
  ///
  /// - Throws: ``StateFolderError`` if another process has locked the folder, or if it cannot be
  ///   made or locked.
  mutating func takeLock() throws(StateFolderError) {
    do {
      try folder.make()
      guard let taken = try FileLock(folder.file(StateFileName.lock), probe: probe) else {
        throw StateFolderError.inUse
      }
      lock = taken
    } catch let error as FileError {
      throw .file(error)
    } catch {
      throw .inUse
    }
  }

  /// Releases the lock.
  mutating func close() {
    lock = nil
  }

  /// Checks, before a write, that this process may write to the folder.
  ///
  /// If the folder or its lock was removed while the process runs, both are made again. The next
  /// save must then be newer than all saves of other processes.
  ///
  /// - Throws: the reason why this process must not write.
  mutating func checkLock() throws(StateFolderError) {
    if let refusal { throw refusal }
    if let lock, lock.isNamed { return }
    lock = nil
    (current, durable, hasSynced) = (nil, nil, false)
    try takeLock()
    try lookAgain()
  }

  /// The options for writing the files. Only the user can read them, and a link with the name of a
  /// file is replaced.
  static var options: FileOptions { FileOptions(mode: 0o600, followsLinks: false) }
}

extension FolderFiles {
  /// Writes an archive into one of the two archive files, but not into the one that is known to be
  /// on the disk. If `isDurable` is true, waits until the archive is on the disk.
  mutating func replace(_ bytes: [UInt8], isDurable: Bool = true) throws(StateFolderError) {
    try checkLock()
    if let foundGeneration {
      let header = Array(bytes.prefix(ArchiveFormat.headerSize))
      let generation = (try? ArchiveFormat.generation(ofHeader: header)) ?? 0
      guard generation > foundGeneration else { throw .outdated(generation: foundGeneration) }
    }
    moveUnusable()
    let names = StateFileName.generations
    let (first, second) = durable == names[0] ? (names[1], names[0]) : (names[0], names[1])
    do {
      try write(bytes, to: first, isDurable)
    } catch .file(let error) where error.reason == .notRegularFile {
      // The first name belongs to something that is not a file and could not be moved.
      try write(bytes, to: second, true)
    }
    foundGeneration = nil
    if let damaged, damaged != current { unusable.append(damaged) }
    damaged = nil
  }

  /// Replaces one of the two archive files. From then on, that file has the newest archive.
  private mutating func write(
    _ bytes: [UInt8], to name: String, _ isDurable: Bool
  ) throws(StateFolderError) {
    let syncs = isDurable || !hasSynced
    do throws(StateFolderError) {
      try replaceFile(name, with: bytes, syncs: syncs)
    } catch {
      // After this error, the new file has its final name already.
      if case .file(let error) = error, case .unsynced = error.reason { current = name }
      throw error
    }
    current = name
    if syncs { (durable, hasSynced) = (name, true) }
  }

  /// Stores the archive with which the launch began, in the file `state-launch`.
  ///
  /// The stored archive of an earlier launch stays in two cases. First: the new archive has at most
  /// the application's own record, and the stored one has more records. Second: the base of the new
  /// archive (its first save) is damaged, and a launch can reach more records in the stored one,
  /// which has an undamaged base.
  mutating func keepAtLaunch(_ archive: StateArchive, _ records: Int) throws(StateFolderError) {
    try checkLock()
    let name = StateFileName.atLaunch
    if !unreadable.contains(name), try isKeptBetter(records) { return }
    moveUnusable()
    try replaceFile(name, with: archive.bytes)
  }

  /// Returns whether the stored archive of an earlier launch is better than the archive of this
  /// launch, and therefore stays. `records` is the number of records in the archive of this launch.
  private func isKeptBetter(_ records: Int) throws(StateFolderError) -> Bool {
    guard records < 2 || damagedReach != nil else { return false }
    do throws(FileError) {
      guard let kept = try archive(named: StateFileName.atLaunch), kept.findings.fault == nil
      else { return false }
      if let damagedReach, !kept.log.isDamaged, kept.log.reachableCount > damagedReach {
        return true
      }
      return records < 2 && kept.findings.records > records
    } catch {
      if error.isObstacle { return false }
      throw .file(error)
    }
  }

  /// Replaces a file. If `syncs` is true, waits until the new file is on the disk.
  mutating func replaceFile(
    _ name: String, with bytes: [UInt8], syncs: Bool = true
  ) throws(StateFolderError) {
    do {
      let file = try AtomicFile(replacing: folder.file(name), Self.options, probe: probe)
      try file.write(bytes.span, at: 0)
      if StateFileName.archives.contains(name) { try keepUnreadable() }
      try file.commit(syncs: syncs)
    } catch let error as FileError {
      throw .file(error)
    } catch {
      throw error as? StateFolderError ?? .notMoved(file: name)
    }
  }
}
