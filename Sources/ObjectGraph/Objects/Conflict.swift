/// The rule by which a save decides conflicts. A property is in conflict if the context that saves
/// has changed it, and another context or process has changed it too, even to the same value.
///
/// Changes of different properties of one object never conflict, because the save keeps both
/// changes. There is also no conflict if both sides deleted an object, or if a delete rule set a
/// reference to nil on both sides.
public enum ConflictPolicy {
  /// The save throws an error that names the objects and properties.
  case error
  /// The save keeps the changes of the context that saves. If the other side deleted the object,
  /// the save inserts it again.
  case mine
  /// The save keeps the changes of the other side. If the other side deleted the object, it is also
  /// deleted in the context that saves.
  case theirs
  /// The closure decides about each object in conflict.
  case resolve((Conflict) throws -> Decision)
}

extension ConflictPolicy {
  /// The value that an object in conflict gets.
  public enum Decision {
    /// The value of the context that saves, as with `ConflictPolicy.mine`.
    case mine
    /// The value of the other side, as with `ConflictPolicy.theirs`.
    case theirs
    /// A new value, which must be of the object's entity.
    case value(any Entity)
  }
}

/// An object in conflict: the context that saves has changed it, and so has another context or
/// process.
public struct Conflict {
  /// The object, in the context that saves.
  public let object: GraphObject
  /// The properties that both sides changed, in the schema's order; empty if one side deleted the
  /// object.
  public let properties: [String]
  /// The value that the object had before either side changed it.
  public let base: any Entity
  /// The object's value in the context that saves.
  public let mine: any Entity
  /// The object's current value in the parent or the store; nil if it was deleted there.
  public let theirs: (any Entity)?
}
