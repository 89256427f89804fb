/// The states that objects had before each change, in groups, until the next save.
final class UndoLog {
  private var done: [[Step]] = []
  private var undone: [[Step]] = []
  private var open: [Step]?
  private var depth = 0

  /// What an object was.
  private struct Step {
    let object: GraphObject
    let phase: GraphObject.ObjectPhase
    let value: AnyBox
    let base: AnyBox?
  }

  var canUndo: Bool { !done.isEmpty }
  var canRedo: Bool { !undone.isEmpty }

  private static func step(_ object: GraphObject, _ phase: GraphObject.ObjectPhase) -> Step {
    Step(object: object, phase: phase, value: object.boxed(), base: object.base?.copy())
  }

  /// Remembers what an object is, before it changes.
  func record(_ object: GraphObject) { add(Self.step(object, object.phase)) }

  /// Remembers that an object was not there, after it was inserted.
  func recordInsertion(_ object: GraphObject) { add(Self.step(object, .gone)) }

  private func add(_ step: Step) {
    undone.removeAll()
    if open == nil { done.append([step]) } else { open?.append(step) }
  }

  func beginGroup() {
    depth += 1
    if depth == 1 { open = [] }
  }

  func endGroup() {
    // Recording may have begun inside the group.
    guard depth > 0 else { return }
    depth -= 1
    guard depth == 0, let group = open else { return }
    open = nil
    if !group.isEmpty { done.append(group) }
  }

  func undo(in context: ObjectContext) {
    // What an open group has done so far is the last that was done; the group goes on after it.
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

  /// Puts each object into its oldest remembered state, the last first, and remembers what it was.
  private static func swap(_ group: [Step], in context: ObjectContext) -> [Step] {
    var seen: Set<ObjectIdentifier> = []
    // Lists and child contexts do not hear of the states in between.
    let oldest = group.filter { seen.insert(ObjectIdentifier($0.object)).inserted }
    context.expectOwners(of: oldest.lazy.map(\.object))
    return oldest.reversed().map { step in
      let object = step.object
      let now = Self.step(object, object.phase)
      if step.phase.isStored, object.phase.isStored {
        object.putBack(step.phase, step.value, step.base)
        context.restored(object)
      } else if step.phase.isStored, object.phase == .gone, !object.isNew {
        // Deleted above meanwhile, it stays deleted.
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
  /// Whether changes are remembered, so that they can be undone; they are not at first.
  ///
  /// It costs a copy of the value for each change of a property. Undo reaches back to the last save
  /// or discard.
  public var recordsUndo: Bool {
    get { undoLog != nil }
    set {
      guard newValue != recordsUndo else { return }
      undoLog = newValue ? UndoLog() : nil
      watch()
    }
  }

  /// Whether there is something to undo.
  public var canUndo: Bool { undoLog?.canUndo ?? false }

  /// Whether there is something to do again.
  public var canRedo: Bool { undoLog?.canRedo ?? false }

  /// Makes the changes of the closure one step of undo, and one change for lists.
  ///
  /// Groups within groups are one with the outer.
  public func group<Result>(_ body: () throws -> Result) rethrows -> Result {
    undoLog?.beginGroup()
    defer { undoLog?.endGroup() }
    return try family.operate(body)
  }

  /// Takes back the last change, or group of changes; in a group, what it has changed so far.
  public func undo() { family.operate { undoLog?.undo(in: self) } }

  /// Does again what was taken back last.
  public func redo() { family.operate { undoLog?.redo(in: self) } }

  /// Called for an object that undo has put into another state.
  fileprivate func restored(_ object: GraphObject, _ follow: () -> Void = {}) {
    guard case .table(let table) = object.home else { return }
    table.dropIndexes()
    if object.covers {
      list(object, in: table)
      // Another may have had its id meanwhile.
      table.map.insert(object)
    }
    follow()
    if table.isWatched { didChange(object) }
  }
}
