/// The state of an object at one time, from which an undo or a failed save restores the object.
struct ObjectState {
  let object: GraphObject
  let phase: GraphObject.ObjectPhase
  private let isNew: Bool
  let value: AnyBox
  let base: AnyBox?

  /// Records the current state of an object. An undo of an insertion restores another phase.
  init(_ object: GraphObject, as phase: GraphObject.ObjectPhase? = nil) {
    self.object = object
    self.phase = phase ?? object.phase
    isNew = object.isNew
    value = object.boxed()
    base = object.base?.copy()
  }

  /// Restores the object to this state, without notifying anybody.
  ///
  /// The object takes over this state's memory. So a state is restored at most once.
  func restore() {
    object.exchange(with: value)
    object.base = base
    object.phase = phase
    object.isNew = isNew
  }
}
