/// The undo history of a context: the states that objects had before each change, in groups. A save
/// or discard empties it.
final class UndoLog {
  private var done: [[ObjectState]] = []
  private var undone: [[ObjectState]] = []
  private var open: [ObjectState]?
  private var depth = 0

  var canUndo: Bool { !done.isEmpty }
  var canRedo: Bool { !undone.isEmpty }

  /// Records the state of an object before it changes.
  func record(_ object: GraphObject) { add(ObjectState(object)) }

  /// Records that an object did not exist before its insertion.
  func recordInsertion(_ object: GraphObject) { add(ObjectState(object, as: .gone)) }

  private func add(_ step: ObjectState) {
    undone.removeAll()
    if open == nil { done.append([step]) } else { open?.append(step) }
  }

  func beginGroup() {
    depth += 1
    if depth == 1 { open = [] }
  }

  func endGroup() {
    // If the log was created inside a group, `beginGroup` was not called for that group.
    guard depth > 0 else { return }
    depth -= 1
    guard depth == 0, let group = open else { return }
    open = nil
    if !group.isEmpty { done.append(group) }
  }

  func undo(in context: ObjectContext) {
    // If a group is open, its changes so far are undone. Its later changes then form the rest of
    // the group.
    if let group = open, !group.isEmpty {
      done.append(group)
      open = []
    }
    guard let group = done.popLast() else { return }
    undone.append(Self.swap(group, in: context))
  }

  func redo(in context: ObjectContext) {
    guard let group = undone.popLast() else { return }
    done.append(Self.swap(group, in: context))
  }

  func forget() {
    done.removeAll()
    undone.removeAll()
    if open != nil { open = [] }
  }

  /// Restores the oldest recorded state of each object in a group, in the reverse order of the
  /// changes. Returns the states that the objects had before the call.
  private static func swap(_ group: [ObjectState], in context: ObjectContext) -> [ObjectState] {
    var seen: Set<ObjectIdentifier> = []
    // Only the oldest state is restored, so lists and child contexts are not notified of later
    // states.
    let oldest = group.filter { seen.insert(ObjectIdentifier($0.object)).inserted }
    context.announceOwners(of: oldest.lazy.map(\.object))
    return oldest.reversed().map { step in
      let object = step.object
      let now = ObjectState(object)
      context.witness(object)
      if step.phase.isStored, object.phase.isStored {
        object.putBack(step.phase, step.value, step.base)
        context.restored(object)
      } else if step.phase.isStored, object.phase == .gone, !object.isNew {
        // The object was deleted above meanwhile, and stays deleted.
      } else {
        let (above, contest) = (object.above, object.contest)
        object.exchange(with: step.value.copy())
        object.base = step.base
        object.phase = step.phase
        context.restored(object) {
          object.follow(above, after: contest) {
            context.isDeletedOnBothSides($0, $1, of: object)
          }
        }
      }
      return now
    }
  }
}

extension ObjectContext {
  /// Whether changes are recorded for undo; false by default.
  ///
  /// Recording copies the object's value at each change of a property. Changes can be undone until
  /// the next save or discard.
  ///
  /// - Complexity: Setting is linear in the number of entities, lists, child contexts and recorded
  ///   changes.
  public var recordsUndo: Bool {
    get { undoLog != nil }
    set {
      guard newValue != recordsUndo else { return }
      setUndoLog(newValue ? UndoLog() : nil)
      updateWatchedTables()
    }
  }

  /// Whether there is a change to undo.
  public var canUndo: Bool { undoLog?.canUndo ?? false }

  /// Whether there is a change to redo.
  public var canRedo: Bool { undoLog?.canRedo ?? false }

  /// Runs a closure, and makes all its changes one step of undo and one change for lists. A group
  /// inside another group becomes a part of that group.
  ///
  /// - Complexity: That of the closure. Lists then apply all its changes together; see
  ///   ``LiveList``.
  @discardableResult
  public func group<Result>(_ body: () throws -> Result) rethrows -> Result {
    undoLog?.beginGroup()
    defer { undoLog?.endGroup() }
    return try family.operation.run(body)
  }

  /// Undoes the last change or group of changes. If a group is open, undoes the changes of that
  /// group so far. If changes are not recorded, reports an error.
  ///
  /// - Complexity: Linear in the number of changes that are undone.
  public func undo() {
    guard permits("undo") else { return }
    guard let undoLog else {
      let advice = "the context does not record changes; set recordsUndo before they are made"
      return report(GraphError("undo", .other(advice)))
    }
    family.operation.run { undoLog.undo(in: self) }
  }

  /// Redoes the change or group that was last undone.
  ///
  /// - Complexity: Linear in the number of objects that are changed.
  public func redo() {
    guard permits("redo") else { return }
    family.operation.run { undoLog?.redo(in: self) }
  }

  /// Updates lists, child contexts and indexes after an undo or redo has restored an object's
  /// state.
  fileprivate func restored(_ object: GraphObject, _ follow: () -> Void = {}) {
    guard case .table(let table) = object.home else { return }
    table.dropIndexes()
    if object.covers {
      noteChange(object, in: table)
      // Another object may have had the id meanwhile.
      table.map.insert(object)
    }
    follow()
    if table.isWatched { didChange(object) }
  }
}
