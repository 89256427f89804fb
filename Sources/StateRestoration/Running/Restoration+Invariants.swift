import ResponderChain

extension Restoration {
  /// A sentence about a record, a mark or a wait that does not fit to the others; nil if all fit. Use
  /// it in tests, between operations.
  package var brokenInvariant: String? {
    guard let application = keeper.session.application, let root = application.mark?.record else {
      return nil
    }
    return brokenTree(root) ?? brokenMark(application) ?? keeper.session.waits.brokenInvariant
  }

  /// Looks at the tree of records.
  private func brokenTree(_ root: Record) -> String? {
    var seen: Set<ObjectIdentifier> = [ObjectIdentifier(root)]
    var records = [root]
    while let record = records.popLast() {
      for child in record.below where child.state != .gone {
        let isTopmost = child.state == .carried && record.state != .carried
        if child.home !== keeper.home { return "A record below another has another home." }
        if !seen.insert(ObjectIdentifier(child)).inserted { return "A record is listed twice." }
        if record.state == .carried, child.state == .live {
          return "A record below a carried one has an owner."
        }
        if child.carry != nil, !isTopmost {
          return "A record is not the topmost carried one, but has the facts of one."
        }
        records.append(child)
      }
    }
    return nil
  }

  /// Looks at the marks of the tree.
  private func brokenMark(_ application: Application) -> String? {
    var owned: Set<ObjectIdentifier> = []
    for responder in [application] + Array(application.descendants) {
      let added = keeper.session.objects.below(responder).map(\.mark)
      for case let record? in ([responder.mark] + added).map({ $0?.record(in: keeper.home) }) {
        if record.state != .live { return "The record of \(responder.path) is carried." }
        if !owned.insert(ObjectIdentifier(record)).inserted {
          return "The record of \(responder.path) has two owners."
        }
      }
    }
    return nil
  }
}

extension Waits {
  fileprivate var brokenInvariant: String? {
    for owner in all {
      if owner.record.state != .live { return "A record that waits has no owner." }
      guard let mark = owner.object?.mark ?? owner.livingResponder?.mark else { continue }
      if mark.record !== owner.record { return "A wait is for the record of another one." }
      if owner.needs.isEmpty, owner.values.isEmpty { return "A wait is for nothing." }
    }
    return nil
  }
}
