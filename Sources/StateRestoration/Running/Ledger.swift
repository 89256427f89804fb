/// The archive that was made or restored last, and what the next save must know of it.
final class Ledger {
  /// The archive that was made or restored last.
  var tree = ArchivedTree(generation: 0)
  /// The greatest generation that an archive in the folder may have; nil without a folder.
  var storedGeneration: UInt64?
  /// The number of saves so far.
  var saveCount: UInt32 = 0
  /// The records that the last archive lacks, because their responders were not in the tree.
  var left: [LeftRecord] = []

  /// The generation, or serial number, of the archive that the next save makes.
  ///
  /// Without a folder, a forged archive must not leave too few numbers for later ones. So counting
  /// begins anew far below the limit of the format.
  var nextGeneration: UInt64 {
    if let storedGeneration { return storedGeneration + 1 }
    return tree.generation < ArchiveFormat.generationLimit / 2 ? tree.generation + 1 : 1
  }

  /// Forgets the archive, but not its generation.
  func forgetArchive() { tree = ArchivedTree(generation: tree.generation) }
}

/// A record that the last archive lacks, because its responder was not in the tree.
struct LeftRecord {
  private(set) weak var record: Record?
  /// The identifiers on the way to the record, without its own.
  let path: [String]
}

extension Ledger {
  /// Returns the records at a path, and those below it if asked for, even if their responders are
  /// not in the tree any more. `root` is the application's record.
  func records(at path: [String], below root: Record?, andBelow: Bool) -> [Record] {
    func records(
      _ roots: [Record], _ path: ArraySlice<String>, where isMeant: (Record) -> Bool = { _ in true }
    ) -> [Record] {
      var found = path.reduce(roots) { records, identifier in
        records.flatMap(\.below).filter { isMeant($0) && $0.header?.identifier == identifier }
      }
      var next = 0
      while andBelow, next < found.count {
        found += found[next].below.filter(isMeant)
        next += 1
      }
      return found
    }
    left.removeAll { $0.record == nil }
    let inTree = records([root].compactMap(\.self), path[...])
    return left.reduce(into: inTree) { found, left in
      guard let record = left.record, andBelow || path.count > left.path.count,
        path.starts(with: left.path) || left.path.starts(with: path)
      else { return }
      let rest = path.dropFirst(left.path.count)
      if let first = rest.first, record.header?.identifier != first { return }
      // The list of a record outside the tree is old. It may name records that the last save has
      // found in the tree, because their responders were moved there.
      found += records([record], rest.dropFirst()) { $0.save != saveCount }
    }
  }
}
