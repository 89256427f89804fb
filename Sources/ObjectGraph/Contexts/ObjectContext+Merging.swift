extension ObjectContext {
  /// Takes in what others have committed to the store: other contexts, other processes.
  ///
  /// Properties that are not edited here get the new values, also in the contexts below. Edited ones
  /// that the other changed, too, become contested: the next save is a conflict. It ends the unit of
  /// work.
  public func merge() throws {
    // What a slice has left comes before what is newer.
    if !family.unmerged.isEmpty { try merge(upTo: .max) }
    try merge(upTo: .max)
  }

  /// Whether others have committed what this context, or the root above it, has not taken in.
  package var hasNews: Bool { !family.unmerged.isEmpty || !(root.inbox?.isEmpty ?? true) }

  /// Whether others have committed what is not taken in, also what nobody has looked for yet.
  var isBehind: Bool {
    guard let store = root.store else { return false }
    do { try store.lookForOthers() } catch { return true }
    return hasNews
  }

  /// Whether a slice has left rows for the next one.
  package var hasUnreadRows: Bool { !family.unmerged.isEmpty }

  /// Returns whether a row waits for the next slice of a merge, for tests.
  package func waitsForSlice(_ key: Int64, of entity: Int) -> Bool {
    family.unmerged.isSliced && family.unmerged.contains(key, entity)
  }

  /// Takes in at most so many rows; whether more wait.
  ///
  /// A row that cannot be read does not keep the others waiting; its error is thrown at the end.
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

  /// Takes in what others have committed, and reads every object again.
  ///
  /// Edits stay, as in ``merge()``.
  public func refresh() throws {
    let root = root
    guard root.store != nil else { return }
    try merge()
    var everything = News()
    everything.isEverything = true
    root.expect(everything, inMoment: false)
    try naming { try family.operate { try root.takeRows(.max) } }
  }

  /// Several reads of one moment: nothing that others commit meanwhile is seen by some of them only.
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

  /// The same inside `read` too, since the store has changed by this context's own doing.
  func endMoment() {
    kept.removeAll()
    family.reader?.end()
  }

  /// Ends the unit of work: the next read sees the store as it is then.
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
      // If the store cannot be read at the moment, the rest is read by the next merge.
      family.unmerged.removeFirst()
    }
    if let failure { throw failure }
  }

  /// Brings an object up to date with its row; those below follow it.
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

  /// The nearest object with an id above this context, or one of nobody's with the store's row.
  func above(_ key: Int64, _ entity: Int) throws -> GraphObject? {
    if let above = known(key, entity) { return above }
    guard let reader = try currentReader(), try reader.row(key, of: entity, into: cells) else {
      return nil
    }
    return try table(entity).makeScratch(key, cells)
  }
}
