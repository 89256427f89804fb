/// One save of a child's unsaved changes into its parent's objects.
///
/// All steps that can fail come first, so that a save that throws leaves the parent unchanged.
struct ParentSave {
  private let child: ObjectContext
  private let parent: ObjectContext

  init(of child: ObjectContext, to parent: ObjectContext) {
    self.child = child
    self.parent = parent
  }

  func run(_ judged: inout JudgedObjects) throws {
    let decisions = Decisions()
    let hasDeletions = try decisions.keeping(in: child) {
      try child.validate(&judged)
      return try check(decisions)
    }
    judged.forget(decisions.objects)
    parent.sweepChildren()
    parent.group {
      // Deletions are saved first. Other contexts can then tell which references a delete rule has
      // set to nil.
      if hasDeletions { pushDeletions(decisions) }
      push(decisions)
    }
    // Lists and child contexts are notified after all steps that can throw, so that a failed save
    // changes nothing in them.
    decisions.tell(in: child)
  }

  /// Applies the conflict policy to all objects in conflict. Returns whether there are deletions to
  /// save.
  private func check(_ decisions: Decisions) throws -> Bool {
    var reports: [ConflictReport] = []
    var hasDeletions = false
    child.announceKept()
    for (entity, objects) in child.changes.lists.enumerated() {
      for object in objects {
        if object.isContested {
          try reports.collect { try child.decide(object, decisions) }
        } else if object.phase == .inserted {
          try checkInsertion(of: object, entity, decisions)
        }
        if object.phase == .deleted { hasDeletions = true }
      }
    }
    if !reports.isEmpty { throw GraphError("save to the parent", .conflict(reports)) }
    return hasDeletions
  }

  private func checkInsertion(
    of object: GraphObject, _ entity: Int, _ decisions: Decisions
  ) throws {
    if object.hasBase {
      try child.reconsider(object, decisions)
    } else if let above = child.known(object.key, entity), !above.isDeleted {
      throw GraphError("insert \(object.reference)", .idTaken(object.reference))
    }
  }

  private func pushDeletions(_ decisions: Decisions) {
    for (entity, objects) in child.changes.lists.enumerated() {
      let layout = child.model.layouts[entity]
      for object in objects where object.phase == .deleted {
        push(object, layout, parent.table(entity), decisions)
      }
    }
  }

  private func push(_ decisions: Decisions) {
    for (entity, objects) in child.takeChanges().enumerated() where !objects.isEmpty {
      let above = parent.table(entity)
      above.dropIndexes()
      child.usedTable(entity)?.dropIndexes()
      let layout = child.model.layouts[entity]
      for object in objects { push(object, layout, above, decisions) }
    }
  }

  /// Saves one object. Its layout is passed, because looking it up takes a tenth of the time (`child
  /// save`).
  private func push(
    _ object: GraphObject, _ layout: Layout, _ above: AnyTable, _ decisions: Decisions
  ) {
    object.isListed = false
    if object.phase != .gone { object.isNew = false }
    guard case .table = object.home else { return }
    switch object.phase {
    case .inserted:
      parent.receiveInsertion(object, decisions, in: above)
      object.phase = .clean
    case .updated:
      let changed = object.changedColumns(layout)
      if !changed.isEmpty { parent.receiveUpdate(object, changed, in: above, from: child) }
      object.phase = .clean
    case .deleted:
      if !object.isContested { parent.receiveDeletion(object, in: above) }
      object.phase = .gone
    case .clean, .gone, .lone: break
    }
    object.forgetBase()
  }
}

extension ObjectContext {
  fileprivate func receiveInsertion(
    _ object: GraphObject, _ decisions: Decisions, in table: AnyTable
  ) {
    let known = table.object(object.key)
    let mine = known ?? table.copy(object)
    if known == nil { undoLog?.recordInsertion(mine) } else { willChange(mine) }
    if mine.phase == .deleted, !mine.isDeletedTwice {
      // The deletion was not saved yet, so the row still exists. What was edited before the deletion
      // is no edit of the object that was put back, but its values differ.
      let differing = object.withMemory { one in
        mine.withMemory { object.layout.difference(one, $0) }
      }
      let edited = differing.subtracting(mine.contest?.columns ?? ColumnMask())
      mine.revertDeletion(for: object, decisions.edits(of: object).union(edited))
      object.copyValue(of: mine)
    } else {
      let isNew = mine.wasNeverSaved || !object.hasBase
      mine.copyValue(of: object)
      mine.forgetBase()
      // An object that exists again after a deletion above has a base, which the copy needs.
      if !isNew { mine.shareBase(of: object) }
      mine.phase = .inserted
      mine.isNew = isNew
    }
    noteChange(mine, in: table)
    if table.isWatched { didChange(mine) }
  }

  fileprivate func receiveUpdate(
    _ object: GraphObject, _ changed: ColumnMask, in table: AnyTable, from child: ObjectContext
  ) {
    let mine = table.object(object.key) ?? copyAsFetched(object, in: table)
    willChange(mine)
    switch mine.phase {
    case .clean:
      // The child's base equals the value here, because the child follows each change.
      mine.take(changed, of: object)
      mine.shareBase(of: object)
      mine.phase = .updated
      noteChange(mine, in: table)
    case .inserted, .updated:
      mine.take(changed, of: object)
      if let emptied = object.base?.emptied { mine.base?.emptied.formUnion(emptied) }
    case .deleted, .gone:
      // The policy decided to keep the child's value and not the deletion.
      if mine.phase == .deleted {
        mine.revertDeletion(for: object, changed)
      } else {
        mine.shareBase(of: object)
        mine.phase = .inserted
        mine.copyValue(of: object)
      }
      noteChange(mine, in: table)
    case .lone: break
    }
    if table.isWatched { didChange(mine, in: table, except: child) }
  }

  fileprivate func receiveDeletion(_ object: GraphObject, in table: AnyTable) {
    markDeleted(table.object(object.key) ?? copyAsFetched(object, in: table))
  }

  /// Copies a child's object into the given table, and returns the copy. The copy has the value
  /// from before the child's edits.
  func copyAsFetched(_ object: GraphObject, in table: AnyTable) -> GraphObject {
    let copy = table.copy(object)
    copy.copyBase(of: object)
    return copy
  }
}
