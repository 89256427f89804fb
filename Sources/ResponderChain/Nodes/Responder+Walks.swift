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
}

extension Responder {
  /// What a responder is to its parent.
  enum Role {
    case child
    case rootView
    case presented
  }

  /// Returns the number of responders that are looked at and moved to take a child out, for tests of
  /// the cost.
  package final func steps(toRemove child: Responder) -> Int {
    guard let (index, steps) = owned.find(child) else { return 0 }
    switch owned.removal(at: index) {
    case .front(let moves), .back(let moves): return steps + moves
    }
  }

  /// The indices of the children proper in ``owned``.
  final var childRange: Range<Int> {
    let bits = flags
    let first = bits & NodeBits.rootView == 0 ? 0 : 1
    let last = bits & NodeBits.presented == 0 ? owned.count : owned.count - 1
    return first..<last
  }

  /// What the responder is to its parent.
  final var parentRole: Role {
    guard let parent = liveParent else { return .child }
    if parent.has(NodeBits.rootView), parent.responder?.owned.first === self { return .rootView }
    if parent.has(NodeBits.presented), parent.responder?.owned.last === self { return .presented }
    return .child
  }
}
