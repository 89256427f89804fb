/// The functions that change links. Besides this file, only `Round` changes links: it unlinks
/// responders whose parents have ended.
extension Responder {
  /// Appends a child. If the child has a parent already, it is moved in one round.
  ///
  /// - Throws: ``TreeError`` if the child is an ancestor of the responder, the responder itself, or
  ///   an application.
  /// - Complexity: O(1) for a single new responder without slots. Otherwise O(*depth* + *m*) for
  ///   *m* listeners in the child's subtree, and the cost of ``removeFromParent()`` if the child
  ///   has a parent. Under ``Strategy/baton`` also O(*n*) for *n* responders in the subtree.
  public final func append(_ child: Responder) throws {
    try attach(child, as: .child)
  }

  /// Inserts a child at an index among the other children. If the child has a parent already, it is
  /// moved in one round.
  ///
  /// - Throws: ``TreeError`` if the child is an ancestor of the responder, the responder itself, or
  ///   an application.
  /// - Precondition: `index` is between 0 and the number of children.
  /// - Complexity: That of ``append(_:)``, and O(*k*) for *k* children after the index. Inserting
  ///   among the first eight of more than 64 children usually does not move the children after the
  ///   index.
  public final func insert(_ child: Responder, at index: Int) throws {
    precondition(0...childRange.count ~= index, "There is no place \(index) in \(path).")
    try attach(child, as: .child, at: index)
  }

  /// Reorders the children by giving one of them another index. No listener is told, because no
  /// answer changes.
  ///
  /// - Throws: ``TreeError/notAChild(_:of:)`` if the responder to be moved is not a child.
  /// - Precondition: `index` is at least 0 and less than the number of children.
  /// - Complexity: O(*n*) for *n* children.
  public final func reorder(_ child: Responder, to index: Int) throws {
    let range = childRange
    guard let from = owned.find(child)?.index, range.contains(from) else {
      throw TreeError.notAChild(child.path, of: path)
    }
    precondition(
      range.indices.contains(index + range.lowerBound), "There is no place \(index) in \(path).")
    removeOwned(at: from)
    insertOwned(child, at: range.lowerBound + index)
    ownAttachment?.ownedDidChange(of: self)
  }

  /// Attaches the responder, with all below it, to another parent in one round. Without an index
  /// the responder becomes the last child.
  ///
  /// - Throws: ``TreeError`` if the responder is an ancestor of the parent, the parent itself, or
  ///   an application.
  /// - Precondition: `index` is between 0 and the number of the parent's other children.
  /// - Complexity: That of ``insert(_:at:)``.
  public final func move(to newParent: Responder, at index: Int? = nil) throws {
    var count = newParent.childRange.count
    if parentRole == .child, nextResponder === newParent { count -= 1 }
    if let index {
      precondition(0...count ~= index, "There is no place \(index) in \(newParent.path).")
    }
    try newParent.attach(self, as: .child, at: index)
  }

  /// Detaches the responder from its parent. The responder may be a child, a root view or a
  /// presented controller. Does nothing if there is no parent.
  ///
  /// Observers in the subtree are called with the values and states that they find without the
  /// parent.
  ///
  /// - Complexity: O(*k* + *m* + *depth*) for *k* siblings after the responder and *m* listeners in
  ///   its subtree. Removing one of the first eight of more than 64 siblings usually does not move
  ///   the siblings after it. Under ``Strategy/baton`` also O(*n*) for *n* responders in the
  ///   subtree.
  public final func removeFromParent() {
    Round.perform { round in
      round.detachFromDeadParent(self)
      guard let parent = nextResponder else { return }
      willDetach()
      onDetach?(self)
      guard nextResponder === parent else { return }
      round.keep(self)
      unlink(from: parent)
      round.moved(self, isDetached: true)
      parent.noticeUnlink(of: self)
    }
  }

