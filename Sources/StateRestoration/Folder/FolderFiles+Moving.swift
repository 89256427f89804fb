import LineageFiles

/// Files that are renamed, because a launch has not used them.
///
/// A file that cannot be used is moved to the quarantine. An archive that may be good is kept under
/// another name. If the process is killed meanwhile, the next launch does the rest.
extension FolderFiles {
  /// The greatest number of files in the quarantine.
  private static let quarantinedFiles = 4
  /// The greatest total number of bytes of the files in the quarantine. The newest file is kept
  /// even if it is larger.
  private static let quarantinedBytes = 128 << 20

  /// The folder of files that could not be used.
  var quarantine: PrivateFolder {
    PrivateFolder(folder.file(StateFileName.quarantine), probe: probe)
  }

  private func isThere(_ name: String) -> Bool { ((try? folder.entry(name)) ?? nil) != nil }

  /// Moves a file to the quarantine, if it is there, and removes the oldest files there.
  func moveAside(_ name: String) throws {
    guard try folder.entry(name) != nil else { return }
    let place = StateFileName.quarantine
    // A link is not followed, because it could lead out of the folder.
    if let entry = try folder.entry(place), entry != .folder {
      var number = 1
      while try folder.entry("\(place).\(number)") != nil { number += 1 }
      try folder.move(place, to: "\(place).\(number)")
    }
    try quarantine.make()
    let number = try quarantine.names().map { Self.number($0) }.max() ?? 0
    try folder.move(name, to: "\(place)/\(name).\(number + 1)")
    // The new name is stored first. Otherwise, a power cut could remove both names of the file.
    try? quarantine.sync()
    try? folder.sync()
    let names = try quarantine.names().sorted { Self.number($0) > Self.number($1) }
    var bytes = 0
    for (index, name) in names.enumerated() {
      if case .file(let size) = try? quarantine.entry(name) { bytes += min(size, .max >> 8) }
      if index > 0, index >= Self.quarantinedFiles || bytes > Self.quarantinedBytes {
        try? quarantine.remove(name)
      }
    }
  }

  /// Returns the number at the end of a quarantined file's name; zero if there is none.
  private static func number(_ name: String) -> Int {
    name.split(separator: ".").last.flatMap { Int($0) }.flatMap { $0 < .max >> 1 ? $0 : nil } ?? 0
  }

  /// The names of the archives that are kept.
  var keptNames: [String] { StateFileName.kept.filter { isThere($0) } }

  /// Keeps an archive under another name, if it is there. This needs no file descriptor. If it
  /// fails, this process writes nothing.
  func keep(_ name: String) throws {
    if isThere(name) { try rename(name, to: StateFileName.kept(name)) }
  }

  /// Renames a file. What has the new name is moved to the quarantine before. If the new name is
  /// nil, the file itself is moved there.
  private func rename(_ name: String, to other: String?) throws {
    do {
      try moveAside(other ?? name)
      if let other { try folder.move(name, to: other) }
      misfits[name] = nil
    } catch {
      refusal = StateFolderError.notMoved(file: name)
      throw StateFolderError.notMoved(file: name)
    }
  }

  /// Keeps all archives under other names, so that no launch reads them, and returns these names.
  func keepArchives() throws -> [String] {
    try checkLock()
    atLaunch = nil
    for name in StateFileName.archives { try keep(name) }
    try? folder.sync()
    forget()
    return keptNames
  }

  /// Gives the kept archives their names back, and moves newer archives to the quarantine. Returns
  /// whether there were kept archives.
  func bringBackArchives() throws -> Bool {
    try checkLock()
    let kept = StateFileName.archives.filter { isThere(StateFileName.kept($0)) }
      .map { (name: $0, generation: (try? generation(of: StateFileName.kept($0))) ?? 0) }
      .sorted { $0.generation < $1.generation }
    guard let newest = kept.last else { return false }
    for name in StateFileName.archives {
      if let other = try? generation(of: name), other > newest.generation {
        try rename(name, to: nil)
      }
    }
    // The newest one is last. Until then, its generation tells which archives are newer.
    for (name, _) in kept { try rename(StateFileName.kept(name), to: name) }
    try? folder.sync()
    forget()
    return true
  }
}
