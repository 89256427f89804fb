extension Slot {
  var branch: Branch? {
    if case .branch(let branch) = state { branch } else { nil }
  }

  /// Checks the child against what is inherited now, and lets it go if the branch follows.
  ///
  /// - Returns: what differs, if the child stays although its parent is no longer inherited.
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

  /// Publishes the child if it stays until something above says that it changed: not below a branch
  /// that may follow at its next read.
  func publishIfSettled(_ cell: Cell) {
    guard let branch else { return }
    if branch.policy == .keep || !branch.isDrifting && inheritsSettled { publish(cell) }
  }

  /// Whether what is inherited can be read without evaluating anything.
  var inheritsSettled: Bool { owner.strong.liveParent?.locate(id)?.cell != nil }

  /// Forgets that the child was checked, since something above changed.
  func unsettle() {
    guard let branch, branch.settled != nil else { return }
    branch.settled = nil
    updateEntry(nil)
  }

  /// Lets every reader below read the child without evaluating the branch again.
  func publish(_ cell: Cell) {
    guard let branch, branch.settled !== cell else { return }
    branch.settled = cell
    updateEntry(cell)
  }

  private func updateEntry(_ cell: Cell?) {
    guard let entry = owner.ownEntry(id) else { return }
    entry.set(cell: cell)
    let owner = owner.strong
    // A dying owner's children see its end instead.
    guard let route = owner.validRoute, let responder = owner.responder else { return }
    route.tree.strategy.slotChanged(id, at: responder)
  }

  /// Lets the child go.
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

  /// Has the tree check from time to time whether the branch, which drifts, may follow.
  func watchDrift(in tree: TreeState) {
    // One that keeps its child in any case hears of what would end its drift.
    guard let branch, branch.isDrifting, branch.policy == .follow, branch.watcher !== tree,
      let responder = owner.strong.responder
    else { return }
    branch.watcher = tree
    tree.drifting.append(DriftingBranch(responder: Weak(responder), id: id))
  }
}
