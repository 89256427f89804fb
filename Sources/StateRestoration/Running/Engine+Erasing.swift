import ResponderChain

extension Engine {
  /// Removes the records at a path and below it. During a restoration or save, the path is only
  /// noted, and its records are removed afterwards.
  func erase(at path: [String]) {
    if isRestoring || isSaving { return erasures.append(path) }
    erased = archivedRecords(at: path)
    let count = erased.count
    for mark in owners(at: path) { forget(mark) }
    carried.remove(erased)
    for id in erased { carries[id] = nil }
    let leftCount = eraseLeftRecords(at: path)
    if path.isEmpty {
      forgetRecords()
      replaceLog(with: ArchiveLog(generation: log.generation))
      used = UsedTable()
    }
    report.erase(path)
    // The sentence has no path, because an identifier may be the name of an account.
    report.note(
      "\(path.isEmpty ? "All state" : "State below a path") was erased, in "
        + "\(count + leftCount) records.")
    // A full save writes the whole archive anew, so the new archive has no bytes of the erased
    // values.
    let generation = log.generation
    if let refusal = write(asksAll: true) {
      // All state is dropped, so that no erased state stays.
      report.add(problem: "All state was erased, because the rest was not saved: \(refusal)")
      forgetRecords()
      replaceLog(with: ArchiveLog(generation: generation))
      used = UsedTable()
    }
    erased = []
    follower?.stateWasErased(at: path)
  }

  /// Removes the records at the paths that were noted during a restoration or save.
  func eraseLater() {
    let paths = erasures
    erasures = []
    for path in paths { erase(at: path) }
  }

  /// Removes the records at a path and below it, if their responders are outside the tree.
  ///
  /// - Returns: the number of these records.
  private func eraseLeftRecords(at path: [String]) -> Int {
    numberings.removeAll { $0.numbering == nil }
    var count = 0
    for numbering in numberings.compactMap(\.numbering) where numbering.era == era {
      let ids = numbering.leftPaths.ids(at: path)
      for id in ids {
        guard let left = numbering.left.removeValue(forKey: id) else { continue }
        if let owner = left.waiting { waitGroups.leave(owner) }
        count += 1
      }
      for id in numbering.left.keys {
        numbering.left[id]?.below.removeAll { ids.contains($0) }
      }
    }
    return count
  }

  /// Returns the marks of the responders and added objects at a path and below it.
  private func owners(at path: [String]) -> [Mark] {
    var responders: [Responder] = [application].compactMap(\.self)
    var above: [Responder] = []
    for identifier in path {
      above = responders
      responders = responders.flatMap(\.restorableResponders)
        .filter { $0.mark?.identifier == identifier }
    }
    var next = 0
    while next < responders.count {
      responders += responders[next].restorableResponders
      next += 1
    }
    let added =
      responders.flatMap { objects.below($0) }
      + above.flatMap { objects.below($0) }.filter { $0.identifier == path.last }
    return responders.compactMap(\.mark) + added.map(\.mark)
  }

  /// Returns the identifier in a record; nil if the record cannot be read.
  private func identifier(_ id: UInt32) -> String? {
    log.reader(of: id).flatMap { try? RecordHeader($0) }?.identifier
  }

  /// Separates the responder or object with the given mark from its record. Values of that record
  /// no longer wait for a context.
  private func forget(_ mark: Mark) {
    if mark.isBound(to: self), let owner = waiting.replace(mark.record, by: nil) {
      waitGroups.leave(owner)
    }
    mark.isKept = false
    mark.unbind()
  }

  /// Returns the records of the last archive at a path and below it, even if their responders are
  /// not in the tree any more.
  private func archivedRecords(at path: [String]) -> Set<UInt32> {
    func below(_ ids: some Sequence<UInt32>) -> [UInt32] {
      ids.flatMap { (try? log.childIDs(of: $0)) ?? [] }
    }
    var ids: [UInt32] = log.reader(of: 0) == nil ? [] : [0]
    for identifier in path { ids = below(ids).filter { self.identifier($0) == identifier } }
    var records: Set<UInt32> = []
    while !ids.isEmpty { ids = below(ids.filter { records.insert($0).inserted }) }
    return records
  }
}

extension Responder {
  /// The responders directly below this one that have an identifier.
  fileprivate final var restorableResponders: [Responder] {
    var found: [Responder] = []
    forEachOwned { child, _ in if child.mark != nil { found.append(child) } }
    return found
  }
}
