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
    let names = unusable
    unusable = []
    let quarantine = PrivateFolder(folder.file(StateFileName.quarantine), probe: probe)
    try? quarantine.make()
    // A link is not followed, because it could lead out of the folder.
    guard (try? folder.entry(StateFileName.quarantine)) == .folder else { return }
    let numbers = ((try? quarantine.names()) ?? []).compactMap(Self.number)
    var number = numbers.max() ?? 0
    for name in names {
      guard (try? folder.entry(name)) != nil else { continue }
      number += 1
      try? folder.move(name, to: "\(StateFileName.quarantine)/\(name).\(number)")
    }
    prune(quarantine)
  }

  /// Moves all archives into the quarantine. Archives that cannot be moved are removed.
  mutating func setAside() throws(StateFolderError) {
    try checkLock()
    let names = StateFileName.generations + [StateFileName.atLaunch]
    newest = nil
    for name in names where !unusable.contains(name) { unusable.append(name) }
    moveUnusable()
    do throws(FileError) {
      // A file that could not be moved is removed, so that no launch restores it.
      for name in names where try folder.entry(name) != nil { try folder.remove(name) }
      try folder.sync()
    } catch {
      throw .file(error)
    }
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
  /// records.
  ///
  /// If the archive is nil, no archive is kept. Even the files of a newer version of this library
  /// are then removed.
  mutating func erase(_ bytes: [UInt8]?) throws(StateFolderError) {
    if bytes == nil, case .newerFormat = refusal, lock?.isNamed == true {
      // The user wants all state to be removed.
    } else {
      try checkLock()
    }
    var failure: StateFolderError?
    var isStored = false
    unusable = []
    if let bytes {
      do {
        try replace(bytes)
        isStored = true
      } catch {
        // After this error, the new file has its final name already.
        if case .file(let error) = error, case .unsynced = error.reason { isStored = true }
        // Otherwise, the archive is stored again below.
        failure = isStored ? error : nil
      }
    }
    let kept = isStored ? current : nil
    if !isStored { (newest, current) = (nil, nil) }
    do {
      try removeFiles(but: kept)
    } catch {
      failure = .file(error)
    }
    // There may be room for the archive now that the other files are gone.
    if let bytes, !isStored { try replace(bytes) }
    if let failure { throw failure }
  }

  /// Removes the archives, the unfinished files, the reports and the quarantined files. The file
  /// named `kept` is not removed.
  private func removeFiles(but kept: String?) throws(FileError) {
    var failure: FileError?
    func attempt(_ step: () throws(FileError) -> Void) {
      do { try step() } catch { failure = failure ?? error }
    }
    let names = StateFileName.generations + [StateFileName.atLaunch, StateFileName.reports]
    for name in names where name != kept {
      attempt { () throws(FileError) in try folder.remove(name) }
    }
    var drafts: [String] = []
    attempt { () throws(FileError) in
      drafts = try folder.names().filter { draft in
        names.contains { draft.hasPrefix(".\($0).saving") }
      }
    }
    for draft in drafts { attempt { () throws(FileError) in try folder.remove(draft) } }
    attempt { () throws(FileError) in
      guard try folder.entry(StateFileName.quarantine) == .folder else { return }
      let quarantine = PrivateFolder(folder.file(StateFileName.quarantine), probe: probe)
      for name in try quarantine.names() {
        attempt { () throws(FileError) in try quarantine.remove(name) }
      }
    }
    attempt { () throws(FileError) in try folder.sync() }
    if let failure { throw failure }
  }
}
