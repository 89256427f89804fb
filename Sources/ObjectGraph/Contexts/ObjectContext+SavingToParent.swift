extension ObjectContext {
  /// Saves the unsaved changes into the parent's objects.
  ///
  /// All steps that can fail come first, so that a save that throws leaves the parent unchanged.
  func save(to parent: ObjectContext) throws {
    let hasDeletions = try resolveConflicts(with: parent)
    parent.sweepChildren()
    parent.group {
      // Deletions are saved first. Other contexts can then tell which references a delete rule has
      // set to nil.
      if hasDeletions { pushDeletions(to: parent) }
      push(to: parent)
    }
  }

  private func pushDeletions(to parent: ObjectContext) {
    for (entity, objects) in listed.enumerated() {
      for object in objects where object.phase == .deleted {
        push(object, to: parent, parent.table(entity))
      }
    }
  }

  private func push(to parent: ObjectContext) {
    let saved = listed
    listed = Array(repeating: [], count: listed.count)
    for (entity, objects) in saved.enumerated() where !objects.isEmpty {
      let above = parent.table(entity)
      above.dropIndexes()
      tables[entity]?.dropIndexes()
      for object in objects { push(object, to: parent, above) }
    }
  }

  private func push(_ object: GraphObject, to parent: ObjectContext, _ above: AnyTable) {
    object.isListed = false
    if object.phase != .gone { object.isNew = false }
    guard case .table = object.home else { return }
    switch object.phase {
    case .inserted:
      parent.receiveInsertion(object, in: above)
      object.phase = .clean
    case .updated:
      let changed = object.changedColumns
      if !changed.isEmpty { parent.receiveUpdate(object, changed, in: above, from: self) }
      object.phase = .clean
    case .deleted:
      if !object.isContested { parent.receiveDeletion(object, in: above) }
      object.phase = .gone
    case .clean, .gone, .lone: break
    }
    object.forgetBase()
  }

  /// Applies the conflict policy to all objects in conflict. Returns whether there are deletions to
  /// save.
  private func resolveConflicts(with parent: ObjectContext) throws -> Bool {
    var reports: [ConflictReport] = []
    var hasDeletions = false
    announceKept()
    for (entity, objects) in listed.enumerated() {
      for object in objects {
        if object.isContested {
          try collect(&reports) { try decide(object) }
        } else if object.phase == .inserted {
          try checkInsertion(of: object, entity)
        }
        if object.phase == .deleted { hasDeletions = true }
      }
    }
    if !reports.isEmpty { throw GraphError("save to the parent", .conflict(reports)) }
    return hasDeletions
  }

  private func checkInsertion(of object: GraphObject, _ entity: Int) throws {
    if object.hasBase {
      if case .table(let table) = object.home { try reconsider(object, in: table) }
    } else if let above = known(object.key, entity), !above.isDeleted {
      throw GraphError("insert \(object.reference)", .idTaken(object.reference))
    }
  }

  private func receiveInsertion(_ object: GraphObject, in table: AnyTable) {
    let known = table.object(object.key)
    let mine = known ?? table.copy(object)
    if known == nil { undoLog?.recordInsertion(mine) } else { willChange(mine) }
    if mine.phase == .deleted, !mine.isDeletedTwice {
      // The deletion was not saved yet, so the row still exists.
      mine.revertDeletion(for: object)
    } else {
      mine.copyValue(of: object)
      mine.forgetBase()
      // If the policy kept the object after a deletion above, the copy needs the object's base.
      mine.shareBase(of: object)
      mine.phase = .inserted
      mine.isNew = !object.hasBase
    }
    list(mine, in: table)
    if table.isWatched { didChange(mine) }
  }

  private func receiveUpdate(
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
      list(mine, in: table)
    case .inserted, .updated:
      mine.take(changed, of: object)
      if let emptied = object.base?.emptied { mine.base?.emptied.formUnion(emptied) }
    case .deleted, .gone:
      // The policy decided to keep the child's value and not the deletion.
      if mine.phase == .deleted {
        mine.revertDeletion(for: object)
      } else {
        mine.shareBase(of: object)
        mine.phase = .inserted
        mine.copyValue(of: object)
      }
      list(mine, in: table)
    case .lone: break
    }
    if table.isWatched { didChange(mine, in: table, except: child) }
  }

  private func receiveDeletion(_ object: GraphObject, in table: AnyTable) {
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
