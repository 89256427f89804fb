/// A rule by which a save ends conflicts. A property is in conflict if it was changed both in this
/// context and by another context or process, even to the same value.
///
/// Changes of different properties of one object never conflict, because both changes are kept.
/// There is also no conflict if both sides deleted an object, or if a delete rule set a reference
/// to nil on both sides.
public enum ConflictPolicy {
  /// The save throws an error that names the objects and properties.
  case error
  /// This context's values win. An object that the other side deleted is written again.
  case mine
  /// The other side's values win. An object that the other side deleted is deleted here too.
  case theirs
  /// The closure decides for each object.
  case resolve((Conflict) throws -> Decision)
}

extension ConflictPolicy {
  /// The value that an object gets when its conflict ends.
  public enum Decision {
    /// This context's value, as with `ConflictPolicy.mine`.
    case mine
    /// The other side's value, as with `ConflictPolicy.theirs`.
    case theirs
    /// A new value, which must be of the object's entity.
    case value(any Entity)
  }
}

/// An object that was changed both in this context and by another context or process.
public struct Conflict {
  /// This context's object.
  public let object: GraphObject
  /// The properties that both sides changed, in the schema's order; empty if one side deleted the
  /// object.
  public let properties: [String]
  /// The value that the object had before either side changed it.
  public let base: any Entity
  /// This context's value of the object.
  public let mine: any Entity
  /// The other side's value of the object; nil if the other side deleted it.
  public let theirs: (any Entity)?
}
