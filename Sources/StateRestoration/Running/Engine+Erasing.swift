import ResponderChain

extension Engine {
  /// Removes the records at a path and below it. While state is being restored, it waits until that
  /// is done.
  func erase(at path: [String]) {
    if isRestoring { return erasures.append(path) }
    let found = records(at: path)
    var count = 0
    for mark in found.marks where forget(mark) { count += 1 }
    for (id, parent) in found.carried {
      count += countRecords(from: id)
      if let parent { uncarry(id, below: parent) }
      erased.insert(id)
    }
    if path.isEmpty {
      forgetRecords()
      replaceLog(with: ArchiveLog(generation: log.generation))
      used = []
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

  /// Takes the record from its owner. Returns false if it had none.
  private func forget(_ mark: Mark) -> Bool {
    guard mark.isBound(to: self) else { return false }
    waiting[mark.record] = nil
    mark.isKept = false
    mark.unbind()
    return true
  }

  /// Returns the number of the records at and below a carried one.
  private func countRecords(from id: UInt32) -> Int {
    var ids = [id]
    var seen: Set<UInt32> = []
    while let next = ids.popLast() {
      if seen.insert(next).inserted { ids += (try? log.childIDs(of: next)) ?? [] }
    }
    return seen.count
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
