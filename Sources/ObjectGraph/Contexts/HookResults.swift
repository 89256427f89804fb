import Foundation

/// The results of ``WillSave/willSave(_:)`` in one save into a store.
///
/// They are taken back before the save compares objects with rows that others have changed. So a
/// conflict policy decides about edits alone, and no result is ever in conflict.
final class HookResults {
  private let date: Date
  /// The objects as they were without the results.
  private var before: [ObjectIdentifier: ObjectState] = [:]
  /// The properties that users had edited in the objects with results.
  private var edits: [ObjectIdentifier: ColumnMask] = [:]

  /// Prepares a save; nil if it calls no hook.
  init?(_ hooks: SaveHooks, _ store: any ObjectStore) {
    guard hooks == .on, store.model.hasHooks else { return nil }
    date = store.now
  }

  /// Calls the hooks of all new and edited objects of a context.
  func apply(to context: ObjectContext, _ decisions: Decisions) {
    (before, edits) = ([:], [:])
    for (entity, objects) in context.changes.lists.enumerated()
    where context.model.layouts[entity].hasHook {
      for object in objects where object.phase == .inserted || object.phase == .updated {
        let isNew = object.phase == .inserted && !object.hasBase
        let changed = isNew ? ColumnMask() : decisions.edits(of: object)
        guard object.phase == .inserted || !changed.isEmpty,
          let value = object.prepared(date, isNew: isNew, changed)
        else { continue }
        decisions.record(object)
        before[ObjectIdentifier(object)] = ObjectState(object)
        edits[ObjectIdentifier(object)] = changed
        _ = object.take(value)
      }
    }
  }

  /// Takes all results back.
  func takeBack() {
    for state in before.values { state.restore() }
    (before, edits) = ([:], [:])
  }

  /// Returns the properties that users had edited in an object with a result. The save compares them
  /// with the row even if the result has their old values again, so that no conflict is hidden.
  func edits(of object: GraphObject) -> ColumnMask {
    edits[ObjectIdentifier(object)] ?? ColumnMask()
  }

  /// Returns whether an object has a result.
  func contains(_ object: GraphObject) -> Bool { before[ObjectIdentifier(object)] != nil }
}
