import Foundation
import LineageFiles

/// The archives that are kept under other names, because a launch restores nothing after several
/// ends of launches, or because they could not be read.
///
/// A kept archive is always whole, because it is only renamed. If the process is killed in between,
/// the same call by the next launch does the rest.
extension FolderFiles {
  /// The names of the archives that are kept, as far as they can be looked up.
  var keptNames: [String] { StateFileName.kept.filter { isThere($0) } }

  private func isThere(_ name: String) -> Bool { ((try? folder.entry(name)) ?? nil) != nil }

  /// Keeps all archives under other names, and returns these names. An earlier kept archive is moved
  /// to the quarantine. If an archive cannot be renamed, this process writes nothing.
  mutating func keepArchives() throws(StateFolderError) -> [String] {
    try checkLock()
    for name in StateFileName.archives where isThere(name) { keep(name) }
    try endRenaming()
    return keptNames
  }

  /// Keeps the archives that could not be read under other names. This needs no file descriptor. If
  /// an archive cannot be renamed, this process writes nothing.
  mutating func keepUnreadable() throws(StateFolderError) {
    for name in unreadable.sorted() where isThere(name) { keep(name) }
    unreadable = []
    if let refusal { throw refusal }
  }

  private mutating func keep(_ name: String) {
    let kept = StateFileName.kept(name)
    if isThere(kept), !move([kept]).isEmpty { return refusal = refusal ?? .notMoved(file: kept) }
    rename(name, to: kept)
  }

  /// Gives the kept archives their names back. Newer archives, which the launches without them have
  /// written, are moved to the quarantine. Returns whether there were kept archives.
  mutating func bringBackArchives() throws(StateFolderError) -> Bool {
    try checkLock()
    let kept = StateFileName.archives.filter { isThere(StateFileName.kept($0)) }
      .map { (name: $0, generation: generation(of: StateFileName.kept($0))) }
      .sorted { $0.generation < $1.generation }
    guard let newest = kept.last else { return false }
    for name in StateFileName.archives where generation(of: name) > newest.generation {
      if let left = move([name]).first { refusal = .notMoved(file: left) }
    }
    // The newest one is last. Until then, its generation tells which archives are newer.
    for (name, _) in kept where refusal == nil {
      if isThere(name) { _ = move([name]) }
      rename(StateFileName.kept(name), to: name)
    }
    try endRenaming()
    return true
  }

  private mutating func rename(_ name: String, to other: String) {
    do { try folder.move(name, to: other) } catch { refusal = refusal ?? .notMoved(file: name) }
  }

  private mutating func endRenaming() throws(StateFolderError) {
    try? folder.sync()
    (unusable, unreadable, current, durable, damaged) = ([], [], nil, nil, nil)
    if let refusal { throw refusal }
  }

  /// Returns the generation of an archive; zero if it cannot be read.
  private func generation(of name: String) -> UInt64 {
    guard let file = try? InputFile(folder.file(name), followsLinks: false, probe: probe),
      let bytes = try? file.bytes(first: ArchiveFormat.headerSize)
    else { return 0 }
    return (try? ArchiveFormat.generation(ofHeader: bytes)) ?? 0
  }
}
