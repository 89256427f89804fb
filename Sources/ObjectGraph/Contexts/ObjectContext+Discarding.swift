extension ObjectContext {
  /// Discards all unsaved changes. Edited properties get the values that the context last took from
  /// the parent or the store. New objects become disconnected, and deleted objects are restored.
  ///
  /// - Complexity: Linear in the number of changed objects.
  public func discard() {
    guard permits("discard") else { return }
    family.operation.run {
      forget()
      undoLog?.forget()
      ledger?.forgetHanded()
      didEmptyChanges()
      session.endMoment()
    }
  }

  private func forget() {
    dropIndexes()
    let listed = takeChanges()
    announceOwners(of: listed.joined())
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
    witness(object)
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
        let known = model.index(of: type).flatMap { held(key, $0) }
        if let other = byPlace[Draft.DraftKey(type, key)] ?? known {
          Draft.link(object, other)
        } else {
          Draft.leave(object, self)
        }
      }
    }
  }
}
