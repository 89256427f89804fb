import Foundation
import LineageFiles

extension FolderFiles {
  /// A file of the folder, with the generation in its header.
  private struct FoundFile {
    let name: String
    let generation: UInt64
  }

  /// Locks the folder, and reads the newest archive that can be used.
  ///
  /// First, the headers of the three archive files are read. Then `state-0` and `state-1` are read,
  /// the newer one first, until one of them can be used. The file `state-launch` is read only if
  /// neither can be used.
  mutating func load(_ limits: RestorationLimits) -> StoredState {
    self.limits = limits
    var state = StoredState()
    do {
      if lock == nil { try takeLock() }
    } catch {
      refusal = error
    }
    var found: [FoundFile] = []
    var unreadable: [(name: String, problem: ArchiveFindings.Problem?)] = []
    for name in StateFileName.generations + [StateFileName.atLaunch] {
      switch header(of: name, &state) {
      case .absent: continue
      case .read(let generation): found.append(FoundFile(name: name, generation: generation))
      case .unusable(let problem):
        unreadable.append((name, problem))
        if case .newerFormat = problem {
          refusal = .newerFormat(file: name)
        } else {
          unusable.append(name)
        }
      }
    }
    state.generation = found.map(\.generation).max() ?? 0
    choose(from: found, &state)
    if state.newest == nil,
      let first = unreadable.first(where: { $0.problem != nil }), let problem = first.problem
    {
      state.newest = StoredArchive(name: first.name, log: ArchiveLog(problem: problem))
    }
    if let refusal {
      state.refusal = "\(refusal)"
      state.problems.append("This process does not save its state. \(refusal)")
    }
    return state
  }

  /// Finds the newest archive that can be used.
  private mutating func choose(from found: [FoundFile], _ state: inout StoredState) {
    let last = found.filter { $0.name == StateFileName.atLaunch }
    var rest = found.filter { $0.name != StateFileName.atLaunch }
      .sorted { $0.generation > $1.generation }
    // If a file ends in an incomplete save, the next save writes an archive of the same generation
    // into the other file.
    let isTied = rest.count == 2 && rest[0].generation == rest[1].generation
    if isTied, let first = open(rest[0].name, &state), let second = open(rest[1].name, &state) {
      return use(first.log.byteCount >= second.log.byteCount ? first : second, &state)
    }
    if isTied { rest.removeAll { unusable.contains($0.name) } }
    for file in rest + last {
      guard let archive = open(file.name, &state) else { continue }
      let isNewest = unusable.isEmpty && file.name != StateFileName.atLaunch
      if !isNewest {
        state.notes.append(
          "The state of \(file.name) was used, with generation \(file.generation).")
      }
      return use(archive, &state)
    }
  }

  /// Notes the archive that will be restored.
  private mutating func use(_ archive: StoredArchive, _ state: inout StoredState) {
    state.newest = archive
    state.newest?.isAppendable = false
    // Changes are appended only to `state-0` or `state-1`, and only if the file does not end in an
    // incomplete save.
    if archive.name != StateFileName.atLaunch { current = archive.name }
    guard archive.name != StateFileName.atLaunch, archive.findings.unusedBytes == 0,
      let identity = identity(of: archive.name)
    else { return }
    newest = NewestFile(name: archive.name, length: archive.log.byteCount, identity: identity)
    state.newest?.isAppendable = true
  }

  private func identity(of name: String) -> FileIdentity? {
    (try? InputFile(folder.file(name), followsLinks: false, probe: probe))?.identity
  }

  /// Reads and checks a file. Returns nil and notes the file as unusable if it cannot be used.
  private mutating func open(_ name: String, _ state: inout StoredState) -> StoredArchive? {
    guard let archive = read(name, &state) else { return nil }
    guard let problem = archive.findings.problem else { return archive }
    state.problems.append("\(name) was not used. \(problem)")
    unusable.append(name)
    if state.newest == nil { state.newest = archive }
    return nil
  }

  /// Reads a file, and checks the archive in it. Returns nil if there is no file, or if it cannot
  /// be read.
  func read(_ name: String) -> StoredArchive? {
    var state = StoredState()
    var copy = self
    return copy.read(name, &state)
  }

  private mutating func read(_ name: String, _ state: inout StoredState) -> StoredArchive? {
    do {
      guard let file = try InputFile(folder.file(name), followsLinks: false, probe: probe) else {
        return nil
      }
      // One byte more than the limit is read, so that the check refuses an archive that is too
      // large.
      let bytes = try file.bytes(first: min(limits.archiveBytes, .max - 1) + 1)
      return StoredArchive(
        name: name,
        log: ArchiveLog.open(StateArchive(chunks: [ArchiveChunk(bytes)]), limits: limits))
    } catch {
      state.problems.append("\(name) was not used. The state folder: \(error).")
      unusable.append(name)
      return nil
    }
  }

  private enum HeaderResult {
    case absent
    case read(UInt64)
    /// A file that cannot be used, with the problem of its archive. The problem is nil if the file
    /// itself cannot be read.
    case unusable(ArchiveFindings.Problem?)
  }

  private func header(of name: String, _ state: inout StoredState) -> HeaderResult {
    do {
      guard let file = try InputFile(folder.file(name), followsLinks: false, probe: probe) else {
        return .absent
      }
      let bytes = try file.bytes(first: ArchiveFormat.headerSize)
      return .read(try ArchiveLog.generation(ofHeader: bytes))
    } catch let error as FileError {
      state.problems.append("\(name) was not used. The state folder: \(error).")
      return .unusable(nil)
    } catch {
      let problem = error as? ArchiveFindings.Problem
      if let problem { state.problems.append("\(name) was not used. \(problem)") }
      return .unusable(problem)
    }
  }
}
