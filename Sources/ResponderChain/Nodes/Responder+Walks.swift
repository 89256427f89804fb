extension Responder {
  /// The next responder towards the root, at which lookups and actions continue; `nil` at the top.
  ///
  /// It is the superview of a view, the controller of a root view, or the parent or presenter of a
  /// controller. The top of an attached tree is the application.
  public final var nextResponder: Responder? { liveParent?.responder }

  /// The children, in order. The root view and the presented controller are not among them.
  ///
  /// The collection does not change when the tree changes, so a loop over it may remove children.
  ///
  /// - Complexity: O(1). For a list that has had more than 64 children, O(log *n*) after a child
  ///   near its start was removed or inserted.
  public final var children: Children { Children(owned, childRange) }

  /// The responder and its ancestors, from itself to the top.
  ///
  /// - Complexity: O(1) for the sequence, O(*depth*) for a loop over all of it.
  public final var chain: some Sequence<Responder> {
    sequence(first: self) { $0.nextResponder }
  }

  /// All responders below this one, each before the responders that it owns. The root view with its
  /// views comes first, then the children, then the presented controller.
  ///
  /// - Complexity: O(*n*) for a loop over *n* descendants.
  public final var descendants: some Sequence<Responder> {
    sequence(state: Array(owned.reversed())) { waiting -> Responder? in
      guard let next = waiting.popLast() else { return nil }
      waiting.append(contentsOf: next.owned.reversed())
      return next
    }
  }

  /// The number of hops to the top; zero for the top itself.
  ///
  /// - Complexity: O(*depth*).
  public final var depth: Int {
    ownCore?.top().depth ?? liveParent.map { $0.top().depth + 1 } ?? 0
  }
}

extension Responder {
  /// The role of a responder at its parent.
  package enum Role {
    /// One of the parent's ``Responder/children``.
    case child
    /// The root view of a controller.
    case rootView
    /// The controller that the parent presents.
    case presented
  }

  /// The number of responders that this one owns: the root view, the children and the presented
  /// controller.
  package final var ownedCount: Int { owned.count }

  /// Calls the closure with each responder that this one owns, and with its role. The root view
  /// comes first, then the children, then the presented controller.
  ///
  /// The closure may change the tree. It is called with the responders that were owned when this
  /// function was called.
  ///
  /// - Complexity: O(*n*) for *n* owned responders. Nothing is allocated.
  package final func forEachOwned(_ body: (Responder, Role) -> Void) {
    let children = childRange
    for (index, responder) in owned.enumerated() {
      if children.contains(index) {
        body(responder, .child)
      } else {
        body(responder, index < children.lowerBound ? .rootView : .presented)
      }
    }
  }

  /// Returns the owned responder at an index. The order is that of ``forEachOwned(_:)``.
  package final func owned(at place: Int) -> Responder { owned[place] }

  /// Returns the number of responders that are compared or moved to remove a child. Tests of the
  /// cost use this number.
  package final func steps(toRemove child: Responder) -> Int {
    guard let (index, steps) = owned.find(child) else { return 0 }
    switch owned.removal(at: index) {
    case .front(let moves), .back(let moves): return steps + moves
    }
  }

  /// The indices of the children in ``owned``, without the root view and the presented controller.
  final var childRange: Range<Int> {
    let bits = flags
    let first = bits & NodeBits.rootView == 0 ? 0 : 1
    let last = bits & NodeBits.presented == 0 ? owned.count : owned.count - 1
    return first..<last
  }

  /// The responder's role at its parent; ``Role/child`` if it has no parent.
  package final var parentRole: Role {
    guard let parent = liveParent else { return .child }
    if parent.has(NodeBits.rootView), parent.responder?.owned.first === self { return .rootView }
    if parent.has(NodeBits.presented), parent.responder?.owned.last === self { return .presented }
    return .child
  }
}
