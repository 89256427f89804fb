extension ObjectContext {
  /// Marks one object as deleted, and leaves the objects that refer to it unchanged.
  func markDeleted(_ object: GraphObject) {
    guard case .table(let table) = object.home else { return }
    undoLog?.record(object)
    switch object.phase {
    case .inserted:
      object.phase = .gone
    case .clean, .updated:
      if object.phase == .clean { object.keepBase() }
      object.buryEdits()
      noteChange(object, in: table)
    case .deleted, .gone, .lone:
      return
    }
    if table.isWatched { didChange(object) }
  }
}
