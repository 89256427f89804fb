extension Slot {
  /// The branch, if the slot is one.
  var branch: Branch? {
    if case .branch(let branch) = state { branch } else { nil }
  }

  /// Compares the child's parent with the inherited context, and drops the child if the branch
  /// follows another one.
  ///
  /// - Returns: a report if the child stays although its parent is no longer inherited; nil if this
  ///   was reported before.
  func recheck() -> Drift? {
    guard let branch, let child = branch.child else { return nil }
    guard let kept = branch.keptChild(inheritedWithoutMaking()) else {
      dropChild()
      return nil
    }
    publishIfSettled(kept)
    guard branch.isDrifting, !branch.isReported, let responder = owner.strong.responder,
      responder.attachedTree?.root != nil
    else { return nil }
    branch.isReported = true
    return Drift(
      responder: responder, key: key.key, policy: branch.policy,
      hasUnsavedChanges: branch.key.isDirty(child.cell), hasEnded: false,
      context: branch.key.describe(child.cell))
  }

  /// Publishes the child, unless this branch or one above it may make another child at its next
  /// read.
  func publishIfSettled(_ cell: Cell) {
    guard let branch else { return }
    if branch.policy == .keep || !branch.isDrifting && inheritsSettled { publish(cell) }
  }

  /// Whether the inherited value can be read without evaluating a branch.
  var inheritsSettled: Bool { owner.strong.liveParent?.locate(id)?.cell != nil }

  /// Makes the next read check the child again, because something above has changed.
  func unsettle() {
    guard let branch, branch.settled != nil else { return }
    branch.settled = nil
    updateEntry(nil)
  }

  /// Lets lookups below read the child without evaluating the branch.
  func publish(_ cell: Cell) {
    guard let branch, branch.settled !== cell else { return }
    branch.settled = cell
    updateEntry(cell)
  }

  private func updateEntry(_ cell: Cell?) {
    guard let entry = owner.ownEntry(id) else { return }
    entry.set(cell: cell)
    let owner = owner.strong
    // If the owner is in its deinit, its children are told of its end instead.
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
    unsettle()
  }

  /// Ends a branch that was replaced or withdrawn.
  func retireBranch() {
    guard let branch else { return }
    branch.isRetired = true
    branch.child?.listener.unregister()
  }

  /// Makes the tree check repeatedly whether the drifting branch may drop its child.
  func watchDrift(in tree: TreeState) {
    // A branch with the policy `.keep` needs no check, because its listener is told of a change
    // that ends its drift.
    guard let branch, branch.isDrifting, branch.policy == .follow, branch.watcher !== tree,
      let responder = owner.strong.responder
    else { return }
    branch.watcher = tree
    tree.drifting.append(DriftingBranch(responder: Weak(responder), id: id))
  }
}
