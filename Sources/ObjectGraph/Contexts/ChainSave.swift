import Foundation

/// One save of a context and of all contexts above it into the store. All of them are saved, or
/// nothing is.
///
/// The save makes attempts. An attempt saves each context into its parent and, at last, the root into
/// the store. It tells nobody before the commit. If the commit finds rows that others have changed,
/// the attempt is taken back, the rows are merged, and the next attempt begins. So a policy decides
/// the same, whether a row was merged before the save or is found by the commit.
final class ChainSave {
  /// The contexts from the lowest one to the root.
  private let chain: [ObjectContext]
  private let root: ObjectContext
  private let store: any ObjectStore
  private let hooks: HookResults?
  private var attempt: SaveAttempt?
  /// The objects about which the root's policy has decided in the attempt.
  private var decisions = Decisions()
  /// The counts that each context of the chain hands on, by the ids of kept contexts.
  private var counts: [[UUID: Int64]] = []
  /// The error of a call by a policy's closure or a validation that the save cannot allow.
  private var refusal: GraphError?
  /// The objects of which observers must be told when the save ends, for each context of the chain.
  private var changed: [[GraphObject]]

  /// Creates a save of the contexts from the given one up to the root, which has the given store.
  init(from context: ObjectContext, to store: any ObjectStore, _ hooks: HookResults?) {
    chain = Array(sequence(first: context) { $0.parent })
    root = context.root
    self.store = store
    self.hooks = hooks
    changed = Array(repeating: [], count: chain.count)
  }

  func run() throws {
    root.session.endMoment()
    try root.naming { try root.merger.mergeUnknownRows(root) }
    counts = nextCounts()
    root.family.chainSave = self
    defer { root.family.chainSave = nil }
    let result = Result { try commit() }
    switch result {
    case .success:
      end()
      for (context, counts) in zip(chain, counts) { context.didSave(counts) }
    case .failure: takeBack()
    }
    root.family.chainSave = nil
    tellChanged()
    let written = try result.get()
    root.merger.mergeSavedRows(
      of: written.compactMap { root.held($0.id, $0.entity) } + decisions.objects, root)
  }

  /// Returns the counts that each context hands on, from the lowest one up; none if no context of the
  /// chain is kept. As in saves one after the other, a context also saves what comes from below.
  private func nextCounts() -> [[UUID: Int64]] {
    guard chain.contains(where: { $0.ledger != nil }) else { return [] }
    var hasChanges = false
    return chain.map { context in
      hasChanges =
        hasChanges || context.hasUnsavedChanges || !(context.ledger?.handed.isEmpty ?? true)
      return context.nextCounts(hasChanges)
    }
  }

  /// Makes attempts until the store has committed one. Returns the writes of that attempt.
  private func commit() throws -> [Write] {
    var tries = 0
    let receipts = store.receipts(counts.reduce(into: [:]) { $0.merge($1) { max($0, $1) } })
    while true {
      tries += 1
      var writes: [Write] = []
      do {
        writes = try self.writes()
        guard !writes.isEmpty || !receipts.isEmpty else { return [] }
        // After two conflicts, policies that run no code of the app are applied inside the commit. No
        // other context or process can write these rows at that time.
        let decidesInside = tries > 2 && chain.allSatisfy(\.conflictPolicy.isFixed)
        try root.naming {
          guard decidesInside else {
            return try store.commit(
              writes, receipts, from: root.session.inbox, resolving: nil)
          }
          try store.commit(writes, receipts, from: root.session.inbox) { conflict, row in
            writes = try self.root.session.reading(row) {
              try self.takeBack(merging: conflict)
              return try self.writes()
            }
            return writes
          }
        }
        return writes
      } catch let conflict as CommitConflict {
        try takeBack(merging: conflict)
        guard tries == 8 else { continue }
        throw root.named(GraphError("save", .overtaken(conflict.rows.map(report))))
      } catch let error as GraphError where error.leavesOutcomeUnknown {
        root.merger.awaitOutcome(of: writes, from: chain[0], hooks)
        for (context, counts) in zip(chain, counts) { context.ledger?.skip(counts) }
        throw error
      }
    }
  }

  /// Begins an attempt: saves each context into its parent. Returns the root's writes.
  private func writes() throws -> [Write] {
    attempt = SaveAttempt(chain)
    var judged = JudgedObjects.remembered
    judged.leavesOutHooks = hooks != nil
    for (child, parent) in zip(chain, chain.dropFirst()) {
      try child.naming { try ParentSave(of: child, to: parent).run(&judged) }
      if let refusal { throw refusal }
    }
    judged.leavesOutHooks = false
    decisions = Decisions()
    let writes = try root.naming {
      try StoreSave(of: root, to: store, hooks).writesOfChain(&judged, decisions)
    }
    if let refusal { throw refusal }
    return writes
  }

  private func end() {
    attempt?.end()
    attempt = nil
    // A closure of a policy may have read, which begins a moment.
    root.session.endMoment()
    StoreSave(of: root, to: store, hooks).becomeClean()
  }

  private func takeBack() {
    guard let attempt else { return }
    for level in changed.indices { changed[level].removeAll(where: attempt.restores) }
    attempt.takeBack()
    root.family.operation.witness.forget()
    self.attempt = nil
  }

