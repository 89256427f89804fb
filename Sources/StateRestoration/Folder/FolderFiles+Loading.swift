import Foundation
import LineageFiles

extension FolderFiles {
  /// A file of the folder, with the generation in its header.
  private struct FoundArchive {
    let name: String
    let generation: UInt64
  }

  /// Locks the folder, and reads the newest archive that can be used.
  ///
  /// First, the headers of the three archive files are read. Then `state-0` and `state-1` are read,
  /// the newer one first, until one of them has an undamaged base (its first save). The file
  /// `state-launch` is read only if neither can be used.
  ///
  /// If the folder cannot be locked now, the next save tries again. Another process may have written
  /// the files meanwhile.
  mutating func load(_ limits: RestorationLimits) -> StoredState {
    self.limits = limits
    var state = StoredState()
    var delay: StateFolderError?
    do {
      if lock == nil { try takeLock() }
    } catch {
      if error.mayPass { delay = error } else { refusal = error }
    }
    scan(&state)
    if let newest = state.newest, newest.findings.fault == nil, newest.log.isDamaged {
      damagedReach = newest.log.reachableCount
    }
    let kept = keptNames
    if !kept.isEmpty {
      state.notes.append(
        "A launch did not restore the state that is kept as \(kept.joined(separator: ", ")). "
          + "bringBackArchives() brings it back.")
    }
    if let refusal {
      state.refusal = "\(refusal)"
      state.problems.append("This process does not save its state. \(refusal)")
    } else if let delay {
      state.problems.append(
        "The folder is not locked, so the crash guard is off. The next save tries again. \(delay)")
      state.newest?.isCurrent = false
      state.generation += 1
    }
    return state
  }

  /// Looks at the files again after the lock was taken again, because another process may have
  /// written them meanwhile. The next save must be newer than all of them.
  mutating func lookAgain() throws(StateFolderError) {
    (unusable, unreadable, damaged) = ([], [], nil)
    var state = StoredState()
    scan(&state)
    foundGeneration = state.generation
    if let refusal { throw refusal }
  }

  /// Finds the newest archive that can be used.
  ///
  /// First, the headers of all files are read. Then the two files that saves replace are read, the
  /// newer one first, until one has an undamaged base (its first save).
  /// If both bases are damaged, the newer file that can be used is taken. The archive that was kept
  /// at a launch is read only if neither file can be used.
  private mutating func scan(_ state: inout StoredState) {
    var found: [FoundArchive] = []
    var problem: (name: String, problem: StateArchive.Fault)?
    for name in StateFileName.archives {
      switch header(of: name, &state) {
      case .absent: continue
      case .read(let generation): found.append(FoundArchive(name: name, generation: generation))
      case .unreadable: unreadable.insert(name)
      case .newer(let newer):
        problem = problem ?? (name, newer)
        refusal = .newerFormat(file: name)
      case .unusable(let reason):
        if let reason { problem = problem ?? (name, reason) }
        unusable.append(name)
      }
    }
    // Only a forged archive has a greater generation. It is moved away, and counting goes on without
    // it, because saves must not reach the limit of the format.
    let most = ArchiveFormat.generationLimit / 2
    for file in found where file.generation >= most && file.name != StateFileName.atLaunch {
      unusable.append(file.name)
    }
    state.generation = found.map(\.generation).filter { $0 < most }.max() ?? 0
    choose(from: found, &state)
    if state.newest == nil, let problem {
      state.newest = StoredArchive(
        name: problem.name, log: ArchivedTree(generation: 0, fault: problem.problem))
    }
  }

  /// Reads the archives, and decides which one is used.
  private mutating func choose(from found: [FoundArchive], _ state: inout StoredState) {
    let generations = found.filter { $0.name != StateFileName.atLaunch }
      .sorted { $0.generation > $1.generation }
    // If a file ends in an incomplete save, the next save writes the same generation into the other
    // file.
    let isTied = generations.count == 2 && generations[0].generation == generations[1].generation
    var usable: [StoredArchive] = []
    for file in generations {
      guard let archive = open(file.name, &state) else { continue }
      usable.append(archive)
      if !isTied, !archive.log.isDamaged { break }
    }
    if let best = usable.max(by: { $0.isWorse(than: $1) }) {
      for other in usable where other.name != best.name && other.log.isDamaged {
        let count = other.findings.damaged
        state.problems.append(
          "\(other.name) was not used. "
            + (count == 1
              ? "One of its records is damaged." : "\(count) of its records are damaged."))
        unusable.append(other.name)
      }
      return use(best, &state)
    }
    for file in found where file.name == StateFileName.atLaunch {
      if let archive = open(file.name, &state) { use(archive, &state) }
    }
  }

