import LineageFiles

extension FolderFiles {
  /// Finds the newest archive that can be used.
  ///
  /// Of the two files that saves replace, the newer one without damaged records is used, or else
  /// the newer one. Only if neither can be used, the archive of a launch is.
  func find(_ state: inout StoredState) {
    forget()
    var found: [(name: String, generation: UInt64)] = []
    for name in StateFileName.archives {
      do {
        if let generation = try generation(of: name) { found.append((name, generation)) }
      } catch {
        reject(name, error, &state)
      }
    }
    // Only a forged archive has a greater generation. It is moved away after the first save, and
    // counting goes on without it.
    let most = ArchiveFormat.generationLimit / 2
    state.generation = found.map(\.generation).filter { $0 < most }.max() ?? 0
    let generations = found.filter { $0.name != StateFileName.atLaunch }
      .sorted { $0.generation > $1.generation }
    var damaged: [StoredArchive] = []
    for (name, generation) in generations {
      if generation >= most { misfits[name] = false }
      guard state.newest == nil, let archive = open(name, &state) else { continue }
      if archive.tree.isDamaged { damaged.append(archive) } else { state.newest = archive }
    }
    if state.newest == nil, !damaged.isEmpty { state.newest = damaged.removeFirst() }
    for other in damaged {
      let count = other.tree.findings.damaged
      state.problems.append(
        "\(other.name) was not used. "
          + (count == 1 ? "One of its records is damaged." : "\(count) of its records are damaged.")
      )
      misfits[other.name] = false
    }
    if state.newest == nil, found.contains(where: { $0.name == StateFileName.atLaunch }) {
      state.newest = open(StateFileName.atLaunch, &state)
    }
    if let used = state.newest { use(used, isForged: used.tree.generation >= most, &state) }
  }

  /// Notes the archive that will be restored.
  private func use(_ archive: StoredArchive, isForged: Bool, _ state: inout StoredState) {
    let isAtLaunch = archive.name == StateFileName.atLaunch
    if isAtLaunch || !misfits.isEmpty {
      state.notes.append(
        "The state of \(archive.name) was used, with generation \(archive.tree.generation).")
    }
    // The next save is newer than this archive, even if nothing changes.
    if isAtLaunch || archive.tree.isDamaged { state.generation += 1 }
    if isAtLaunch { return }
    newest = archive.name
    if archive.tree.isDamaged { misfits[archive.name] = false }
    if isForged { state.problems.append("\(archive.name) has a generation that is forged.") }
  }

  /// Reads and checks a file. If it cannot be used, returns nil, and notes why.
  private func open(_ name: String, _ state: inout StoredState) -> StoredArchive? {
    do {
      guard let tree = try tree(named: name) else { return nil }
      if let fault = tree.findings.fault { throw fault }
      return (name, tree)
    } catch {
      reject(name, error, &state)
      return nil
    }
  }

  /// Notes why a file cannot be used.
  private func reject(_ name: String, _ error: any Error, _ state: inout StoredState) {
    var reason = "\(error)"
    if let error = error as? FileError {
      reason = "The state folder: \(error)."
      misfits[name] = !error.isObstacle
    } else if case .newerFormat? = error as? StateArchive.Fault {
      refusal = StateFolderError.newerFormat(file: name)
    } else {
      misfits[name] = false
    }
    if state.fault == nil { state.fault = error as? StateArchive.Fault }
    let what =
      misfits[name] == true
      ? "could not be read. The first save keeps it as \(StateFileName.kept(name)), and "
        + "bringBackArchives() brings it back."
      : "was not used."
    state.problems.append("\(name) \(what) \(reason)")
  }

  /// Reads the generation of an archive; nil if there is no file with the name.
  func generation(of name: String) throws -> UInt64? {
    try read(name, first: ArchiveFormat.headerSize).map(ArchiveFormat.generation(ofHeader:))
  }

  /// Reads and checks an archive; nil if there is no file with the name.
  func tree(named name: String) throws -> ArchivedTree? {
    // One byte more than the limit is read, so that the check of the archive finds it too large.
    try read(name, first: min(limits.archiveBytes, .max - 1) + 1)
      .map { ArchivedTree(StateArchive($0), limits) }
  }

  /// Returns the first bytes of a file; nil if there is no file. A failed attempt is repeated once.
  func read(_ name: String, first count: Int) throws -> [UInt8]? {
    do {
      return try folder.bytes(of: name, first: count)
    } catch {
      if error.isObstacle { throw error }
      return try folder.bytes(of: name, first: count)
    }
  }
}
