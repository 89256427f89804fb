extension ObjectContext {
  /// Whether identity maps find what they hold, and the lists of changes have all that is changed.
  package func checkInvariants() -> Bool {
    for case let table? in tables {
      let listed = listed[table.entity]
      guard table.map.checkInvariants(), Set(listed).count == listed.count,
        listed.allSatisfy({ $0.isListed && table.object($0.key) === $0 }),
        table.live.allSatisfy({ $0.isListed || !$0.covers })
      else { return false }
    }
    return true
  }

  /// How many ids the identity maps have, and how many slots.
  package var identityCount: (ids: Int, slots: Int) {
    var count = (ids: 0, slots: 0)
    for case let table? in tables {
      count.ids += table.map.count
      count.slots += table.map.capacity
    }
    return count
  }
}
