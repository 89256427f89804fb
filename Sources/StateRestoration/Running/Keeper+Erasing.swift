import ResponderChain

extension Keeper {
  /// Removes the records at a path and below it. During a restoration or save, the path is only
  /// noted, and its records are removed afterwards.
  func erase(at path: [String]) {
    if activity != .none { return erasures.append(path) }
    // The last archive may have the records of screens at other paths than their present ones.
    _ = write(asksAll: false)
    var count = 0
    let root = session.application?.mark?.record
    for record in ledger.records(at: path, below: root, andBelow: true)
    where record.state != .gone {
      count += 1
      record.state = .gone
      if record.line >= 0 { session.report.noteErased(record.line) }
      session.waits.forget(record)
    }
    // Responders and objects that are still there begin anew, and keep their kinds.
    for mark in owners(at: path) {
      (mark.isKept, mark.isPartChanged) = (false, true)
      mark.begin(in: home)
    }
    home.forgetLast()
    session.report.erase(path)
    // The sentence has no path, because an identifier may be the name of an account.
    session.report.note(
      "\(path.isEmpty ? "All state" : "State below a path") was erased, in \(count) records.")
    // The new archive has no bytes of the erased values.
    if let refusal = write(asksAll: true) {
      // All state is dropped, so that no erased state stays.
      session.report.add(
        problem: "All state was erased, because the rest was not saved: \(refusal)")
      home.end()
      leaveRecords()
      ledger.forgetArchive()
      session.application?.mark?.begin(in: home)
    }
    follower?.stateWasErased(at: path)
  }

  /// Removes the records at the paths that were noted during a restoration or save.
  func eraseLater() {
    let paths = erasures
    erasures = []
    for path in paths { erase(at: path) }
  }

  /// Returns the marks of the responders and added objects at a path and below it.
  private func owners(at path: [String]) -> [Mark] {
    var responders: [Responder] = [session.application].compactMap(\.self)
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
    func added(below parents: [Responder]) -> [Mark] {
      parents.flatMap { session.objects.below($0).map(\.mark) }
    }
    return responders.compactMap(\.mark) + added(below: responders)
      + added(below: above).filter { $0.identifier == path.last }
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
