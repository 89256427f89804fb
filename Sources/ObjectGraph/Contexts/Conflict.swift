/// The way a save ends conflicts: properties that were changed both here and by somebody else, whether
/// to different values or to the same.
///
/// Different properties of one object never conflict: both changes survive. It is no conflict either
/// if both sides deleted an object, or a delete rule emptied a reference on both sides.
public enum ConflictPolicy {
  /// The save throws, and names objects and properties.
  case error
  /// This context's values win; what the other deleted is written again.
  case mine
  /// The other's values win; what the other deleted is gone here too.
  case theirs
  /// A closure decides, object by object.
  case resolve((Conflict) throws -> Decision)
}

extension ConflictPolicy {
  /// How one conflict ends.
  public enum Decision {
    /// As with `ConflictPolicy.mine`.
    case mine
    /// As with `ConflictPolicy.theirs`.
    case theirs
    /// With this value, which must be of the object's entity.
    case value(any Entity)
  }
}

/// One object that was changed here and by somebody else.
public struct Conflict {
  /// This context's object.
  public let object: GraphObject
  /// The properties both changed, in the schema's order; empty if one side deleted the object.
  public let properties: [String]
  /// The value both began with.
  public let base: any Entity
  /// This context's value.
  public let mine: any Entity
  /// The other's value, or nil if the other deleted the object.
  public let theirs: (any Entity)?
}
