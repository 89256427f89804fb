extension Slot {
  /// The branch if the slot is one; nil otherwise.
  var branch: Branch? {
    if case .branch(let branch) = state { branch } else { nil }
  }

  /// Compares the child's parent with the inherited context. If they differ, drops the child,
  /// unless the branch must keep it.
  ///
  /// - Returns: a report if the child stays although its parent is no longer inherited; nil
  ///   otherwise, in a tree without an application, and if the drift was reported before.
  func recheck() -> Drift? {
    guard let branch, let child = branch.child else { return nil }
    guard let kept = branch.keptChild(inheritedWithoutMaking()) else {
      dropChild()
      return nil
    }
    publishIfReadable(kept)
    guard branch.isDrifting, !branch.isReported, let responder = owner.strong.responder,
      responder.attachedTree?.root != nil
    else { return nil }
    branch.isReported = true
    return Drift(
      responder: responder, key: key.key, policy: branch.policy,
      hasUnsavedChanges: branch.key.isDirty(child.cell), hasEnded: false,
      context: branch.key.describe(child.cell))
  }

  /// Publishes the child, unless the next read of this branch, or of a branch above, may make
  /// another child.
  func publishIfReadable(_ cell: Cell) {
    guard let branch else { return }
    if branch.policy == .keep || !branch.isDrifting && inheritsReadable { publish(cell) }
  }

  /// Whether the value that the branch inherits can be read without evaluating another branch.
  var inheritsReadable: Bool { owner.strong.liveParent?.locate(id)?.cell != nil }

  /// Makes the next read of the branch check its child again, because the inherited answer may have
  /// changed.
  func unpublish() {
    guard let branch, branch.published != nil else { return }
    branch.published = nil
    updateEntry(nil)
  }

  /// Lets lookups below read the child without evaluating the branch.
  func publish(_ cell: Cell) {
    guard let branch, branch.published !== cell else { return }
    branch.published = cell
    updateEntry(cell)
  }

  private func updateEntry(_ cell: Cell?) {
    guard let entry = owner.ownEntry(id) else { return }
    entry.set(cell: cell)
    let owner = owner.strong
    // A responder in its deinit is skipped, because its children are told of its end instead.
    guard let route = owner.validRoute, let responder = owner.responder else { return }
    route.tree.strategy.slotChanged(id, at: responder)
  }

  /// Drops the child, if there is one.
  func dropChild() {
    guard let branch, let child = branch.child else { return }
    branch.child = nil
    branch.isDrifting = false
    branch.isReported = false
    child.listener.unregister()
    unpublish()
  }

  /// Ends a branch that was replaced or withdrawn.
  func retireBranch() {
    guard let branch else { return }
    branch.isRetired = true
    branch.child?.listener.unregister()
  }

  /// Makes the tree check repeatedly whether the branch may drop its child. Does nothing if the
  /// branch does not drift, or has the policy `.keep`.
  func watchDrift(in tree: TreeState) {
    // A branch with the policy `.keep` needs no check, because only a change above can end its
    // drift, and the branch's listener is told of such a change.
    guard let branch, branch.isDrifting, branch.policy == .follow, branch.watcher !== tree,
      let responder = owner.strong.responder
    else { return }
    branch.watcher = tree
    tree.drifting.append(DriftingBranch(responder: Weak(responder), id: id))
  }
}
