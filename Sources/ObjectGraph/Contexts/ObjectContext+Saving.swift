extension ObjectContext {
  /// Saves the unsaved changes into the parent context or, if this is a root, into the store.
  ///
  /// If a save throws, nothing is saved and the context has the same changes as before. The
  /// decisions of the policy are taken back too, and the next save asks the policy again.
  ///
  /// A successful save ends the undo history. After a save into the store, reads see the store's
  /// newest state.
  ///
  /// - Complexity: Linear in the number of changed objects.
  public func save() throws {
    try naming { try readingToEnd { try family.operate { try saveOnce() } } }
  }

  private func saveOnce() throws {
    defer { undecided = [:] }
    do {
      if let parent {
        try validate()
        try save(to: parent)
      } else {
        try saveToStore()
      }
    } catch {
      for object in undecided.values { object.restore(in: self) }
      throw error
    }
    // Lists and child contexts are notified after all steps that can throw, so that a failed save
    // changes nothing in them.
    for object in undecided.values { object.tellDecided(in: self) }
    // The undo history ends before observers are called, so that their changes can be undone.
    undoLog?.forget()
  }

  /// Saves this context, then each context above it up to the store.
  ///
  /// Saving stops at the first error. Changes that have already reached a context above stay there,
  /// unsaved.
  ///
  /// - Complexity: Linear in the number of changed objects of all these contexts.
  public func saveAll() throws {
    try save()
    try parent?.saveAll()
  }

  /// Discards all unsaved changes. Edited properties get the values that the context last took from
  /// the parent or the store. New objects become disconnected, and deleted objects are restored.
  ///
  /// - Complexity: Linear in the number of changed objects.
  public func discard() {
    family.operate {
      forget()
      undoLog?.forget()
      endMoment()
    }
  }

  private func forget() {
    for table in tables.all { table.dropIndexes() }
    let listed = self.listed
    announceOwners(of: listed.joined())
    self.listed = Array(repeating: [], count: listed.count)
    // New and deleted objects are discarded first. The contexts below can then tell which
    // references a delete rule has set to nil.
    let new = listed.joined().filter { $0.phase == .inserted }
    for object in new { forget(object) }
    for object in listed.joined() where object.phase == .deleted { forget(object) }
    for object in listed.joined() where object.isListed { forget(object) }
    relink(new.filter { if case .nowhere = $0.home { true } else { false } })
  }

  private func forget(_ object: GraphObject) {
    object.isListed = false
    guard case .table(let table) = object.home else { return }
    let wasNeverSaved = object.wasNeverSaved
    object.isNew = false
    switch object.phase {
    case .inserted where !object.hasBase:
      object.phase = .gone
      if table.isWatched { didChange(object) }
      table.unregister(object)
    case .inserted, .updated, .deleted:
      let isGone = object.phase == .inserted || object.contest?.isGone ?? false
      object.returnToBase()
      object.phase = isGone ? .gone : .clean
      if table.isWatched { didChange(object) }
    case .gone where wasNeverSaved: table.unregister(object)
    case .gone: object.forgetBase()
    case .clean, .lone: break
    }
  }

  /// Puts discarded new objects into drafts, with the same links as before.
  private func relink(_ objects: [GraphObject]) {
    let byPlace = Dictionary(objects.map { (Draft.DraftKey($0), $0) }) { one, _ in one }
    for object in objects {
      for column in object.layout.columns.indices {
        guard let type = object.layout.columns[column].target,
          let key = object.target(of: column)
        else { continue }
        let known = model.index(of: type).flatMap { tables[$0]?.object(key) }
        if let other = byPlace[Draft.DraftKey(type, key)] ?? known {
          Draft.link(object, other)
        } else {
          Draft.leave(object, self)
        }
      }
    }
  }

  /// Throws an error if new or changed objects must not be saved. The error has the problems of all
  /// these objects.
  private func validate() throws {
    var invalid: [InvalidObject] = []
    for objects in listed {
      for object in objects where object.phase == .inserted || object.phase == .updated {
        Self.validate(object, &invalid)
      }
    }
    if !invalid.isEmpty { throw GraphError("save", .invalid(invalid)) }
  }

  private static func validate(_ object: GraphObject, _ invalid: inout [InvalidObject]) {
    let problems = object.problems
    guard !problems.isEmpty else { return }
    invalid.append(InvalidObject(object: object.reference, problems: problems))
  }

  private func saveToStore() throws {
    guard let store else {
      if !hasUnsavedChanges { return }
      throw GraphError("save a draft", .disconnected("a draft's object"))
    }
    endMoment()
    try mergeUnknownRows()
    try decideContested()
    var pending = try pendingWrites()
    if !pending.kept.isEmpty {
      try forEachExpecting(pending.kept, objects: { [$0] }) { object in
        if case .table(let table) = object.home { try reconsider(object, in: table) }
      }
      endMoment()
      pending = try pendingWrites()
    }
    let written = try commit(pending.writes, to: store)
    // A closure of the policy may have read, which begins a moment.
    endMoment()
    becomeClean()
    mergeSavedRows(of: written)
  }

  /// Merges rows that others have changed too: the rows of saved objects, and the rows of objects
  /// about which the policy has decided. The context then shows the stored values.
  private func mergeSavedRows(of writes: [Write]) {
    if let inbox, !inbox.isEmpty { queueForMerge(inbox.take(), inMoment: false) }
    guard !family.unmerged.isEmpty else { return }
    let written = writes.compactMap { tables[$0.entity]?.object($0.id) }
    let changed = (written + undecided.values.map(\.object)).filter { object in
      if case .table(let table) = object.home {
        family.unmerged.contains(object.key, table.entity)
      } else {
        false
      }
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

  /// Commits writes to the store. If another commit has changed the rows, applies the conflict
  /// policy and tries again. The eighth conflict is thrown as an error. Returns the writes that
  /// were committed.
  private func commit(_ first: [Write], to store: any ObjectStore) throws -> [Write] {
    var writes = first
    var tries = 0
    while !writes.isEmpty {
      tries += 1
      do {
        // After two conflicts, a policy that runs no code of the app is applied inside the commit.
        // No other context or process can write at that time.
        if tries > 2, conflictPolicy.isFixed {
          try store.commit(writes, from: inbox) {
            writes = try self.writes(after: $0)
            return writes
          }
        } else {
          try store.commit(writes, from: inbox, resolving: nil)
        }
        return writes
      } catch let conflict as CommitConflict {
        if tries == 8 { throw GraphError("save", .overtaken(contested(by: conflict))) }
        writes = try self.writes(after: conflict)
      } catch let error as GraphError where error.leavesOutcomeUnknown {
        noteUnknown(writes)
        throw error
      }
    }
    return []
  }

  private func writes(after conflict: CommitConflict) throws -> [Write] {
    try resolve(conflict)
    return try pendingWrites().writes
  }

  /// Returns the writes of all changes, and the kept objects. A kept object was deleted in the
  /// store, and the policy decided to insert it again.
  ///
  /// The writes of an entity are in the order of ids, which is the order in which the objects were
  /// created.
  ///
  /// - Throws: An error with the problems of all objects that must not be saved.
  private func pendingWrites() throws -> (writes: [Write], kept: [GraphObject]) {
    var writes: [Write] = []
    var kept: [GraphObject] = []
    var invalid: [InvalidObject] = []
    for (entity, objects) in listed.enumerated() {
      let first = writes.count
      objects.forEachPrefetching { object in
        switch object.phase {
        case .inserted:
          Self.validate(object, &invalid)
          if object.hasBase { kept.append(object) }
          writes.append(write(object, entity, .insert))
        case .updated:
          Self.validate(object, &invalid)
          let mask = object.changedColumns
          if !mask.isEmpty { writes.append(write(object, entity, .update(mask))) }
        case .deleted:
          writes.append(write(object, entity, .delete))
        case .clean, .gone, .lone: break
        }
      }
      Self.sort(&writes, from: first)
    }
    if !invalid.isEmpty { throw GraphError("save", .invalid(invalid)) }
    return (writes, kept)
  }

  private static func sort(_ writes: inout [Write], from first: Int) {
    // Most writes are in order already.
    let isSorted =
      (first + 1 < writes.count)
      ? (first + 1..<writes.count).allSatisfy { writes[$0 - 1].id < writes[$0].id } : true
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

  /// Compares the current row in the store with each object that was in conflict before the save.
  /// Then applies the conflict policy to the object.
  ///
  /// - Throws: One error with all conflicts, if the policy is `.error`.
  private func decideContested() throws {
    guard listed.joined().contains(where: \.isContested) else { return }
    var reports: [ConflictReport] = []
    func rows(_ object: GraphObject) -> [GraphObject] { object.phase == .inserted ? [] : [object] }
    try forEachExpecting(listed.joined().filter(\.isContested), objects: rows) { object in
      guard object.isContested else { return }
      try compareWithRow(object)
      try collect(&reports) { try decide(object) }
    }
    guard !reports.isEmpty else { return }
    // The error also names the conflicts of the other changed objects, as an error of the commit
    // would.
    let others = listed.joined().filter { $0.covers && !$0.isContested }
    try forEachExpecting(others, objects: rows) { object in
      try compareWithRow(object)
      if object.isContested, !object.isDeletedTwice { reports.append(report(object)) }
    }
    throw GraphError("save", .conflict(reports))
  }

  /// Compares a changed object with its current row in the store. A property that is edited here
  /// and was changed in the row becomes contested.
  private func compareWithRow(_ object: GraphObject) throws {
    guard case .table(let table) = object.home, object.phase != .inserted else { return }
    note(object)
    guard let reader = try currentReader() else { return }
    if try reader.row(object.key, of: table.entity, into: cells) {
      follow(try table.makeScratch(object.key, cells), by: object)
    } else {
      object.followDeletion()
    }
  }

  /// Applies the conflict policy to the objects of the rows that caused the refusal of a commit.
  ///
  /// - Throws: One error with all conflicts, if the policy is `.error`.
  private func resolve(_ conflict: CommitConflict) throws {
    var reports: [ConflictReport] = []
    for object in try contest(conflict) { try collect(&reports) { try decide(object) } }
    if !reports.isEmpty { throw GraphError("save", .conflict(reports)) }
  }

  /// Returns the objects and properties in conflict after the last refused commit. The error of a
  /// save that gives up names them.
  private func contested(by conflict: CommitConflict) -> [ConflictReport] {
    do {
      return try contest(conflict).filter { !$0.isDeletedTwice }.map(report)
    } catch {
      return conflict.rows.map {
        ConflictReport(object: model.name($0.entity, $0.id), properties: [])
      }
    }
  }

  /// Compares the rows that caused the refusal of a commit with the objects of these rows. Returns
  /// the objects.
  private func contest(_ conflict: CommitConflict) throws -> [GraphObject] {
    // Missing rows come first. A reference that a delete rule set to nil is no conflict if both
    // sides deleted the owner, so the deletions must be recorded first.
    let rows = conflict.rows.filter { $0.theirs == nil } + conflict.rows.filter { $0.theirs != nil }
    return try rows.compactMap { row -> GraphObject? in
      guard let object = tables[row.entity]?.object(row.id) else { return nil }
      note(object)
      if let stored = row.theirs {
        follow(try scratch(row.id, row.entity, stored), by: object)
      } else {
        object.followDeletion()
      }
      return object
    }
  }

  /// Returns an object with the values of a row. The object is in no table.
  func scratch(_ key: Int64, _ entity: Int, _ stored: [StoredValue]) throws -> GraphObject {
    let arena = CellArena(capacity: 1024)
    let row = CellRow(count: stored.count)
    row.load(stored, arena)
    // The row's cells point to the arena's bytes, but do not retain the arena.
    return try withExtendedLifetime(arena) { try table(entity).makeScratch(key, row) }
  }

  private func becomeClean() {
    for table in tables.all { table.dropIndexes() }
    let saved = listed
    listed = Array(repeating: [], count: listed.count)
    for objects in saved {
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
