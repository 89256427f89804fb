extension ObjectContext {
  /// Merges the unsaved changes into the parent's objects.
  ///
  /// First everything that can fail, then everything that cannot.
  func save(to parent: ObjectContext) throws {
    try settle(with: parent)
    parent.sweepChildren()
    parent.group { push(to: parent) }
  }

  private func push(to parent: ObjectContext) {
    let saved = listed
    listed = Array(repeating: [], count: listed.count)
    for (entity, objects) in saved.enumerated() where !objects.isEmpty {
      let above = parent.table(entity)
      for object in objects { push(object, to: parent, above) }
    }
  }

  private func push(_ object: Instance, to parent: ObjectContext, _ above: AnyTable) {
    object.isListed = false
    object.isNew = false
    guard case .table = object.home else { return }
    switch object.phase {
    case .inserted:
      parent.receiveInsertion(object, in: above)
      object.phase = .clean
    case .updated where object.isOutdated && above.object(object.key) == nil:
      parent.receiveInsertion(object, in: above)
      object.phase = .clean
    case .updated:
      parent.receiveUpdate(object, in: above, from: self)
      object.phase = .clean
    case .deleted:
      parent.receiveDeletion(object, in: above)
      object.phase = .gone
    case .clean, .gone, .lone: break
    }
    object.forgetBase()
  }

  /// Lets the policy decide what both contexts changed.
  private func settle(with parent: ObjectContext) throws {
    var reports: [ConflictReport] = []
    for (entity, objects) in listed.enumerated() {
      for object in objects where object.covers {
        do {
          try settle(object, entity)
        } catch let error as GraphError {
          guard case .conflict(let more) = error.reason else { throw error }
          reports += more
        }
      }
    }
    if !reports.isEmpty { throw GraphError("save to the parent", .conflict(reports)) }
  }

  private func settle(_ object: Instance, _ entity: Int) throws {
    // What is not outdated began with what is above: see `checkInvariants`.
    if object.phase == .updated, !object.isOutdated { return }
    guard case .table(let table) = object.home else { return }
    if object.phase == .inserted, object.hasBase {
      try reconsider(object, in: table)
    } else if object.isOutdated {
      try settle(object, with: above(object.key, entity))
    } else if let above = known(object.key, entity) {
      try settle(object, with: above)
    }
  }

  /// Compares what was changed with what is above by now; nil if that is gone.
  private func settle(_ object: Instance, with above: Instance?) throws {
    guard let above, !above.isDeleted else { return try settleMissing(object) }
    switch object.phase {
    case .inserted:
      throw GraphError("insert \(object.reference)", .idTaken(object.reference))
    case .updated:
      if object.isBased(on: above) {
        object.isOutdated = false
      } else {
        try merge(object, with: above)
      }
    case .deleted: if !object.isBased(on: above) { try settleDeletion(of: object, with: above) }
    case .clean, .gone, .lone: break
    }
  }

  private func settleMissing(_ object: Instance) throws {
    guard object.phase != .inserted else { return }
    guard object.phase == .updated else {
      // Both deleted it.
      object.phase = .gone
      return
    }
    switch try decision(of: object, columns: [], theirs: nil) {
    case .theirs:
      // It remembers what it was, should this save fail.
      object.phase = .gone
    case .mine: break
    case .value(let value): try object.accept(value)
    }
    // What is left is new to the parent.
    object.isOutdated = true
    didChange(object)
  }

  private func receiveInsertion(_ object: Instance, in table: AnyTable) {
    let known = table.object(object.key)
    let mine = known ?? table.copy(object)
    if known == nil { undoLog?.recordInsertion(mine) } else { willChange(mine) }
    mine.copyValue(of: object)
    if mine.phase == .deleted {
      // Its row is still there.
      mine.phase = .updated
    } else {
      mine.forgetBase()
      // One that is kept although it was deleted above remembers what it was.
      mine.shareBase(of: object)
      mine.phase = .inserted
      mine.isNew = !object.hasBase
    }
    list(mine, in: table)
    if table.isWatched { didChange(mine) }
  }

  private func receiveUpdate(_ object: Instance, in table: AnyTable, from child: ObjectContext) {
    let mine = table.object(object.key) ?? copyAsFetched(object, in: table)
    willChange(mine)
    switch mine.phase {
    case .clean:
      // What the child began with is what is here: it was settled.
      mine.copyChanges(of: object)
      mine.shareBase(of: object)
      mine.phase = .updated
      list(mine, in: table)
    case .inserted, .updated:
      mine.copyChanges(of: object)
    case .deleted, .gone:
      // The policy decided that the child's value wins over the deletion.
      if mine.phase == .gone { mine.shareBase(of: object) }
      mine.phase = mine.phase == .deleted ? .updated : .inserted
      mine.copyValue(of: object)
      list(mine, in: table)
    case .lone: break
    }
    if table.isWatched { didChange(mine, in: table, except: child) }
  }

  private func receiveDeletion(_ object: Instance, in table: AnyTable) {
    markDeleted(table.object(object.key) ?? copyAsFetched(object, in: table))
  }

  /// The child's object as it was before the child changed it.
  private func copyAsFetched(_ object: Instance, in table: AnyTable) -> Instance {
    let copy = table.copy(object)
    copy.copyBase(of: object)
    return copy
  }
}