  /// Attaches a child after unlinking it from its former parent. Without an index the child becomes
  /// the last child.
  final func attach(_ child: Responder, as role: Role, at index: Int? = nil) throws {
    try checkInsertion(of: child)
    let isLoose = child.contents == nil && child.coreReference.parent == nil
    if isLoose, role != .rootView, !isOrphan {
      // Nothing listens in the child's tree, so no round is needed.
      put(child, as: role, at: index)
      noticeLink(of: child)
      return child.tellAttached()
    }
    try Round.perform { round in
      round.detachFromDeadParent(child)
      round.detachFromDeadParent(self)
      if child.nextResponder != nil {
        child.willDetach()
        child.onDetach?(child)
        // The callbacks may have changed any link.
        try checkInsertion(of: child)
        if let parent = child.nextResponder {
          round.keep(child)
          child.unlink(from: parent)
          parent.noticeUnlink(of: child)
        }
      }
      if child.parentCore != nil, child.nextResponder == nil {
        // The child's former parent is in its deinit, and has given the child up.
        child.ownCore?.shareListeners(adding: false)
        child.link(to: nil)
        child.forgetTree()
        child.ownAttachment?.didUnlink(child)
      }
      // The callbacks may have set another root view.
      if role == .rootView, has(NodeBits.rootView), let other = owned.first {
        round.keep(other)
        other.unlink(from: self)
        round.moved(other, isDetached: true)
        noticeUnlink(of: other)
      }
      put(child, as: role, at: index)
      round.moved(child)
      noticeLink(of: child)
      child.tellAttached()
    }
  }

  private func put(_ child: Responder, as role: Role, at index: Int?) {
    guard let index else {
      // The presented controller stays the last.
      let isLast = role != .child || !has(NodeBits.presented)
      return link(child, as: role, at: isLast ? nil : owned.count - 1)
    }
    let places = childRange
    // Callbacks may have removed other children meanwhile.
    link(child, as: role, at: places.lowerBound + min(index, places.count))
  }

  private func tellAttached() {
    didAttach()
    onAttach?(self)
    ownAttachment?.didAttach(self)
  }

  /// Throws if the child is an application, this responder, or one of its ancestors. The search
  /// among the ancestors is left out if the child owns nothing, because it is then no responder's
  /// ancestor.
  final func checkInsertion(of child: Responder) throws {
    if child.has(NodeBits.application) {
      throw TreeError.applicationHasNoParent(child.path, path)
    }
    if child !== self {
      guard !child.owned.isEmpty, let core = child.ownCore else { return }
      var node = ownCore ?? liveParent
      while let current = node, current !== core { node = current.liveParent }
      if node == nil { return }
    }
    throw TreeError.cycle(ancestor: child.path, descendant: path)
  }

  private func link(_ child: Responder, as role: Role, at index: Int?) {
    if owned.isEmpty { core.refer(to: self) }
    switch role {
    case .child:
      insertOwned(child, at: index)
    case .rootView:
      insertOwned(child, at: 0)
      core.set(NodeBits.rootView, true)
    case .presented:
      insertOwned(child, at: nil)
      core.set(NodeBits.presented, true)
    }
    child.link(to: coreReference.own)
    // A child without a core has no listeners, and resolves each key as its parent does.
    guard let childCore = child.ownCore else { return }
    childCore.shareListeners(adding: true)
    if let route = core.validRoute { route.tree.strategy.linked(child, in: route) }
  }

  private func unlink(from parent: Responder) {
    let tree = attachedTree
    if let tree, tree.followsUnlinks { tree.willUnlink(self, from: parent) }
    let role = parentRole
    ownCore?.shareListeners(adding: false)
    forgetTree()
    guard let index = parent.owned.find(self)?.index else { return }
    // The parent's reference to `self` may be the last one, so `self` is kept alive during the
    // removal.
    withExtendedLifetime(self) { parent.removeOwned(at: index) }
    switch role {
    case .rootView: parent.core.set(NodeBits.rootView, false)
    case .presented: parent.core.set(NodeBits.presented, false)
    case .child: break
    }
    link(to: nil)
    let contents = core.makeContentsIfNeeded()
    contents.formerParent = parent
    if let tree {
      contents.orphanReceiver = tree.mailbox
      core.set(NodeBits.needsTeardown, true)
      tree.remember(detachedRoot: self)
    }
  }
}
