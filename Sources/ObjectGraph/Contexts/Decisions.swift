/// The states that objects had before one save compared them with the parent or the store, or applied
/// the conflict policy to them.
///
/// A save that fails restores these states. The context then has the same changes as before, and the
/// next save asks the policy again.
final class Decisions {
  private var before: [ObjectIdentifier: ObjectState] = [:]
  /// The objects, deleted above, for which the policy has returned a new value. All properties of
  /// such a value count as edited.
  private var replaced: Set<ObjectIdentifier> = []

  /// The objects whose states are recorded.
  var objects: some Sequence<GraphObject> { before.values.lazy.map(\.object) }

  /// Records the state of an object. A later call for the object keeps the first record.
  func record(_ object: GraphObject) {
    if case .table(let table) = object.home {
      table.dropIndexes()
      table.context?.witness(object)
    }
    let identity = ObjectIdentifier(object)
    if before[identity] == nil { before[identity] = ObjectState(object) }
  }

  /// Records that the policy has returned a new value for an object that was deleted above.
  func replace(_ object: GraphObject) { replaced.insert(ObjectIdentifier(object)) }

  /// Returns the edited properties of an object that the policy has kept after a deletion above.
  func edits(of object: GraphObject) -> ColumnMask {
    replaced.contains(ObjectIdentifier(object)) ? object.layout.allColumns : object.changedColumns
  }

  /// Runs a closure. If it throws an error, restores the objects of a context to the states that
  /// the closure has recorded.
  func keeping<Result>(
    in context: ObjectContext, _ body: () throws -> Result
  ) throws -> Result {
    do {
      return try body()
    } catch {
      for state in before.values {
        state.restore()
        guard case .table(let table) = state.object.home else { continue }
        context.noteChange(state.object, in: table)
      }
      throw error
    }
  }

  /// Notifies a context's lists and child contexts of the objects about which the policy has
  /// decided.
  func tell(in context: ObjectContext) {
    for object in objects {
      guard case .table(let table) = object.home, table.isWatched else { continue }
      context.didChange(object)
    }
  }
}
