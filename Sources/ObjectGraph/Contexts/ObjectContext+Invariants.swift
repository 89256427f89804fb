extension ObjectContext {
  /// Returns whether the invariants hold. Each identity map must find its objects, and the lists of
  /// changes must contain all changed objects. The base of an object must equal the object's value
  /// in the context above.
  package func checkInvariants() -> Bool {
    for table in usedTables {
      let listed = changes.lists[table.entity]
      guard table.map.checkInvariants(), Set(listed).count == listed.count,
        listed.allSatisfy({ $0.isListed && table.object($0.key) === $0 }),
        table.live.allSatisfy({ $0.isListed || !$0.covers }),
        table.live.allSatisfy({ isCurrent($0, in: table) })
      else { return false }
    }
    return true
  }

  /// Returns whether the base of an object equals the object's value in the context above. A save
  /// of a child, a discard and an undo use the base as that value, so they read nothing.
  ///
  /// Rejected: a base that keeps the value with which the edit began. It would hide that both sides
  /// made equal changes, or that one side set its change back.
  private func isCurrent(_ object: GraphObject, in table: AnyTable) -> Bool {
    guard let above = known(object.key, table.entity) else { return true }
    switch object.phase {
    case .clean, .updated, .deleted:
      let isGone = object.contest?.isGone ?? false
      return isGone == above.isDeleted && (isGone || object.isBased(on: above))
    case .gone, .inserted, .lone: return true
    }
  }

  /// The counts that tests check. `children` is the number of child contexts that are notified of
  /// changes. `listed` is the number of objects that may be unsaved. `examined` is the number of
  /// unsaved objects that lookups of to-many properties have examined.
  package var bookkeeping: (children: Int, listed: Int, examined: Int) {
    (children.living.count, changes.joined.count { _ in true }, family.examined)
  }

  /// The number of ids in the identity maps, and the number of places in their hash tables. Tests
  /// check both.
  package var identityCount: (ids: Int, slots: Int) {
    var count = (ids: 0, slots: 0)
    for table in usedTables {
      count.ids += table.map.count
      count.slots += table.map.capacity
    }
    return count
  }
}
