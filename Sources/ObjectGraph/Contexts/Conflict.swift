/// A rule by which a save ends conflicts: properties that were changed both in this context and by
/// another context or process, whether to different values or to the same.
///
/// Changes of different properties of one object never conflict, because both survive. It is no
/// conflict either if both sides deleted an object, or if a delete rule emptied a reference on both
/// sides.
public enum ConflictPolicy {
  /// The save throws an error that names the objects and properties.
  case error
  /// This context's values win. An object that the other side deleted is written again.
  case mine
  /// The other side's values win. An object that the other side deleted is gone here too.
  case theirs
  /// The closure decides for each object.
  case resolve((Conflict) throws -> Decision)
}

extension ConflictPolicy {
  /// The outcome of one conflict.
  public enum Decision {
    /// The outcome of `ConflictPolicy.mine`.
    case mine
    /// The outcome of `ConflictPolicy.theirs`.
    case theirs
    /// This value, which must be of the object's entity.
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
  /// The value from before either side changed it.
  public let base: any Entity
  /// This context's value.
  public let mine: any Entity
  /// The other side's value; nil if the other side deleted the object.
  public let theirs: (any Entity)?
}
