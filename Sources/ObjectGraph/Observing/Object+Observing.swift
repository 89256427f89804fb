extension Object {
  /// Calls a closure after each operation that changed this object in its context.
  ///
  /// ```swift
  /// token = card.observe { card, change in
  ///   if change.contains(\.question) { title = card.question }
  /// }
  /// ```
  ///
  /// The closure is called once for an edit, and once for a whole save, merge, undo, discard or
  /// group. It is not called if all values are equal to those of its last call. A deletion is told
  /// too, and an undo of the deletion is told again.
  ///
  /// Lists have applied the operation before observers of objects are called. Observers are called
  /// in the order in which they were added. A closure may edit objects. Its edits are an operation
  /// of their own, which all observers hear of after the present one.
  ///
  /// The object must be in a context. Otherwise an error is reported, and the closure is never
  /// called. If the object's context ends, the closure is not called any more.
  ///
  /// - Returns: A token, which retains the object. The closure is called until the token is
  ///   released.
  /// - Complexity: O(1) on average. An object without observers costs nothing more.
  public func observe(
    _ hear: @escaping (_ object: Object, _ change: ObjectChange<Value>) -> Void
  ) -> ObjectObservation {
    guard let (row, follower) = follower() else { return ObjectObservation {} }
    let watch = ClosureWatch(self, follower, hear)
    follower.add(watch, of: row)
    return ObjectObservation { watch.hear = nil }
  }

  /// Returns the object's row, and the follower of the objects in its context. Reports an error and
  /// returns nil if the object is in no context.
  func follower() -> (RowKey, ObjectFollower)? {
    guard let row, let context else {
      let isLost = row != nil
      report(GraphError("observe \(reference)", isLost ? .ended : .disconnected(reference)))
      return nil
    }
    return (row, context.objectFollower())
  }

  /// The value and whether the object is deleted, as its observers see it.
  var seen: (value: Value, isDeleted: Bool) { (storage, isDeleted || row == nil) }
}

/// An observer of an object.
private final class ClosureWatch<Value: Entity>: ObjectWatch {
  private let object: Object<Value>
  private var told: (value: Value, isDeleted: Bool)
  /// The observer; nil after the end of the observation.
  var hear: ((Object<Value>, ObjectChange<Value>) -> Void)?

  init(
    _ object: Object<Value>, _ follower: ObjectFollower,
    _ hear: @escaping (Object<Value>, ObjectChange<Value>) -> Void
  ) {
    self.object = object
    self.hear = hear
    told = object.seen
    super.init(follower)
  }

  override func tell() {
    guard let hear else { return }
    let columns = object.difference(from: &told.value)
    let now = object.seen
    guard !columns.isEmpty || now.isDeleted != told.isDeleted else { return }
    told = now
    hear(object, ObjectChange(isDeleted: now.isDeleted, columns))
  }
}

extension ObjectContext {
  /// Returns the follower of the observed objects of this context, which is made at its first use.
  fileprivate func objectFollower() -> ObjectFollower {
    if let known = followers.first as? ObjectFollower { return known }
    let follower = ObjectFollower(self)
    addFollower(follower)
    return follower
  }
}
