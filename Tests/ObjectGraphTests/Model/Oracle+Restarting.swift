extension Oracle {
  /// The saves of a context, and those of contexts below that it has not saved yet.
  struct Ledger {
    /// The number that receipts have for the context; nil before its first archive or save.
    var id: Int?
    var saves = 0
    /// The counts of contexts that were saved into this one, by their ids.
    var handed: [Int: Int] = [:]
  }

  /// Hands the counts of a context, which was just saved, to the parent or the store.
  func handOn(_ level: Level) {
    let id = id(of: level)
    level.ledger.saves += 1
    var counts = level.ledger.handed
    counts[id] = level.ledger.saves
    level.ledger.handed = [:]
    if let parent = level.parent {
      levels[parent]?.ledger.handed.merge(counts) { max($0, $1) }
    } else {
      receipts.merge(counts) { max($0, $1) }
    }
  }

  private func id(of level: Level) -> Int {
    if let id = level.ledger.id { return id }
    ids += 1
    level.ledger.id = ids
    return ids
  }

  /// Returns copies of all contexts.
  func archived() -> [Int: Level] {
    for level in levels.values { _ = id(of: level) }
    return levels.mapValues { $0.copy() }
  }

  /// Replaces all contexts by those of an archive. What was saved since is clean, and the rest is
  /// judged by the present rows.
  func restart(_ archive: [Int: Level]) {
    levels = archive.mapValues { $0.copy() }
    for (number, level) in levels.sorted(by: { $0.key < $1.key }) {
      level.log = level.log.map { _ in makeLog(number) }
      level.ledger.handed = [:]
      if !hasUnsavedChanges(number) {
        (level.local, level.ledger) = ([:], Ledger())
        continue
      }
      let saves = level.ledger.id.flatMap { receipts[$0] } ?? 0
      if saves > level.ledger.saves {
        level.local = [:]
        level.ledger.saves = saves
      }
      replay(level)
    }
  }

  /// Judges the archived changes of a context by the present rows.
  ///
  /// An archive does not have the edits of an object before its deletion, the deletions of what is
  /// deleted above, too, and whether an edit of such an object was made before or after its deletion.
  private func replay(_ level: Level) {
    level.local = level.local.filter { $1.phase != .deleted || !$1.isGone }
    for (number, local) in level.local where local.phase == .deleted {
      let emptied = local.emptied.filter { local.value[$0] == 0 }
      var value = local.base
      for (field, origin) in local.contested { value[field] = origin }
      for field in emptied { value[field] = 0 }
      level.local[number]?.value = value
      level.local[number]?.emptied = emptied
    }
    for isDeletion in [true, false] {
      for (number, local) in level.local where (local.phase == .deleted) == isDeletion {
        follow(number, level)
      }
    }
    level.local = level.local.filter { $1.phase != .deleted || !$1.isGone }
    for (number, local) in level.local where local.phase == .updated && local.isGone {
      for field in local.unsaved
      where isContestable(field, number) && local.contested[field] == nil {
        level.local[number]?.contested[field] = local.base[field]
      }
    }
  }
}

extension Oracle.Level {
  fileprivate func copy() -> Oracle.Level {
    let copy = Oracle.Level(parent: parent, policy: policy)
    (copy.local, copy.log, copy.ledger) = (local, log, ledger)
    return copy
  }
}
