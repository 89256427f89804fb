/// The effect of an edit of a property that was changed above, too: in the parent context or in the
/// store.
public enum ConflictRule: String, Sendable, Codable {
  /// The edit is a conflict, about which the conflict policy decides at the next save.
  case ask
  /// The edit stays, and is never a conflict: the last save wins. This rule is for what a program
  /// sets by itself, such as the date of the last change or a position in a list.
  case mine
}
