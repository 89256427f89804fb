extension ObjectContext {
  /// Whether identity maps find what they hold, the lists of changes have all that is changed, and
  /// what is changed began with what is above.
  package func checkInvariants() -> Bool {
    for table in tables.all {
      let listed = listed[table.entity]
      guard table.map.checkInvariants(), Set(listed).count == listed.count,
        listed.allSatisfy({ $0.isListed && table.object($0.key) === $0 }),
        table.live.allSatisfy({ $0.isListed || !$0.covers }),
        table.live.allSatisfy({ isCurrent($0, in: table) })
      else { return false }
    }
    return true
  }

  private func isCurrent(_ object: GraphObject, in table: AnyTable) -> Bool {
    guard let above = known(object.key, table.entity) else { return true }
    switch object.phase {
    case .clean, .updated, .deleted:
      let isGone = object.contest?.isGone ?? false
      return isGone == above.isDeleted && (isGone || object.isBased(on: above))
    case .gone, .inserted, .lone: return true
    }
  }

  /// The number of contexts below that are told of changes, of objects that may be unsaved, and of
  /// unsaved objects looked at for to-many properties so far.
  package var bookkeeping: (children: Int, listed: Int, examined: Int) {
    (liveChildren.count, listed.joined().count, family.examined)
  }

  /// How many ids the identity maps have, and how many slots.
  package var identityCount: (ids: Int, slots: Int) {
    var count = (ids: 0, slots: 0)
    for table in tables.all {
      count.ids += table.map.count
      count.slots += table.map.capacity
    }
    return count
  }
}
