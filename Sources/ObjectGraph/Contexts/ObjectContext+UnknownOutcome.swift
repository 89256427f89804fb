// If a connection breaks while a store commits, the outcome is unknown. All edits then stay, and
// the rows are read before the context decides anything.
//
// Rejected: repeating the commit. Its inserts would be refused, and its updates would conflict with
// those of the first try.

extension ObjectContext {
  /// Remembers the rows of a commit with an unknown outcome, and posts them for the next merge.
  func noteUnknown(_ writes: [Write]) {
    for write in writes {
      family.unknown.insert(UnmergedRow(entity: write.entity, key: write.id))
    }
    inbox?.post(News(writes))
  }

  /// Reads the rows of commits with an unknown outcome, before a save tries again.
  func takeUnknownRows() throws {
    guard !family.unknown.isEmpty else { return }
    let rows = family.unknown.sorted { ($0.entity, $0.key) < ($1.entity, $1.key) }
    try forEachExpecting(rows, objects: object) { row in
      for object in object(row) { try takeRow(object) }
      // A row that has no object any more need not be read.
      family.unknown.remove(row)
    }
    endMoment()
  }

  private func object(_ row: UnmergedRow) -> [GraphObject] {
    tables[row.entity]?.object(row.key).map { [$0] } ?? []
  }
}

extension ContextFamily {
  /// Removes a row from those with an unknown outcome. Returns whether the row was among them.
  func takeUnknown(_ key: Int64, _ entity: Int) -> Bool {
    !unknown.isEmpty && unknown.remove(UnmergedRow(entity: entity, key: key)) != nil
  }
}

extension GraphObject {
  /// Takes over the values of a row whose commit had an unknown outcome, if these are the values
  /// that the commit was to write. Otherwise changes nothing and returns false.
  ///
  /// Properties that were edited after the commit stay edited.
  func takeStored(_ stored: GraphObject) -> Bool {
    let layout = layout
    let different = withValue { mine in stored.withValue { layout.difference(mine, $0) } }
    switch phase {
    case .inserted where !hasBase:
      // No other object has the id, so this context wrote the row. Properties with other values are
      // contested, because either side may have changed them since.
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
