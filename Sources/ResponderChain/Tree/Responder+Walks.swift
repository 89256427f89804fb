extension Responder {
  /// The responder that is asked next: the superview, the controller whose root view this is, the
  /// parent or presenter of a controller, in the end the application; `nil` at the top.
  public final var nextResponder: Responder? { liveParent?.responder }

  /// The children, in order. A root view and a presented controller are not among them.
  ///
  /// They stay as they are when the tree changes: a loop may remove each of them.
  ///
  /// - Complexity: O(1), or O(log *n*) after the first of many were removed.
  public final var children: Children { Children(owned, childRange) }

  /// The responder itself, its next, and so on to the top.
  public final var chain: some Sequence<Responder> {
    sequence(first: self) { $0.nextResponder }
  }

  /// All below the responder, parents first: a root view with its views, then children, then the
  /// presented controller.
  public final var descendants: some Sequence<Responder> {
    sequence(state: Array(owned.reversed())) { waiting -> Responder? in
      guard let next = waiting.popLast() else { return nil }
      waiting.append(contentsOf: next.owned.reversed())
      return next
    }
  }

  /// The hops to the top; zero for a top.
  public final var depth: Int {
    ownCore?.top().depth ?? liveParent.map { $0.top().depth + 1 } ?? 0
  }

  /// The application at the top; `nil` in a detached tree.
  public final var application: Application? {
    if let tree = attachedTree { return tree.application }
    return self as? Application
  }
}
