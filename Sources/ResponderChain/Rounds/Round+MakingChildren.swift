extension Round {
  /// Returns the answer of a branch, after making its child if there has to be one.
  ///
  /// First it evaluates the branches above that the branch depends on, without recursion.
  func makeChildren(for slot: Slot) -> Answer {
    let (branches, base) = slot.unsettledBranches()
    return branches.reversed().reduce(base) { evaluate($1, inheriting: $0) }
  }

  /// Returns what the node resolves a key to, after making the child of a branch if there has to be
  /// one.
  func answer(_ id: KeyID, at core: Core) -> Answer {
    guard let entry = core.locate(id) else { return .missing }
    if let cell = entry.cell { return .value(cell.strong) }
    let slot = entry.decider
    return slot.answer ?? makeChildren(for: slot)
  }

  private func evaluate(_ slot: Slot, inheriting inherited: Answer) -> Answer {
    guard let branch = slot.branch else { return slot.answer ?? .missing }
    if let kept = branch.keptChild(inherited) {
      slot.publishIfSettled(kept)
      return .value(kept)
    }
    // It ends when the next child is in its place: its deinit may read the branch.
    let dropped = branch.child?.cell
    defer { withExtendedLifetime(dropped) {} }
    slot.dropChild()
    guard case .value(let parent) = inherited else { return inherited }
    return makeChild(of: parent, for: slot, branch)
  }

  private func makeChild(of parent: Cell, for slot: Slot, _ branch: Branch) -> Answer {
    precondition(
      !branch.isBeingMade, "makeChild() of \(branch.key.key) read the branch it was made for")
    branch.isBeingMade = true
    let cell = branch.key.makeChild(of: parent)
    cell.inspectClass()
    branch.isBeingMade = false
    if branch.isRetired { return .value(cell) }
    let listener = BranchListener(slot)
    branch.child = (cell, parent, listener)
    listener.register(at: slot.owner.strong)
    // While it was made, the parent may have been replaced: then the next reader looks again.
    if case .value(let now) = slot.inheritedWithoutMaking(), branch.key.isIdentical(now, parent),
      slot.inheritsSettled || branch.policy == .keep
    {
      slot.publish(cell)
    }
    return .value(cell)
  }
}
