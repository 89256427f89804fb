/// One save of a root context's unsaved changes into its store.
struct StoreSave {
  private let context: ObjectContext
  private let store: any ObjectStore
  private let hooks: HookResults?
  /// Whether the context is kept, and had unsaved changes before the save.
  private let hadChanges: Bool

  init(
    of context: ObjectContext, to store: any ObjectStore, _ hooks: HookResults?,
    _ hadChanges: Bool = false
  ) {
    self.context = context
    self.store = store
    self.hooks = hooks
    self.hadChanges = hadChanges
  }

  func run() throws {
    let decisions = Decisions()
    let written = try decisions.keeping(in: context) {
      context.session.endMoment()
      try context.merger.mergeUnknownRows(context)
      try decideContested(decisions)
      var judged = JudgedObjects.notRemembered
      return try commit(try writes(decisions, &judged), decisions)
    }
    // A closure of the policy may have read, which begins a moment.
    context.session.endMoment()
    becomeClean()
    context.merger.mergeSavedRows(
      of: written.compactMap { context.held($0.id, $0.entity) } + decisions.objects,
      context)
    // Lists and child contexts are notified after all steps that can throw, so that a failed save
    // changes nothing in them.
    decisions.tell(in: context)
  }

  /// Returns the writes of all changes. Kept objects are compared with their rows first. A kept
  /// object was deleted in the store, and the policy decided to insert it again.
  private func writes(
    _ decisions: Decisions, _ judged: inout JudgedObjects
  ) throws -> [Write] {
    if let hooks {
      // A hook is called for what the save really does with a kept object.
      try reconsider(
        context.changes.joined.filter { $0.phase == .inserted && $0.hasBase }, decisions)
      hooks.apply(to: context, decisions)
      return try pendingWrites(&judged).writes
    }
    let pending = try pendingWrites(&judged)
    guard !pending.kept.isEmpty else { return pending.writes }
    try reconsider(pending.kept, decisions)
    judged.forget(pending.kept)
    return try pendingWrites(&judged).writes
  }

  /// Compares kept objects with their rows.
  private func reconsider(_ kept: [GraphObject], _ decisions: Decisions) throws {
    guard !kept.isEmpty else { return }
    try context.forEachExpecting(kept, objects: { [$0] }) { object in
      try context.reconsider(object, decisions)
    }
    context.session.endMoment()
  }

  /// Makes the changed objects clean after a commit.
  func becomeClean() {
    context.dropIndexes()
    for objects in context.takeChanges() {
      objects.forEachPrefetching { becomeClean($0) }
    }
  }

  private func becomeClean(_ object: GraphObject) {
    object.isListed = false
    // A new object that was deleted, or whose insertion was undone, stays new, because it can be
    // inserted again.
    if object.phase != .gone { object.isNew = false }
    switch object.phase {
    case .inserted, .updated:
      object.phase = .clean
      object.forgetBase()
    case .deleted:
      object.phase = .gone
      object.forgetBase()
    case .clean, .gone, .lone: break
    }
  }
}

extension StoreSave {
  /// Returns the writes of all changes, after the contexts below have been saved into this one.
  ///
  /// - Throws: A `CommitConflict` if the policy would have to decide with an old row. The rows are
  ///   then merged, so that the policy of the context that has edited an object decides about it.
  func writesOfChain(_ judged: inout JudgedObjects, _ decisions: Decisions) throws -> [Write] {
    return try decisions.keeping(in: context) {
      let contested = context.changes.joined.filter(\.isContested)
      let stale = contested.isEmpty ? [] : try staleRows()
      if !stale.isEmpty { throw CommitConflict(rows: stale) }
      var reports: [ConflictReport] = []
      for object in contested {
        try reports.collect { try context.decide(object, decisions) }
      }
      if !reports.isEmpty { throw GraphError("save", .conflict(reports)) }
      judged.forget(decisions.objects)
      let writes = try writes(decisions, &judged)
      context.session.endMoment()
      decisions.tell(in: context)
      return writes
    }
  }

  /// Returns the rows that others have changed in properties that are edited here, or have deleted.
  private func staleRows() throws -> [ConflictingRow] {
    var stale: [ConflictingRow] = []
    let objects = context.changes.joined.filter { $0.isUnsaved && $0.phase != .inserted }
    try context.forEachExpecting(objects, objects: { [$0] }) { object in
      guard case .table(let table) = object.home else { return }
      let exists = try context.session.readRow(object.key, of: table.entity)
      let row = exists ? try table.makeScratch(object.key, context.cells) : nil
      guard object.isStale(row) else { return }
      stale.append(
        ConflictingRow(
          entity: table.entity, id: object.key, theirs: try row.map { try $0.storedValues() }))
    }
    context.session.endMoment()
    return stale
  }
}

