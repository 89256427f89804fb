extension ObjectContext {
  /// Merges the unsaved changes into the parent's objects.
  ///
  /// First everything that can fail, then everything that cannot.
  func save(to parent: ObjectContext) throws {
    try settle(with: parent)
    for object in listed.joined() {
      guard case .table(let table) = object.home else { continue }
      let above = parent.table(table.entity)
      switch object.phase {
      case .inserted:
        parent.receiveInsertion(object, in: above)
        object.phase = .clean
      case .updated:
        parent.receiveUpdate(object, in: above)
        object.phase = .clean
      case .deleted:
        parent.receiveDeletion(object, in: above)
        object.phase = .gone
      case .clean, .gone, .lone: break
      }
      object.forgetBase()
      object.isListed = false
    }
    listed = Array(repeating: [], count: listed.count)
  }

  /// Lets the policy decide what both contexts changed.
  private func settle(with parent: ObjectContext) throws {
    var reports: [ConflictReport] = []
    for object in listed.joined() where object.covers {
      guard case .table(let table) = object.home,
        let above = parent.tables[table.entity]?.object(object.key)
      else { continue }
      do {
        try settle(object, above: above)
      } catch let error as GraphError {
        guard case .conflict(let more) = error.reason else { throw error }
        reports += more
      }
    }
    if !reports.isEmpty { throw GraphError("save to the parent", .conflict(reports)) }
  }

  private func settle(_ object: Instance, above: Instance) throws {
    switch (object.phase, above.phase) {
    case (.inserted, .clean), (.inserted, .inserted), (.inserted, .updated):
      throw GraphError("insert \(object.reference)", .idTaken(object.reference))
    case (.updated, .clean), (.updated, .inserted), (.updated, .updated):
      try settle(object, with: above)
    case (.updated, .deleted), (.updated, .gone):
      switch try decision(of: object, columns: [], theirs: nil) {
      case .theirs:
        object.phase = .gone
        object.forgetBase()
      case .mine: break
      case .value(let value): _ = object.take(value)
      }
    default: break
    }
  }

  private func receiveInsertion(_ object: Instance, in table: AnyTable) {
    let mine = table.object(object.key) ?? table.copy(object)
    if table.isWatched { willChange(mine) }
    mine.copyValue(of: object)
    mine.forgetBase()
    mine.phase = .inserted
    list(mine, in: table)
    if table.isWatched { didChange(mine) }
  }

  private func receiveUpdate(_ object: Instance, in table: AnyTable) {
    guard let mine = table.object(object.key) else {
      let mine = table.copy(object)
      mine.keepBase(asBaseOf: object)
      mine.phase = .updated
      list(mine, in: table)
      if table.isWatched { didChange(mine) }
      return
    }
    if table.isWatched { willChange(mine) }
    switch mine.phase {
    case .clean:
      mine.keepBase()
      mine.copyValue(of: object)
      mine.phase = .updated
      list(mine, in: table)
    case .inserted, .updated:
      mine.copyValue(of: object)
    case .deleted, .gone:
      // The policy decided that the child's value wins over the deletion.
      mine.phase = mine.phase == .deleted ? .updated : .inserted
      mine.copyValue(of: object)
      list(mine, in: table)
    case .lone: break
    }
    if table.isWatched { didChange(mine) }
  }

  private func receiveDeletion(_ object: Instance, in table: AnyTable) {
    let mine: Instance
    if let known = table.object(object.key) {
      mine = known
    } else {
      mine = table.copy(object)
      mine.copyBase(of: object)
    }
    markDeleted(mine)
  }
}
