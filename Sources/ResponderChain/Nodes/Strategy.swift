/// The way in which a tree finds contexts.
///
/// All strategies give the same answers and notifications. They differ only in the cost of lookups
/// and changes.
public enum Strategy: String, Sendable, CaseIterable, Codable {
  /// Pushes each answer down to the responders it is for. A lookup reads one node, and a change
  /// visits the whole subtree.
  case baton
  /// Walks from parent to parent in each lookup and remembers nothing. A lookup costs the hops to
  /// the slot.
  case chain
  /// Skips responders without slots, without reference counting. A lookup costs the providers on
  /// the way, and a change costs the observers it concerns.
  case skipping
}
