// A connection may break while a store commits. Then nobody knows what it holds until the rows are
// read.

extension ObjectContext {
  /// Remembers the rows of a commit whose outcome is unknown, and has a merge read them.
  func noteUnknown(_ writes: [Write]) {
    for write in writes {
      family.unknown.insert(UnmergedRow(entity: write.entity, key: write.id))
    }
    inbox?.post(News(writes))
  }

  /// Finds out what became of a commit whose outcome is unknown, before a save tries again.
  func takeUnknownRows() throws {
    guard !family.unknown.isEmpty else { return }
    let rows = family.unknown.sorted { ($0.entity, $0.key) < ($1.entity, $1.key) }
    try forEachExpecting(rows, objects: object) { row in
      for object in object(row) { try takeRow(object) }
      // It may have no object any more.
      family.unknown.remove(row)
    }
    endMoment()
  }

  private func object(_ row: UnmergedRow) -> [GraphObject] {
    tables[row.entity]?.object(row.key).map { [$0] } ?? []
  }
}

extension ContextFamily {
  /// Returns whether a row is of a commit whose outcome is unknown; it counts as known from now on.
  func takeUnknown(_ key: Int64, _ entity: Int) -> Bool {
    !unknown.isEmpty && unknown.remove(UnmergedRow(entity: entity, key: key)) != nil
  }
}

extension GraphObject {
  /// Takes the values of a row of a commit whose outcome is unknown, if they are those that the commit
  /// was to write; otherwise changes nothing and returns false.
  ///
  /// What was edited since stays edited.
  func takeStored(_ stored: GraphObject) -> Bool {
    let layout = layout
    let different = withValue { mine in stored.withValue { layout.difference(mine, $0) } }
    switch phase {
    case .inserted where !hasBase:
      // The id is nobody else's, so that it was this context that wrote the row. Whether what differs
      // was changed here or there since, nobody knows.
      isNew = false
      keepBase(of: stored)
      phase = .updated
      if !different.isEmpty { contest(different) }
    case .updated:
      let edited = unsavedColumns
      let news = withBase { base in stored.withValue { layout.difference(base, $0) } }
      guard news.intersection(edited).intersection(different).isEmpty else { return false }
      let (kept, emptied) = (edited.intersection(different), base?.emptied ?? ColumnMask())
      var taken = ColumnMask()
      for column in layout.columns.indices where !kept.contains(column) { taken.insert(column) }
      endContest()
      take(taken, of: stored)
      keepBase(of: stored)
      base?.emptied = emptied.intersection(kept)
    case .inserted, .clean, .gone, .deleted, .lone: return false
    }
    becomeCleanIfUnedited()
    return true
  }
}
