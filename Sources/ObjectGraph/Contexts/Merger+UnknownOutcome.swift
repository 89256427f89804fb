// If the connection breaks while a store commits, the outcome of the commit is unknown. The contexts
// then keep all edits, and read the rows before they decide anything.
//
// Rejected: repeating the commit. If the first commit has succeeded, the store would refuse the
// inserts, and the updates would be conflicts.

extension Merger {
  /// Records the rows of a commit whose outcome is unknown, and posts them to the inbox for the
  /// next merge. The commit was to save the changes of `lowest` and of the contexts above it.
  func awaitOutcome(of writes: [Write], from lowest: ObjectContext, _ hooks: HookResults?) {
    for write in writes {
      let object = write.source as? GraphObject
      let written = object.flatMap { hooks?.contains($0) == true ? $0.boxed() : nil }
      unknown[RowKey(entity: write.entity, key: write.id)] = UnknownRow(
        lowest: WeakContext(context: lowest), written: written)
    }
    lowest.session.inbox.post(News(writes))
  }

  /// Reads the rows of commits whose outcome is unknown, and updates their objects. A save does
  /// this first.
  func mergeUnknownRows(_ context: ObjectContext) throws {
    guard !unknown.isEmpty else { return }
    let root = context.root
    let rows = unknown.keys.sorted { ($0.entity, $0.key) < ($1.entity, $1.key) }
    let holders = root.topmostHolders(of: rows)
    try root.forEachExpecting(rows, objects: { holders[$0] ?? [] }) { row in
      for object in holders[row] ?? [] { try mergeRow(object) }
      // A row without an object need not be read.
      unknown[row] = nil
    }
    root.session.endMoment()
  }

  /// Removes a row from the rows whose outcome is unknown. Returns the objects of the row in the
  /// contexts that the commit was to save, from the root down, and the value that it was to write, if
  /// a hook has changed it. Returns nil if the row is not one of
  /// these rows, or if the given object is not the topmost one.
  func takeUnknownChain(
    from topmost: GraphObject, _ entity: Int, _ context: ObjectContext
  ) -> (objects: [GraphObject], written: AnyBox?)? {
    let row = RowKey(entity: entity, key: topmost.key)
    guard !unknown.isEmpty, let found = unknown[row] else { return nil }
    let contexts = sequence(first: found.lowest.context ?? context) { $0.parent }
    let objects = contexts.compactMap { $0.held(row.key, entity) }
    guard objects.last === topmost else { return nil }
    unknown[row] = nil
    return (objects.reversed(), found.written)
  }

  /// Updates the objects of a chain of contexts with a row that a commit of the chain may have
  /// written, or with nil if the row does not exist.
  ///
  /// An edit that equals the row's value counts as saved, and so do the edits of the same property
  /// in the contexts above, which it would have replaced. An edit that a hook has changed counts as
  /// saved if the row has the hook's value. If there is no row, a deletion counts as
  /// saved, and so do all edits of the object in the contexts above.
  func mergeOutcome(
    _ stored: GraphObject?, by chain: [GraphObject], _ written: AnyBox?
  ) {
    for object in chain where object.isListed {
      if case .table(let table) = object.home { table.dropIndexes() }
    }
    guard let stored else {
      let deletion = chain.lastIndex { $0.phase == .deleted } ?? -1
      for object in chain.prefix(deletion + 1) where object.phase != .inserted {
        object.forgetBase()
        object.phase = .gone
      }
      chain.first?.followDeletion()
      return
    }
    var saved = ColumnMask()
    let masks = chain.reversed().map { object in
      saved.formUnion(object.edits(equalTo: stored, written))
      return saved
    }
    var above = stored
    for (object, mask) in zip(chain, masks.reversed()) {
      guard let context = object.context else { continue }
      if !object.takeStored(above, mask) { context.follow(above, by: object) }
      above = object
    }
  }
}

extension GraphObject {
  /// Returns the edited properties, or of a new object all properties, that have the same value in a
  /// row, or that have the written value there. What only a hook has written to a new object counts,
  /// too.
  fileprivate func edits(equalTo stored: GraphObject, _ written: AnyBox?) -> ColumnMask {
    let layout = layout
    var different = withValue { mine in stored.withValue { layout.difference(mine, $0) } }
    if let written {
      let others = written.withMemory { mine in
        stored.withValue { layout.difference(mine, $0) }
      }
      different = different.intersection(others)
      if phase == .inserted, !hasBase {
        let hooked = written.withMemory { mine in withValue { layout.difference(mine, $0) } }
        different = different.subtracting(hooked)
      }
    }
    switch phase {
    case .inserted where !hasBase: return layout.allColumns.subtracting(different)
    case .updated: return unsavedColumns.subtracting(different)
    case .inserted, .clean, .gone, .deleted, .lone: return ColumnMask()
    }
  }

  /// Takes the values above of a row that a commit may have written, although the outcome of the
  /// commit was unknown. Edits in the mask count as saved, and all other edits stay.
  ///
  /// Returns false and changes nothing if the object is neither new nor edited. Also returns false
  /// if there is, for an edited property outside the mask, neither the value of the base nor that of
  /// this object. The caller then compares the object with the row as usual.
  fileprivate func takeStored(_ stored: GraphObject, _ saved: ColumnMask) -> Bool {
    let layout = layout
    let different = withValue { mine in stored.withValue { layout.difference(mine, $0) } }
      .subtracting(saved)
    switch phase {
    case .inserted where !hasBase:
      // No other object has the id, so this context wrote the row. Properties that differ from the
      // row are contested, because either side may have changed them after the commit.
      isNew = false
      take(saved, of: stored)
      keepBase(of: stored)
      phase = .updated
      let contested = different.intersection(layout.contestable)
      if !contested.isEmpty { contest(contested) }
    case .updated:
      let edited = unsavedColumns
      let news = withBase { base in stored.withValue { layout.difference(base, $0) } }
      let both = news.intersection(edited).intersection(different)
      guard both.intersection(layout.contestable).isEmpty else { return false }
      let (kept, emptied) = (edited.intersection(different), base?.emptied ?? ColumnMask())
      endContest()
      take(layout.allColumns.subtracting(kept), of: stored)
      keepBase(of: stored)
      base?.emptied = emptied.intersection(kept)
    case .inserted, .clean, .gone, .deleted, .lone: return false
    }
    becomeCleanIfUnedited()
    return true
  }
}

/// A row of a commit whose outcome is unknown.
struct UnknownRow {
  /// The lowest context that the commit was to save.
  let lowest: WeakContext
  /// The value that the commit was to write, if a hook has changed it.
  let written: AnyBox?
}
