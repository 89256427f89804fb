/// What a context does when a property was changed both here and by somebody else.
///
/// Different properties of one object never conflict: both changes survive.
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
  public let object: Instance
  /// The properties both changed, in the schema's order; empty if one side deleted the object.
  public let properties: [String]
  /// The value both began with.
  public let base: any Entity
  /// This context's value.
  public let mine: any Entity
  /// The other's value, or nil if the other deleted the object.
  public let theirs: (any Entity)?
}

/// A comparison of three versions of one value: what both began with, mine and theirs.
struct ThreeWay {
  /// Columns that only I changed.
  private(set) var mine: [Int] = []
  /// Columns that both changed, and not to the same.
  private(set) var both: [Int] = []
  /// Columns that only they changed.
  private(set) var theirs: [Int] = []

  init(
    _ layout: Layout, base: UnsafeRawPointer, mine: UnsafeRawPointer, theirs: UnsafeRawPointer
  ) {
    let mineMask = layout.difference(base, mine)
    let theirsMask = layout.difference(base, theirs)
    if theirsMask.isEmpty, mineMask.isEmpty { return }
    for index in layout.columns.indices {
      switch (mineMask.contains(index), theirsMask.contains(index)) {
      case (false, false): break
      case (true, false): self.mine.append(index)
      case (false, true): self.theirs.append(index)
      case (true, true):
        if !layout.columns[index].isEqual(mine, theirs) { both.append(index) }
      }
    }
  }
}
