extension Oracle {
  /// Updates the objects of each context with the rows of its parent, from the root down. A root
  /// receives rows only when it merges.
  func propagate() {
    func depth(_ context: Int) -> Int { levels[context]?.parent.map { depth($0) + 1 } ?? 0 }
    for context in levels.keys.sorted(by: { (depth($0), $0) < (depth($1), $1) }) {
      guard let level = levels[context], level.parent != nil else { continue }
      // Deletions come first, because they decide which references a delete rule has emptied.
      for isDeletion in [true, false] {
        for (number, local) in level.local where (local.phase == .deleted) == isDeletion {
          follow(number, level)
        }
      }
    }
  }

  /// Updates an object with the row of the parent or the store. Properties without edits get the
  /// new values, and edited ones become contested.
  func follow(_ number: Int, _ level: Level) {
    guard var local = level.local[number] else { return }
    if local.phase == .inserted {
      // A kept object may exist above again.
      if local.isKept, let row = view(number, level.parent) {
        level.local[number] = Local(phase: .updated, base: row, value: local.value)
      }
      return
    }
    if local.phase == .updated, local.isUntouched {
      level.local[number] = nil
      return
    }
    guard let theirs = view(number, level.parent) else {
      if local.phase == .updated, !local.isGone {
        if !local.unsaved.contains(where: { isContestable($0, number) }) {
          level.local[number] = nil
          return
        }
        for field in local.unsaved
        where local.contested[field] == nil && isContestable(field, number) {
          local.contested[field] = local.base[field]
        }
      }
      local.isGone = true
      level.local[number] = local
      return
    }
    local.isGone = false
    for field in theirs.indices where theirs[field] != local.base[field] {
      let isEdited = local.phase == .deleted || local.unsaved.contains(field)
      if !isEdited {
        local.value[field] = theirs[field]
      } else if local.contested[field] == nil, isContestable(field, number),
        !isEmptiedOnBothSides(field, local, theirs, level)
      {
        local.contested[field] = local.base[field]
      }
      local.base[field] = theirs[field]
    }
    level.local[number] = local.phase == .updated && local.isUntouched ? nil : local
  }

  func isContestable(_ field: Int, _ number: Int) -> Bool {
    kinds[number]?.isContestable(field) ?? true
  }

  private func isEmptiedOnBothSides(
    _ field: Int, _ local: Local, _ theirs: Row, _ level: Level
  ) -> Bool {
    guard local.emptied.contains(field), local.value[field] == 0, theirs[field] == 0 else {
      return false
    }
    let owner = local.base[field] - 1
    return level.local[owner]?.phase == .deleted && isDeleted(owner, inOrAbove: level.parent)
  }

  /// Tells whether an object is deleted in a context, in one above it, or in the store.
  private func isDeleted(_ number: Int, inOrAbove context: Int?) -> Bool {
    guard let context, let level = levels[context] else { return store[number] == nil }
    guard let local = level.local[number] else {
      return isDeleted(number, inOrAbove: level.parent)
    }
    if local.phase == .deleted || local.isGone { return true }
    return local.phase == .updated && isDeleted(number, inOrAbove: level.parent)
  }
}