extension GraphObject {
  /// Returns whether a row has, in edited properties, values that this object's context does not
  /// know. Of a deleted object, all properties count.
  fileprivate func isStale(_ row: GraphObject?) -> Bool {
    let isGone = contest?.isGone ?? false
    guard let row, !isGone else { return isGone != (row == nil) }
    let layout = layout
    let news = withBase { base in row.withValue { layout.difference(base, $0) } }
      .intersection(layout.contestable)
    return !(phase == .deleted ? news : news.intersection(unsavedColumns)).isEmpty
  }

  fileprivate func storedValues() throws -> [StoredValue] {
    try withValue { value in try layout.columns.map { try $0.stored(of: value) } }
  }
}

extension StoreSave {
  /// Commits writes to the store. If another commit has changed the rows, applies the conflict
  /// policy and tries again. The eighth conflict is thrown as an error. Returns the writes that
  /// were committed.
  private func commit(_ first: [Write], _ decisions: Decisions) throws -> [Write] {
    var writes = first
    var tries = 0
    while true {
      tries += 1
      // Each attempt counts anew, because a policy's closure may have saved a child into this context.
      let counts = context.nextCounts(hadChanges)
      guard !writes.isEmpty || !counts.isEmpty else { return [] }
      let receipts = store.receipts(counts)
      do {
        // After two conflicts, a policy that runs no code of the app is applied inside the commit.
        // No other context or process can write these rows at that time.
        if tries > 2, context.conflictPolicy.isFixed {
          try store.commit(writes, receipts, from: context.session.inbox) { conflict, row in
            writes = try context.session.reading(row) {
              try self.writes(after: conflict, decisions)
            }
            return writes
          }
        } else {
          try store.commit(writes, receipts, from: context.session.inbox, resolving: nil)
        }
        context.didSave(counts)
        return writes
      } catch let conflict as CommitConflict {
        if tries == 8 {
          throw GraphError("save", .overtaken(contested(by: conflict, decisions)))
        }
        writes = try self.writes(after: conflict, decisions)
      } catch let error as GraphError where error.leavesOutcomeUnknown {
        context.merger.awaitOutcome(of: writes, from: context, hooks)
        context.ledger?.skip(counts)
        throw error
      }
    }
  }

  private func writes(
    after conflict: CommitConflict, _ decisions: Decisions
  ) throws -> [Write] {
    try resolve(conflict, decisions)
    hooks?.apply(to: context, decisions)
    var judged = JudgedObjects.notRemembered
    return try pendingWrites(&judged).writes
  }

  /// Compares the current row in the store with each object that was in conflict before the save.
  /// Then applies the conflict policy to the object.
  ///
  /// - Throws: One error with all conflicts, if the policy is `.error`.
  private func decideContested(_ decisions: Decisions) throws {
    let objects = context.changes.joined
    guard objects.contains(where: \.isContested) else { return }
    var reports: [ConflictReport] = []
    func rows(_ object: GraphObject) -> [GraphObject] { object.phase == .inserted ? [] : [object] }
    try context.forEachExpecting(objects.filter(\.isContested), objects: rows) { object in
      guard object.isContested else { return }
      try compareWithRow(object, decisions)
      try reports.collect { try context.decide(object, decisions) }
    }
    guard !reports.isEmpty else { return }
    // The error also names the conflicts of the other changed objects, as an error of the commit
    // would.
    let others = objects.filter { $0.covers && !$0.isContested }
    try context.forEachExpecting(others, objects: rows) { object in
      try compareWithRow(object, decisions)
      if object.isContested, !object.isDeletedTwice { reports.append(context.report(object)) }
    }
    throw GraphError("save", .conflict(reports))
  }

  /// Compares a changed object with its current row in the store. A property that is edited here
  /// and was changed in the row becomes contested.
  private func compareWithRow(_ object: GraphObject, _ decisions: Decisions) throws {
    guard case .table(let table) = object.home, object.phase != .inserted else { return }
    decisions.record(object)
    if try context.session.readRow(object.key, of: table.entity) {
      context.follow(try table.makeScratch(object.key, context.cells), by: object)
    } else {
      object.followDeletion()
    }
  }

  /// Applies the conflict policy to the objects of the rows that caused the refusal of a commit.
  ///
  /// - Throws: One error with all conflicts, if the policy is `.error`.
  private func resolve(_ conflict: CommitConflict, _ decisions: Decisions) throws {
    var reports: [ConflictReport] = []
    for object in try contest(conflict, decisions) {
      try reports.collect { try context.decide(object, decisions) }
    }
    if !reports.isEmpty { throw GraphError("save", .conflict(reports)) }
  }

