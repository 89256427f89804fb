/// The only file that changes links.
extension Responder {
  /// Appends a child. One that has a parent already moves, which is one change.
  public final func append(_ child: Responder) throws {
    try attach(child, as: .child)
  }

  /// Inserts a child before the one that is at `index` among the others. One that has a parent
  /// already moves.
  ///
  /// - Throws: ``TreeError`` if the child is an ancestor of the responder, the responder itself, or
  ///   an application.
  /// - Precondition: `index` is between 0 and the number of children.
  public final func insert(_ child: Responder, at index: Int) throws {
    precondition(0...childRange.count ~= index, "There is no place \(index) in \(path).")
    try attach(child, as: .child, at: index)
  }

  /// Moves one of the children to another place among them; no listener is concerned.
  ///
  /// - Throws: ``TreeError/notAChild(_:of:)``.
  public final func move(_ child: Responder, to index: Int) throws {
    let range = childRange
    guard let from = owned.find(child)?.index, range.contains(from) else {
      throw TreeError.notAChild(child.path, of: path)
    }
    precondition(
      range.indices.contains(index + range.lowerBound), "There is no place \(index) in \(path).")
    removeOwned(at: from)
    insertOwned(child, at: range.lowerBound + index)
  }

  /// Moves the responder, with all below it, to another parent; at the end unless told where.
  ///
  /// - Precondition: `index` is a place among the parent's other children, or their number.
  public final func move(to newParent: Responder, at index: Int? = nil) throws {
    var count = newParent.childRange.count
    if parentRole == .child, nextResponder === newParent { count -= 1 }
    if let index {
      precondition(0...count ~= index, "There is no place \(index) in \(newParent.path).")
    }
    try newParent.attach(self, as: .child, at: index)
  }

  /// Detaches the responder, whether it is a child, a root view or presented. Does nothing at a
  /// top.
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
    }
  }

  /// Links a child, after taking it out of where it was; at the end unless told where.
  final func attach(_ child: Responder, as role: Role, at index: Int? = nil) throws {
    try checkInsertion(of: child)
    let isLoose = child.contents == nil && child.place.parent == nil
    if isLoose, role != .rootView, !isOrphan {
      // Nobody listens in the child's tree, so nobody has to be told.
      put(child, as: role, at: index)
      return child.tellAttached()
    }
    try Round.perform { round in
      round.detachFromDeadParent(child)
      round.detachFromDeadParent(self)
      if child.nextResponder != nil {
        child.willDetach()
        child.onDetach?(child)
        // The callback may have changed anything.
        try checkInsertion(of: child)
        if let parent = child.nextResponder {
          round.keep(child)
          child.unlink(from: parent)
        }
      }
      if child.parentCore != nil, child.nextResponder == nil {
        // Its parent is in the middle of its deinit, which gives it away.
        child.ownCore?.shareListeners(adding: false)
        child.link(to: nil)
        child.forgetTree()
      }
      // The callbacks may have put another there.
      if role == .rootView, has(NodeBits.rootView), let other = owned.first {
        round.keep(other)
        other.unlink(from: self)
        round.moved(other, isDetached: true)
      }
      put(child, as: role, at: index)
      round.moved(child)
      child.tellAttached()
    }
  }

  private func put(_ child: Responder, as role: Role, at index: Int?) {
    guard let index else {
      // The presented controller comes last.
      let isLast = role != .child || !has(NodeBits.presented)
      return link(child, as: role, at: isLast ? nil : owned.count - 1)
    }
    let places = childRange
    // Callbacks may have taken others away meanwhile.
    link(child, as: role, at: places.lowerBound + min(index, places.count))
  }

  private func tellAttached() {
    didAttach()
    onAttach?(self)
  }

  /// Throws if the child cannot be linked below this responder.
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
    if owned.isEmpty { core.responder = self }
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
    child.link(to: place.own)
    // A child without a core has nothing to share, and follows its parent.
    guard let childCore = child.ownCore else { return }
    childCore.shareListeners(adding: true)
    if let route = core.validRoute { route.tree.strategy.linked(child, in: route) }
  }

  private func unlink(from parent: Responder) {
    let tree = attachedTree
    let role = parentRole
    ownCore?.shareListeners(adding: false)
    forgetTree()
    guard let index = parent.owned.find(self)?.index else { return }
    // `self` is held by the caller of a method; the parent's reference may be the last other one.
    withExtendedLifetime(self) { parent.removeOwned(at: index) }
    switch role {
    case .rootView: parent.core.set(NodeBits.rootView, false)
    case .presented: parent.core.set(NodeBits.presented, false)
    case .child: break
    }
    link(to: nil)
    let contents = core.madeContents()
    contents.formerParent = parent
    if let tree {
      contents.orphanReceiver = tree.mailbox
      core.set(NodeBits.needsTeardown, true)
      tree.remember(departed: self)
    }
  }
}
