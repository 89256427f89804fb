import ResponderChain

extension Engine {
  /// Removes the records at a path and below it. During a restoration or save, the path is only
  /// noted, and its records are removed afterwards.
  func erase(at path: [String]) {
    if isRestoring || isSaving { return erasures.append(path) }
    var count = 0
    for record in records(at: path, andBelow: true) where record.state != .gone {
      count += 1
      record.state = .gone
      waiting[ObjectIdentifier(record)] = nil
    }
    // Responders and objects that are still there begin anew, and keep their kinds.
    for mark in owners(at: path) {
      mark.isKept = false
      mark.record = Record(home)
    }
    home.forgetLast()
    report.erase(path)
    // The sentence has no path, because an identifier may be the name of an account.
    report.note(
      "\(path.isEmpty ? "All state" : "State below a path") was erased, in \(count) records.")
    // The new archive has no bytes of the erased values.
    if let refusal = write(asksAll: true) {
      // All state is dropped, so that no erased state stays.
      report.add(problem: "All state was erased, because the rest was not saved: \(refusal)")
      let generation = log.generation
      forgetRecords()
      log = ArchivedTree(generation: generation)
      application?.mark?.record = Record(home)
    }
    follower?.stateWasErased(at: path)
  }

  /// Removes the records at the paths that were noted during a restoration or save.
  func eraseLater() {
    let paths = erasures
    erasures = []
    for path in paths { erase(at: path) }
  }

  /// Returns the records at a path, and those below it if asked for, even if their responders are
  /// not in the tree any more.
  func records(at path: [String], andBelow: Bool) -> [Record] {
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
    let inTree = records([application?.mark?.record].compactMap(\.self), path[...])
    return left.reduce(into: inTree) { found, left in
      guard let record = left.record, path.starts(with: left.path) || left.path.starts(with: path)
      else { return }
      let rest = path.dropFirst(left.path.count)
      if let first = rest.first, record.header?.identifier != first { return }
      // The list of a record outside the tree is old. It may name records that the last save has
      // found in the tree, because their responders were moved there.
      found += records([record], rest.dropFirst()) { $0.save != saveCount }
    }
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
}

extension Responder {
  /// The responders directly below this one that have an identifier.
  fileprivate final var restorableResponders: [Responder] {
    var found: [Responder] = []
    forEachOwned { child, _ in if child.mark != nil { found.append(child) } }
    return found
  }
}
