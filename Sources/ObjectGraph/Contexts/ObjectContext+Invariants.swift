extension ObjectContext {
  /// Returns whether the invariants hold: identity maps find their objects, the lists of changes
  /// contain all changed objects, and the base of each object equals its value in the context
  /// above.
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

  /// Returns whether the base of an object equals the value of the object in the context above. A
  /// save of a child, a discard and an undo rely on this, so they read nothing.
  ///
  /// Rejected: a base that keeps the value with which the edit began. Equal changes on both sides,
  /// and changes that were set back, could not be recognised.
  private func isCurrent(_ object: GraphObject, in table: AnyTable) -> Bool {
    guard let above = known(object.key, table.entity) else { return true }
    switch object.phase {
    case .clean, .updated, .deleted:
      let isGone = object.contest?.isGone ?? false
      return isGone == above.isDeleted && (isGone || object.isBased(on: above))
    case .gone, .inserted, .lone: return true
    }
  }

  /// Counts for tests: `children` are the child contexts that are notified of changes, `listed` the
  /// objects that may be unsaved, and `examined` the unsaved objects that lookups of to-many
  /// properties have looked at.
  package var bookkeeping: (children: Int, listed: Int, examined: Int) {
    (liveChildren.count, listed.joined().count, family.examined)
  }

  /// The number of ids and of hash table entries in the identity maps.
  package var identityCount: (ids: Int, slots: Int) {
    var count = (ids: 0, slots: 0)
    for table in tables.all {
      count.ids += table.map.count
      count.slots += table.map.capacity
    }
    return count
  }
}