  /// Takes the attempt back, and merges the rows that caused the refusal of its commit.
  private func takeBack(merging conflict: CommitConflict) throws {
    takeBack()
    // Everybody hears of the merge, as of any other merge.
    root.family.chainSave = nil
    defer { root.family.chainSave = self }
    let rows = conflict.missingFirst
    let holders = root.topmostHolders(of: rows.map(\.key))
    for row in rows {
      for object in holders[row.key] ?? [] {
        guard case .table(let table) = object.home, let context = table.context else { continue }
        table.dropIndexes()
        context.witness(object)
        try context.follow(row, by: object)
        if table.isWatched { context.didChange(object) }
      }
    }
  }

  /// Returns the report of a row's conflict, as the highest context sees it.
  private func report(_ row: ConflictingRow) -> ConflictReport {
    for context in chain.reversed() {
      if let object = context.held(row.id, row.entity), object.isContested {
        return context.report(object)
      }
    }
    return ConflictReport(object: root.model.name(row.entity, row.id), properties: [])
  }
}

extension ChainSave {
  /// Returns whether observers of an object hear of its change when the save ends, because its
  /// context is in the chain.
  func postpones(_ object: GraphObject, in context: ObjectContext) -> Bool {
    guard let level = chain.firstIndex(where: { $0 === context }) else { return false }
    changed[level].append(object)
    return true
  }

  /// Tells lists, observers and other contexts of the objects that have changed, from the root down.
  private func tellChanged() {
    for level in chain.indices.reversed() {
      let below = level > 0 ? chain[level - 1] : nil
      for object in changed[level] {
        guard case .table(let table) = object.home else { continue }
        // The context below has saved this value, so nothing changes for it.
        let copy = below?.held(object.key, table.entity)
        let knows = copy.map { $0.isDeleted == object.isDeleted && $0.isBased(on: object) } ?? false
        chain[level].didChange(object, in: table, except: knows ? below : nil)
      }
    }
  }

  /// Returns the error of a call that would change a context of the chain during the save. The save
  /// then throws the same error.
  func refusal(of call: String, in context: ObjectContext) -> GraphError? {
    guard chain.contains(where: { $0 === context }) else { return nil }
    let error = context.named(GraphError(call, .saving))
    refusal = refusal ?? error
    return error
  }
}

/// The contexts of a chain as they were before an attempt to save all of them.
private struct SaveAttempt {
  private var levels: [SavedLevel] = []

  /// One context of the chain. All of its objects that the attempt can change are recorded.
  struct SavedLevel {
    let context: ObjectContext
    let changes: ChangeList
    var states: [ObjectIdentifier: ObjectState] = [:]
    /// The rows without an object in this context that a context below has changed.
    var absent: Set<RowKey> = []
    let undoLog: UndoLog?
  }

  init(_ chain: [ObjectContext]) {
    var rows: Set<RowKey> = []
    for context in chain {
      for (entity, objects) in context.changes.lists.enumerated() {
        for object in objects { rows.insert(RowKey(entity: entity, key: object.key)) }
      }
      var level = SavedLevel(context: context, changes: context.changes, undoLog: context.undoLog)
      for row in rows {
        if let object = context.held(row.key, row.entity) {
          level.states[ObjectIdentifier(object)] = ObjectState(object)
        } else {
          level.absent.insert(row)
        }
      }
      // Nothing is recorded for an undo during the attempt.
      context.setUndoLog(nil)
      levels.append(level)
    }
  }

  /// Ends a successful attempt: the undo histories end.
  func end() {
    for level in levels {
      level.context.setUndoLog(level.undoLog)
      level.undoLog?.forget()
    }
  }

  /// Returns whether ``takeBack()`` restores an object, so that nobody needs to hear of it.
  func restores(_ object: GraphObject) -> Bool {
    levels.first { $0.context === object.context }?.restores(object) ?? false
  }

  /// Restores each context to what it was before the attempt.
  func takeBack() {
    // From the root down, because a restored object may take the value of the object above.
    for level in levels.reversed() { level.restore() }
  }
}

extension SaveAttempt.SavedLevel {
  fileprivate func restores(_ object: GraphObject) -> Bool {
    states[ObjectIdentifier(object)] != nil || object.row.map(absent.contains) ?? false
  }

  fileprivate func restore() {
    context.setUndoLog(undoLog)
    // What code of the app has changed meanwhile, in other objects, stays changed.
    let others = context.changes.joined.filter { !restores($0) }
    for object in context.changes.joined { object.isListed = false }
    for row in absent {
      guard let object = context.held(row.key, row.entity), case .table(let table) = object.home
      else { continue }
      object.isListed = false
      if object.phase == .inserted, !object.hasBase || object.isNew {
        table.unregister(object)
        object.forgetBase()
      } else {
        let isGone = object.phase == .inserted || object.isKnownDeletedAbove
        // The save of this level has forgotten the base, if the save of the next one has failed.
        let above = object.hasBase ? nil : context.known(row.key, row.entity)
        object.returnToBase()
        if let above, !isGone { object.copyValue(of: above) }
        object.phase = isGone ? .gone : .clean
      }
    }
    for state in states.values { state.restore() }
    context.dropIndexes()
    context.restoreChanges(changes)
    for object in changes.joined { object.isListed = true }
    for object in others {
      if case .table(let table) = object.home { context.noteChange(object, in: table) }
    }
  }
}
