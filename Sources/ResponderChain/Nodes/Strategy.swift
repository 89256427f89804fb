/// The way in which a tree finds contexts.
///
/// All strategies give the same answers and notifications. They differ only in the cost of lookups
/// and changes.
public enum Strategy: String, Sendable, CaseIterable, Codable {
  /// The strategy that copies each slot down to all nodes that inherit it. A lookup reads one node,
  /// and a change visits the whole subtree.
  case baton
  /// The strategy that walks from parent to parent in each lookup, without stored answers. A lookup
  /// takes one step for each hop to the slot.
  case chain
  /// The strategy whose lookups skip responders without slots, and retain no object on the way. A
  /// lookup takes at most one step for each provider on the way. The cost of a change is in
  /// proportion to the observers that it concerns.
  case skipping
}
