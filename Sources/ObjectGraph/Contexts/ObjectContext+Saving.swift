extension ObjectContext {
  /// Makes the unsaved changes the parent's, or, of a root context, the store's.
  ///
  /// All of them, or none and an error; then the context is as changed as before. A save ends the
  /// unit of work and the undo history.
  public func save() throws {
    try family.operate {
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
      // Before observers are called: what they change can be undone.
      undoLog?.forget()
    }
  }

  /// Saves here, then in each context above up to the store.
  ///
  /// It stops at the first error. What has been saved up to there stays saved, and is unsaved in
  /// the context it has reached.
  public func saveAll() throws {
    try save()
    try parent?.saveAll()
  }

  /// Forgets all unsaved changes: values are as fetched, new objects are disconnected, deleted ones
  /// are back.
  public func discard() {
    family.operate {
      forget()
      undoLog?.forget()
      endMoment()
    }
  }

  private func forget() {
    var forgotten: [Instance] = []
    defer { relink(forgotten) }
    let listed = self.listed
    self.listed = Array(repeating: [], count: listed.count)
    for object in listed.joined() {
      object.isListed = false
      object.isNew = false
      guard case .table(let table) = object.home else { continue }
      switch object.phase {
      case .inserted where !object.hasBase:
        object.phase = .gone
        if table.isWatched { didChange(object) }
        table.unregister(object)
        forgotten.append(object)
      case .inserted, .updated, .deleted:
        object.phase = .clean
        object.returnToBase()
        catchUp(object, in: table)
        if table.isWatched { didChange(object) }
      case .gone where object.anyBase == nil:
        table.unregister(object)
      case .gone:
        object.forgetBase()
        catchUp(object, in: table)
        if table.isWatched { didChange(object) }
      case .clean, .lone: break
      }
    }
  }

  /// Makes drafts of forgotten new objects, linked as they were.
  private func relink(_ objects: [Instance]) {
    let byPlace = Dictionary(objects.map { (Draft.Place($0), $0) }) { one, _ in one }
    for object in objects {
      for column in object.layout.columns.indices {
        guard let type = object.layout.columns[column].target,
          let key = object.target(of: column)
        else { continue }
        let known = model.index(of: type).flatMap { tables[$0]?.object(key) }
        if let other = byPlace[Draft.Place(type, key)] ?? known {
          Draft.link(object, other)
        } else {
          Draft.leave(object, self)
        }
      }
    }
  }

  /// Throws all that forbids a save, of all objects.
  private func validate() throws {
    var invalid: [InvalidObject] = []
    for objects in listed {
      for object in objects where object.phase == .inserted || object.phase == .updated {
        Self.validate(object, &invalid)
      }
    }
    if !invalid.isEmpty { throw GraphError("save", .invalid(invalid)) }
  }

  private static func validate(_ object: Instance, _ invalid: inout [InvalidObject]) {
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
    var pending = try pendingWrites()
    if !pending.kept.isEmpty {
      for object in pending.kept {
        if case .table(let table) = object.home { try reconsider(object, in: table) }
      }
      endMoment()
      pending = try pendingWrites()
    }
    var attempts = 0
    while !pending.writes.isEmpty {
      do {
        try store.commit(pending.writes, from: inbox)
        break
      } catch let conflict as CommitConflict {
        attempts += 1
        // Whoever changes the same rows eight times between two tries is not going to stop.
        guard attempts < 8 else { throw refused(conflict) }
        try settle(conflict)
        pending = try pendingWrites()
      }
    }
    // A policy may have read meanwhile.
    endMoment()
    becomeClean()
  }

  /// What differs from the store, in order of ids, which is the order of making, and what was kept
  /// over a deletion; or all that forbids to write it.
  private func pendingWrites() throws -> (writes: [Write], kept: [Instance]) {
    var writes: [Write] = []
    var kept: [Instance] = []
    var invalid: [InvalidObject] = []
    for (entity, objects) in listed.enumerated() {
      let first = writes.count
      objects.forEachAhead { object in
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
    // Mostly they are in order.
    let isSorted =
      (first + 1 < writes.count)
      ? (first + 1..<writes.count).allSatisfy { writes[$0 - 1].id < writes[$0].id } : true
    if !isSorted { writes[first...].sort { $0.id < $1.id } }
  }

  private func write(_ object: Instance, _ entity: Int, _ kind: Write.Kind) -> Write {
    Write(entity: entity, id: object.key, kind: kind, isChecked: true, source: object)
  }

  private func refused(_ conflict: CommitConflict) -> GraphError {
    GraphError(
      "save",
      .conflict(
        conflict.rows.map {
          ConflictReport(object: "\(model.layouts[$0.entity].name)/\($0.id)", properties: [])
        }))
  }

  /// Lets the policy decide each row; with the policy `.error`, throws them all in one error.
  private func settle(_ conflict: CommitConflict) throws {
    var reports: [ConflictReport] = []
    for row in conflict.rows {
      guard let object = tables[row.entity]?.object(row.id) else { continue }
      do {
        try settle(object, with: row)
      } catch let error as GraphError {
        guard case .conflict(let more) = error.reason else { throw error }
        reports += more
      }
    }
    if !reports.isEmpty { throw GraphError("save", .conflict(reports)) }
  }

  private func settle(_ object: Instance, with row: CommitConflict.Row) throws {
    guard let stored = row.theirs else { return try settleMissing(object) }
    let theirs = try scratch(row.id, row.entity, stored)
    if object.phase == .deleted {
      try settleDeletion(of: object, with: theirs)
    } else {
      try merge(object, with: theirs)
    }
  }

  /// The row is gone from the store.
  private func settleMissing(_ object: Instance) throws {
    if object.phase == .deleted {
      // Both deleted it.
      object.phase = .gone
      return
    }
    let ending = try decision(of: object, columns: [], theirs: nil)
    switch ending {
    case .theirs:
      object.phase = .gone
    case .value(let value):
      try object.accept(value)
      fallthrough
    case .mine:
      // It remembers what it was, should it be there again or this save fail.
      object.phase = .inserted
    }
    if case .table(let table) = object.home, table.isWatched { didChange(object) }
  }

  /// An object of nobody's that holds a row.
  func scratch(_ key: Int64, _ entity: Int, _ stored: [Stored]) throws -> Instance {
    let arena = CellArena(capacity: 1024)
    let row = stored.map { $0.cell(in: arena) }
    return try row.withUnsafeBufferPointer { row in
      try table(entity).makeScratch(key, row.baseAddress ?? UnsafePointer(cells))
    }
  }

  private func becomeClean() {
    let saved = listed
    listed = Array(repeating: [], count: listed.count)
    for objects in saved {
      objects.forEachAhead { becomeClean($0) }
    }
  }

  private func becomeClean(_ object: Instance) {
    object.isListed = false
    object.isNew = false
    switch object.phase {
    case .inserted, .updated:
      let isOutdated = object.isOutdated
      object.phase = .clean
      object.forgetBase()
      if isOutdated, case .table(let table) = object.home {
        catchUp(object, in: table)
        didChange(object)
      }
    case .deleted:
      object.phase = .gone
      object.forgetBase()
    case .clean, .gone, .lone: break
    }
  }
}