  /// Notes the archive that will be restored.
  private mutating func use(_ archive: StoredArchive, _ state: inout StoredState) {
    let isAtLaunch = archive.name == StateFileName.atLaunch
    if isAtLaunch || !unusable.isEmpty || !unreadable.isEmpty {
      state.notes.append(
        "The state of \(archive.name) was used, with generation \(archive.findings.generation).")
    }
    state.newest = archive
    let isForged = unusable.contains(archive.name)
    if isForged { state.problems.append("\(archive.name) has a generation that is forged.") }
    state.newest?.isCurrent = !isAtLaunch && !isForged && !archive.log.isDamaged
    if !isAtLaunch, !isForged { (current, durable) = (archive.name, archive.name) }
    if archive.log.isDamaged {
      if !isAtLaunch { damaged = archive.name }
      // The next save is newer than the damaged archive, so it does not equal it.
      state.generation += 1
    }
  }

  /// Reads and checks a file; nil if there is none. If the file cannot be used, returns nil, and
  /// notes the file as unusable or unreadable.
  private mutating func open(_ name: String, _ state: inout StoredState) -> StoredArchive? {
    do throws(FileError) {
      guard let archive = try archive(named: name) else { return nil }
      guard let problem = archive.findings.fault else { return archive }
      state.problems.append("\(name) was not used. \(problem)")
      unusable.append(name)
      if state.newest == nil { state.newest = archive }
    } catch {
      if note(error, name, &state) { unusable.append(name) } else { unreadable.insert(name) }
    }
    return nil
  }

  /// Notes why a file cannot be read. Returns true if the file is an obstacle, such as a link;
  /// false if it is a file that may be readable later.
  private func note(_ error: FileError, _ name: String, _ state: inout StoredState) -> Bool {
    let what =
      error.isObstacle
      ? "was not used."
      : "could not be read. The first save keeps it as \(StateFileName.kept(name)), and "
        + "bringBackArchives() brings it back."
    state.problems.append("\(name) \(what) The state folder: \(error).")
    return error.isObstacle
  }

  /// Reads and checks an archive; nil if there is no file with the name.
  func archive(named name: String) throws(FileError) -> StoredArchive? {
    // One byte more than the limit is read, so that the check of the archive finds it too large.
    let count = min(limits.archiveBytes, .max - 1) + 1
    guard let bytes = try read(name, first: count) else { return nil }
    return StoredArchive(
      name: name, log: ArchivedTree(StateArchive(bytes), limits))
  }

  /// Returns the first bytes of a file; nil if there is no file. If the file cannot be read, this is
  /// tried once more.
  private func read(_ name: String, first count: Int) throws(FileError) -> [UInt8]? {
    func read() throws(FileError) -> [UInt8]? {
      guard let file = try InputFile(folder.file(name), followsLinks: false, probe: probe) else {
        return nil
      }
      return try file.bytes(first: count)
    }
    do {
      return try read()
    } catch {
      if error.isObstacle { throw error }
      return try read()
    }
  }

  private enum HeaderResult {
    case absent
    case read(UInt64)
    /// A file of a newer format.
    case newer(StateArchive.Fault)
    /// A file that cannot be read now, but perhaps later.
    case unreadable
    /// A file that cannot be used, with the problem of its archive. The problem is nil if the file
    /// is an obstacle, such as a link.
    case unusable(StateArchive.Fault?)
  }

  private func header(of name: String, _ state: inout StoredState) -> HeaderResult {
    do {
      guard let bytes = try read(name, first: ArchiveFormat.headerSize) else { return .absent }
      return .read(try ArchiveFormat.generation(ofHeader: bytes))
    } catch let error as FileError {
      return note(error, name, &state) ? .unusable(nil) : .unreadable
    } catch {
      guard let problem = error as? StateArchive.Fault else { return .unusable(nil) }
      state.problems.append("\(name) was not used. \(problem)")
      if case .newerFormat = problem { return .newer(problem) }
      return .unusable(problem)
    }
  }
}
