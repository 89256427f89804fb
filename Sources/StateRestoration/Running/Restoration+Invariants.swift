import ResponderChain

extension Restoration {
  /// A sentence about a record, a mark or a wait that does not fit to the others; nil if all fit. Use
  /// it in tests, between operations.
  package var brokenInvariant: String? {
    guard let application = keeper.session.application, let root = application.mark?.record else {
      return nil
    }
    var listed: Set<ObjectIdentifier> = [ObjectIdentifier(root)]
    var records = [root]
    while let record = records.popLast() {
      for child in record.below where child.state != .gone {
        guard child.home === keeper.home, listed.insert(ObjectIdentifier(child)).inserted else {
          return "A record is listed twice, or is of another home."
        }
        let isTopmost = child.state == .carried && record.state == .live
        guard record.state == .live || child.state == .carried, child.carry == nil || isTopmost
        else { return "A record does not fit to the carried one above." }
        records.append(child)
      }
    }
    var owned: Set<ObjectIdentifier> = []
    for responder in [application] + Array(application.descendants) {
      let added = keeper.session.objects.below(responder).map(\.mark)
      for case let record? in ([responder.mark] + added).map({ $0?.record(in: keeper.home) })
      where record.state != .live || !owned.insert(ObjectIdentifier(record)).inserted {
        return "The record of \(responder.path) is carried, or has two owners."
      }
    }
    for owner in keeper.session.waits.all {
      let mark = owner.object?.mark ?? owner.livingResponder?.mark
      guard owner.record.state == .live, mark == nil || mark?.record === owner.record,
        !owner.needs.isEmpty || !owner.values.isEmpty
      else { return "A wait is for nothing, or for the record of another one." }
    }
    return nil
  }
}
