extension ObjectContext {
  /// Merges the commits of other contexts and processes.
  ///
  /// Properties that are not edited here get the new values, also in the contexts below. Edited
  /// properties that were changed elsewhere too become contested, and the next save is a conflict.
  /// A merge ends the unit of work.
  ///
  /// - Complexity: Linear in the number of committed rows. A row is read if a context has its
  ///   object.
  public func merge() throws {
    // Rows that a slice has left are merged before newer ones.
    if !family.unmerged.isEmpty { try merge(upTo: .max) }
    try merge(upTo: .max)
  }

  /// Whether others have committed rows that this context, or the root above it, has not merged.
  package var hasNews: Bool { !family.unmerged.isEmpty || !(root.inbox?.isEmpty ?? true) }

  /// Whether others have committed rows that are not merged, after asking the store for new
  /// commits.
  var isBehind: Bool {
    guard let store = root.store else { return false }
    do { try store.lookForOthers() } catch { return true }
    return hasNews
  }

  /// Whether the contexts of the family know of committed rows that they have not merged yet.
  package var hasUnreadRows: Bool { !family.unmerged.isEmpty }

  /// Merges at most `limit` rows. Returns whether more wait.
  ///
  /// A mailbox merges in slices, so that an import of any size does not hold the isolation of the
  /// tree. A slice takes rows that former slices have left, and takes newer commits from the inbox
  /// only if there are none. A row that cannot be read does not stop the others; its error is
  /// thrown at the end.
  @discardableResult
  package func merge(upTo limit: Int) throws -> Bool {
    let root = root
    guard let store = root.store, let inbox = root.inbox else { return false }
    root.endMoment()
    if family.unmerged.isEmpty {
      try naming(store.lookForOthers)
      guard !inbox.isEmpty else { return false }
      family.unmerged.beginSlice(of: limit)
      root.expect(inbox.take(), inMoment: false)
    } else {
      family.unmerged.beginSlice(of: limit)
    }
    try naming {
      try family.operate {
        root.tellAgain()
        try root.takeRows(limit)
      }
    }
    return root.hasNews
  }

  /// Merges the commits of other contexts and processes, and reads every object again.
  ///
  /// Edits stay, as in ``merge()``.
  ///
  /// - Complexity: One row read for each object that the root context or one below it has.
  public func refresh() throws {
    let root = root
    guard root.store != nil else { return }
    try merge()
    var everything = News()
    everything.isEverything = true
    root.expect(everything, inMoment: false)
    try naming { try family.operate { try root.takeRows(.max) } }
  }

  /// Runs several reads in one moment, so that all of them see the same commits.
  public func read<Result>(_ body: () throws -> Result) rethrows -> Result {
    let root = root
    if root.readDepth == 0 { root.endUnit() }
    root.readDepth += 1
    defer {
      root.readDepth -= 1
      if root.readDepth == 0 { root.endUnit() }
    }
    return try keepingMoment(body)
  }

  /// Ends the moment, even inside `read`, because the next read after an operation of this context
  /// must see the newest state of the store.
  func endMoment() {
    root.kept.removeAll()
    family.reader?.end()
  }

  /// Ends the unit of work, so that the next read sees the store as it is then.
  func endUnit() {
    kept.removeAll()
    guard parent == nil, readDepth == 0 else { return }
    family.reader?.end()
  }

  private func takeRows(_ limit: Int) throws {
    defer { family.unmerged.endSlice() }
    if family.unmerged.isEverything {
      family.unmerged.isEverything = false
      family.tellEverything()
    }
    var failure: (any Error)?
    let rows = family.unmerged.first(limit)
    let holders = topmostHolders(of: rows)
    family.tellOfUnheld(rows, .followingInSlices)
    try forEachExpecting(rows.map { holders[$0] ?? [] }, objects: { $0 }) { objects in
      do {
        for object in objects { try object.context?.takeRow(object) }
      } catch let error as GraphError where error.isAboutOneRow {
        failure = failure ?? error
      }
      // After any other error this row and the rest are left to the next merge.
      family.unmerged.removeFirst()
    }
    if let failure { throw failure }
  }

  /// Updates an object from its row. The objects below follow it.
  func takeRow(_ object: GraphObject) throws {
    guard case .table(let table) = object.home, !object.wasNeverSaved else { return }
    if object.isListed { table.dropIndexes() }
    guard let reader = try currentReader() else { return }
    let exists = try reader.row(object.key, of: table.entity, into: cells)
    let isUnknown = family.takeUnknown(object.key, table.entity)
    switch object.phase {
    case .clean, .gone:
      guard exists || object.phase == .clean else { return }
      if exists { try table.refresh(object, cells) }
      object.phase = exists ? .clean : .gone
    case .inserted where !exists: return
    case .inserted where !object.hasBase && !isUnknown: return
    case .lone: return
    case .inserted, .updated, .deleted:
      if exists {
        let stored = try table.makeScratch(object.key, cells)
        if !isUnknown || !object.takeStored(stored) { follow(stored, by: object) }
      } else {
        object.followDeletion()
      }
    }
    if table.isWatched { didChange(object) }
  }

  /// Returns the nearest object with an id above this context, or an unregistered object with the
  /// store's row.
  func above(_ key: Int64, _ entity: Int) throws -> GraphObject? {
    if let above = known(key, entity) { return above }
    guard let reader = try currentReader(), try reader.row(key, of: entity, into: cells) else {
      return nil
    }
    return try table(entity).makeScratch(key, cells)
  }
}
