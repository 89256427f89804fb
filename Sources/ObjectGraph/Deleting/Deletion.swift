/// The objects that one call of `delete` has deleted, and the references that delete rules have set
/// to nil. They can be put back, also after the deletion was saved.
///
/// ```swift
/// let deletion = try context.delete(deck)  // and its cards
/// try context.save()
/// let cards = deletion.ids(of: Card.self).count  // "Deleted 1 deck and 12 cards. Undo?"
/// try deletion.putBack()
/// try context.save()
/// ```
///
/// A deletion retains the deleted objects, which keep their last values. It copies nothing. Like the
/// objects, it is confined to the isolation of its context.
public struct Deletion {
  let objects: [GraphObject]
  let emptied: [EmptiedReference]
  /// The objects of contexts above that no store had. They are retained, because only they tell that
  /// an object put back is new.
  private let newAbove: [GraphObject]
  private weak var context: ObjectContext?
  private let storeID: String

  init(
    _ objects: [GraphObject], _ emptied: [EmptiedReference] = [], newAbove: [GraphObject] = [],
    in context: ObjectContext
  ) {
    (self.objects, self.emptied, self.newAbove) = (objects, emptied, newAbove)
    (self.context, storeID) = (context, context.storeID)
  }

  /// Whether nothing was deleted.
  public var isEmpty: Bool { objects.isEmpty }

  /// Returns the ids of the deleted objects of an entity. The objects of each level of a cascade come
  /// after their owners.
  ///
  /// - Complexity: Linear in the number of deleted objects.
  public func ids<Value: Entity>(of _: Value.Type) -> [Ref<Value>] {
    objects.compactMap { ($0 as? Object<Value>)?.id }
  }

  /// Puts all objects back into the context that has deleted them, as ``putBack(in:)`` does.
  ///
  /// - Throws: Also ``GraphError/Reason/ended`` if the context has ended, as the child of an `edit`
  ///   has after the edit.
  /// - Complexity: That of ``putBack(in:)``.
  public func putBack() throws {
    if isEmpty { return }
    guard let context else { throw GraphError(attempted, .ended) }
    try putBack(in: context)
  }

  /// Puts all objects back, with their ids and last values, into a context of the same store.
  ///
  /// Before the deletion was saved, this reverts it. After the save, the objects are inserted again,
  /// and the next save writes them. Its ``WillSave`` then sees `isNew == false`, except for objects
  /// that no store ever had.
  ///
  /// A reference that a delete rule has set to nil leads to its object again, if it is still nil and
  /// its own object still exists. All of this is one step of undo and one change for lists.
  ///
  /// - Throws: ``GraphError/Reason/invalid(_:)`` with all objects that cannot come back, because an
  ///   object with the id exists, another object has a unique value, or the target of a to-one
  ///   property is missing. Nothing is changed then. So a second call throws.
  /// - Complexity: Linear in the number of objects. A row is read for each object, and one query is
  ///   made for each 500 unique values or targets.
  public func putBack(in context: ObjectContext) throws {
    if isEmpty { return }
    try context.permitChanges(attempted)
    try context.naming {
      guard context.storeID == storeID else {
        throw GraphError(attempted, .wrongStore(expected: context.storeID, found: storeID))
      }
      try PutBack(self, in: context).run()
    }
  }

  /// The attempt to put the objects back, as an error names it.
  var attempted: String {
    "put " + (objects.count == 1 ? objects[0].reference : objects.count.of("object")) + " back"
  }
}

/// A reference that a delete rule has set to nil.
struct EmptiedReference {
  let object: GraphObject
  let column: Int
  /// The id of the deleted object.
  let owner: Int64
}
