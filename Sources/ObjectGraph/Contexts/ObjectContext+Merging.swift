extension ObjectContext {
  /// Merges the commits of other contexts and processes.
  ///
  /// Properties that are not edited here get the new values, also in the contexts below. If a
  /// property was edited here and changed elsewhere too, the next save has a conflict. After a
  /// merge, reads see the newest state of the store.
  ///
  /// - Complexity: Linear in the number of committed rows. A row is read only if a context has its
  ///   object.
  public func merge() throws {
    // The rest of a merge in slices is merged before newer commits.
    if !family.unmerged.isEmpty { try merge(upTo: .max) }
    try merge(upTo: .max)
  }

  /// Whether commits of others wait to be merged into the contexts of this root.
  package var hasNews: Bool { !family.unmerged.isEmpty || !session.inbox.isEmpty }

  /// Whether commits of others that the moment (read transaction) shows wait to be merged. True if it
  /// cannot begin.
  var isBehind: Bool {
    do { try currentReader()?.begin() } catch { return true }
    return hasNews
  }

  /// Whether rows that others have committed are queued for a merge. The contexts know the ids of
  /// these rows, but not their values yet.
  package var hasUnreadRows: Bool { !family.unmerged.isEmpty }

  /// Merges at most `limit` rows. Returns whether more rows wait to be merged.
  ///
  /// A mailbox merges in slices of at most 500 rows, so that a large import does not block the
  /// tree. Newer commits are taken from the inbox only after all rows of earlier slices are merged.
  /// If a row cannot be read, the other rows are merged nevertheless, and the error is thrown at
  /// the end.
  ///
  /// The store is asked for new commits if `asksStore` is true. A merge that the store's own news has
  /// caused does not ask.
  @discardableResult
  package func merge(upTo limit: Int, asksStore: Bool = true) throws -> Bool {
    let root = root
    guard let store = session.store else { return false }
    let inbox = session.inbox
    if let refusal = family.chainSave?.refusal(of: "merge", in: root) { throw refusal }
    session.endMoment()
    if family.unmerged.isEmpty {
      if asksStore { try naming(store.postForeignCommits) }
      guard !inbox.isEmpty else { return false }
      family.unmerged.beginSlice(of: limit)
      root.queueForMerge(inbox.take(), inMoment: false)
    } else {
      family.unmerged.beginSlice(of: limit)
    }
    try naming {
      try family.operation.run {
        root.tellAgain()
        try root.mergeRows(limit)
      }
    }
    return root.hasNews
  }

  /// Merges the commits of other contexts and processes, and reads every object again.
  ///
  /// Edits are kept, as in ``merge()``.
  ///
  /// - Complexity: One row read for each object of the root context and of the contexts below it.
  public func refresh() throws {
    let root = root
    guard session.store != nil else { return }
    // The store is not asked for commits, because the moment in which all is read tells of them.
    if !family.unmerged.isEmpty { try merge(upTo: .max, asksStore: false) }
    try merge(upTo: .max, asksStore: false)
    root.queueForMerge(News(isEverything: true), inMoment: false)
    try naming { try family.operation.run { try root.mergeRows(.max) } }
  }

  private func mergeRows(_ limit: Int) throws {
    defer { family.unmerged.endSlice() }
    if family.unmerged.isEverything {
      family.unmerged.isEverything = false
      family.operation.tellEverything()
    }
    var failure: (any Error)?
    let rows = family.unmerged.first(limit)
    let holders = topmostHolders(of: rows)
    family.operation.tellOfUnheld(rows, .followingInSlices)
    try forEachExpecting(rows.map { holders[$0] ?? [] }, objects: { $0 }) { objects in
      do {
        for object in objects { try object.context?.mergeRow(object) }
      } catch let error as GraphError where error.isAboutOneRow {
        failure = failure ?? error
      }
      // After any other error, this row and the rows after it are left to the next merge.
      family.unmerged.removeFirst()
    }
    if let failure { throw failure }
  }

  /// Updates an object from its row in the store, and also the copies of the object in the contexts
  /// below. Edits are kept.
  func mergeRow(_ object: GraphObject) throws {
    guard case .table(let table) = object.home, !object.wasNeverSaved else { return }
    if object.isListed { table.dropIndexes() }
    guard let reader = try currentReader() else { return }
    let exists = try reader.row(object.key, of: table.entity, into: cells)
    if let chain = takeUnknownChain(from: object, table.entity) {
      let stored = exists ? try table.makeScratch(object.key, cells) : nil
      mergeOutcome(stored, by: chain)
      if table.isWatched { didChange(object) }
      return
    }
    switch object.phase {
    case .clean, .gone:
      guard exists || object.phase == .clean else { return }
      if exists { try table.refresh(object, cells) }
      object.phase = exists ? .clean : .gone
    case .inserted where !exists: return
    case .inserted where !object.hasBase: return
    case .lone: return
    case .inserted, .updated, .deleted:
      if exists {
        follow(try table.makeScratch(object.key, cells), by: object)
      } else {
        object.followDeletion()
      }
    }
    if table.isWatched { didChange(object) }
  }

  /// Merges the rows of saved objects that others have changed too. The context then shows the
  /// stored values.
  func mergeSavedRows(of objects: [GraphObject]) {
    let inbox = session.inbox
    if !inbox.isEmpty { queueForMerge(inbox.take(), inMoment: false) }
    guard !family.unmerged.isEmpty else { return }
    let changed = objects.filter {
      $0.row.map { family.unmerged.contains($0.key, $0.entity) } ?? false
    }
    try? forEachExpecting(changed, objects: { [$0] }) { object in
      do {
        try mergeRow(object)
      } catch {
        // The save itself has succeeded, so the error is only reported. The next merge reads the
        // row.
        report(error)
      }
    }
  }

  /// Returns the object with an id from the nearest context above that has one. If no context above
  /// has one, returns an object with the store's row, which is registered in no context. Returns
  /// nil if there is no row either.
  func above(_ key: Int64, _ entity: Int) throws -> GraphObject? {
    if let above = known(key, entity) { return above }
    guard try session.readRow(key, of: entity) else { return nil }
    return try table(entity).makeScratch(key, cells)
  }
}
