extension ObjectContext {
  /// Whether identity maps find what they hold, the lists of changes have all that is changed, and
  /// what is changed and not outdated began with what is above.
  package func checkInvariants() -> Bool {
    for case let table? in tables {
      let listed = listed[table.entity]
      guard table.map.checkInvariants(), Set(listed).count == listed.count,
        listed.allSatisfy({ $0.isListed && table.object($0.key) === $0 }),
        table.live.allSatisfy({ $0.isListed || !$0.covers }),
        listed.allSatisfy({ $0.phase != .updated || $0.isOutdated || isCurrent($0, in: table) })
      else { return false }
    }
    return true
  }

  private func isCurrent(_ object: Instance, in table: AnyTable) -> Bool {
    guard let above = known(object.key, table.entity) else { return true }
    return !above.isDeleted && object.isBased(on: above)
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
