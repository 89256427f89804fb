import ResponderChain

extension Engine {
  /// Removes the records at a path and below it. While state is being restored, it waits until that
  /// is done.
  func erase(at path: [String]) {
    if isRestoring { return erasures.append(path) }
    erased = archivedRecords(at: path)
    let count = erased.count
    let found = records(at: path)
    for mark in found.marks { forget(mark) }
    for (id, parent) in found.carried { if let parent { uncarry(id, below: parent) } }
    if path.isEmpty {
      forgetRecords()
      replaceLog(with: ArchiveLog(generation: log.generation))
      used = UsedTable()
    }
    report.erase(path)
    let name = path.isEmpty ? "the application" : path.joined(separator: " › ")
    report.note("\(name): the state was erased, in \(count) records.")
    // The bytes of the last archive are left behind, and so are those that were appended to it.
    _ = saveAll()
    erased = []
  }

  /// Removes what was to be erased while state was being restored.
  func eraseLater() {
    let paths = erasures
    erasures = []
    for path in paths { erase(at: path) }
  }

  /// The owners and the carried records of one part of the tree.
  private struct Part {
    var marks: [Mark] = []
    /// The carried records, each with the mark of the responder below which it is; nil if it is
    /// below another carried record.
    var carried: [(id: UInt32, parent: Mark?)] = []
  }

  /// Returns the owners at a path and below it, and the carried records, without those below them.
  private func records(at path: [String]) -> Part {
    var part = Part()
    var live: [Responder] = [application].compactMap(\.self)
    for (depth, identifier) in path.enumerated() {
      let isLast = depth == path.count - 1
      var next = Part()
      for (id, _) in part.carried {
        for child in (try? log.childIDs(of: id)) ?? [] where self.identifier(child) == identifier {
          next.carried.append((child, nil))
        }
      }
      for responder in live { add(below: responder, to: &next) { $0 == identifier } }
      live = live.flatMap(\.restorableResponders).filter { $0.mark?.identifier == identifier }
      if !isLast { next.marks = [] }
      part = next
    }
    if path.isEmpty { part.marks = live.compactMap(\.mark) }
    while let responder = live.popLast() {
      add(below: responder, to: &part) { _ in true }
      live += responder.restorableResponders
    }
    return part
  }

  /// Adds the owners and carried records directly below a responder whose identifiers are wanted.
  private func add(
    below responder: Responder, to part: inout Part, _ isWanted: (String) -> Bool
  ) {
    part.marks += responder.restorableResponders.compactMap(\.mark)
      .filter { isWanted($0.identifier) }
    part.marks += objects.filter { $0.parent === responder && isWanted($0.identifier) }
      .map(\.mark)
    guard let mark = responder.mark, mark.isBound(to: self) else { return }
    part.carried += (carried[mark.record] ?? []).filter { isWanted(identifier($0) ?? "") }
      .map { ($0, mark) }
  }

  private func identifier(_ id: UInt32) -> String? {
    log.reader(of: id).flatMap { try? RecordHeader($0) }?.identifier
  }

  /// Takes the record from its owner.
  private func forget(_ mark: Mark) {
    if mark.isBound(to: self) { waiting[mark.record] = nil }
    mark.isKept = false
    mark.unbind()
  }

  /// Returns the records of the last archive at a path and below it. Among them are those of
  /// responders that are not in the tree any more.
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
  /// The responders that are owned by this one and have an identifier.
  fileprivate final var restorableResponders: [Responder] {
    var found: [Responder] = []
    forEachOwned { child, _ in if child.mark != nil { found.append(child) } }
    return found
  }
}
