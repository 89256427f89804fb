/// How a tree finds contexts. All strategies give the same answers and notifications; they differ
/// in where the cost goes.
public enum Strategy: String, Sendable, CaseIterable, Codable {
  /// Pushes what each responder resolves to down to it: lookups read their own node, changes cost
  /// the whole subtree.
  case baton
  /// Walks `nextResponder` at each lookup: nothing is remembered.
  case chain
  /// Walks without reference counting and jumps over responders that have no slots: lookups cost
  /// the providers on the way, changes cost those who observe.
  case skipping
}
