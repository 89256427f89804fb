// If the connection breaks while a store commits, the outcome of the commit is unknown. The context
// then keeps all edits, and reads the rows before it decides anything.
//
// Rejected: repeating the commit. If the first commit has succeeded, the store would refuse the
// inserts, and the updates would be conflicts.

extension ObjectContext {
  /// Records the rows of a commit whose outcome is unknown, and posts them to the inbox for the
  /// next merge.
  func noteUnknown(_ writes: [Write]) {
    for write in writes {
      family.unknown.insert(UnmergedRow(entity: write.entity, key: write.id))
    }
    inbox?.post(News(writes))
  }

  /// Reads the rows of commits whose outcome is unknown, and updates their objects. A save does
  /// this first.
  func mergeUnknownRows() throws {
    guard !family.unknown.isEmpty else { return }
    let rows = family.unknown.sorted { ($0.entity, $0.key) < ($1.entity, $1.key) }
    try forEachExpecting(rows, objects: object) { row in
      for object in object(row) { try mergeRow(object) }
      // A row without an object in this context need not be read.
      family.unknown.remove(row)
    }
    endMoment()
  }

  private func object(_ row: UnmergedRow) -> [GraphObject] {
    tables[row.entity]?.object(row.key).map { [$0] } ?? []
  }
}

extension ContextFamily {
  /// Removes a row from the rows whose outcome is unknown. Returns whether it was one of them.
  func takeUnknown(_ key: Int64, _ entity: Int) -> Bool {
    !unknown.isEmpty && unknown.remove(UnmergedRow(entity: entity, key: key)) != nil
  }
}

extension GraphObject {
  /// Takes the values of a row that a commit may have written, although the outcome of the commit
  /// was unknown. An edit that equals the row's value then counts as saved, and all other edits
  /// stay.
  ///
  /// Returns false and changes nothing if the object is neither new nor edited. Also returns false
  /// if the row has, for an edited property, neither the value of the base nor that of this object.
  /// The caller then compares the object with the row as usual.
  func takeStored(_ stored: GraphObject) -> Bool {
    let layout = layout
    let different = withValue { mine in stored.withValue { layout.difference(mine, $0) } }
    switch phase {
    case .inserted where !hasBase:
      // No other object has the id, so this context wrote the row. Properties that differ from the
      // row are contested, because either side may have changed them after the commit.
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