  /// Returns the objects and properties in conflict after the last refused commit. The error of a
  /// save that gives up names them.
  private func contested(
    by conflict: CommitConflict, _ decisions: Decisions
  ) -> [ConflictReport] {
    do {
      return try contest(conflict, decisions).filter { !$0.isDeletedTwice }.map(context.report)
    } catch {
      return conflict.rows.map {
        ConflictReport(object: context.model.name($0.entity, $0.id), properties: [])
      }
    }
  }

  /// Compares the rows that caused the refusal of a commit with the objects of these rows. Returns
  /// the objects.
  private func contest(
    _ conflict: CommitConflict, _ decisions: Decisions
  ) throws -> [GraphObject] {
    hooks?.takeBack()
    return try conflict.missingFirst.compactMap { row -> GraphObject? in
      guard let object = context.held(row.id, row.entity) else { return nil }
      decisions.record(object)
      try context.follow(row, by: object)
      return object
    }
  }
}

extension StoreSave {
  /// Returns the writes of all changes, and the kept objects.
  ///
  /// The writes of an entity are in the order of ids, which is the order in which the objects were
  /// created.
  ///
  /// - Throws: An error with the problems of all objects that must not be saved.
  private func pendingWrites(
    _ judged: inout JudgedObjects
  ) throws -> (writes: [Write], kept: [GraphObject]) {
    var writes: [Write] = []
    var kept: [GraphObject] = []
    var invalid: [InvalidObject] = []
    for (entity, objects) in context.changes.lists.enumerated() {
      let first = writes.count
      let ends = context.model.linkEnds[entity]
      let layout = context.model.layouts[entity]
      objects.forEachPrefetching { object in
        switch object.phase {
        case .inserted:
          judged.judge(object, entity, ends, &invalid)
          if object.hasBase { kept.append(object) }
          writes.append(write(object, entity, .insert))
        case .updated:
          judged.judge(object, entity, ends, &invalid)
          var mask = object.changedColumns(layout)
          if let hooks { mask.formUnion(hooks.edits(of: object)) }
          if !mask.isEmpty { writes.append(write(object, entity, .update(mask))) }
        case .deleted:
          writes.append(write(object, entity, .delete))
        case .clean, .gone, .lone: break
        }
      }
      sort(&writes, from: first)
    }
    if !invalid.isEmpty { throw GraphError("save", .invalid(invalid)) }
    return (writes, kept)
  }

  private func sort(_ writes: inout [Write], from first: Int) {
    // Most writes are in order already.
    let pairs = writes.indices.dropFirst(first + 1)
    let isSorted = pairs.allSatisfy { writes[$0 - 1].id < writes[$0].id }
    if !isSorted { writes[first...].sort { $0.id < $1.id } }
  }

  /// Returns the write of a changed object.
  ///
  /// Before the store writes, it compares the row with the base, which has the values from before
  /// the edits. An update compares only the columns that it writes, and a deletion compares all
  /// columns. So changes of different properties do not conflict, and changes by any other program
  /// are found.
  private func write(_ object: GraphObject, _ entity: Int, _ kind: Write.WriteKind) -> Write {
    Write(entity: entity, id: object.key, kind: kind, isChecked: true, source: object)
  }
}

extension ConflictingRow {
  var key: RowKey { RowKey(entity: entity, key: id) }
}

extension CommitConflict {
  /// The rows, with the missing ones first.
  ///
  /// A reference that a delete rule set to nil is no conflict if both sides deleted the owner. So
  /// the deletions must be known before other rows are compared.
  var missingFirst: [ConflictingRow] {
    rows.filter { $0.theirs == nil } + rows.filter { $0.theirs != nil }
  }
}

extension ObjectContext {
  /// Updates an object to the row that caused the refusal of a commit.
  func follow(_ row: ConflictingRow, by object: GraphObject) throws {
    if let stored = row.theirs {
      follow(try scratch(row.id, row.entity, stored), by: object)
    } else {
      object.followDeletion()
    }
  }

  /// Returns an object with the values of a row. The object is in no table.
  private func scratch(_ key: Int64, _ entity: Int, _ stored: [StoredValue]) throws -> GraphObject {
    let arena = CellArena(capacity: 1024)
    let row = CellRow(count: stored.count)
    row.load(stored, arena)
    // The row's cells point to the arena's bytes, but do not retain the arena.
    return try withExtendedLifetime(arena) { try table(entity).makeScratch(key, row) }
  }
}
