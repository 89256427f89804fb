extension Round {
  /// Returns the answer of a branch, and makes its child if there is none yet.
  ///
  /// Branches above, on which this branch depends, are evaluated first, in a loop.
  func makeChildren(for slot: Slot) -> Answer {
    // Mostly, the branches above have their answers, and no list of branches is needed.
    if let inherited = slot.readableInheritance { return evaluate(slot, inheriting: inherited) }
    let (branches, base) = slot.unevaluatedBranches()
    return branches.reversed().reduce(base) { evaluate($1, inheriting: $0) }
  }

  /// Returns the answer to which the node resolves a key, and makes the child of a branch if
  /// needed.
  func answer(_ id: KeyID, at core: Core) -> Answer { answer(core.locate(id)) }

  /// Returns the answer of an entry that a lookup has found, and makes the child of a branch if
  /// needed. If there is no entry, the answer is `missing`.
  func answer(_ entry: EntryRef?) -> Answer {
    guard let entry else { return .missing }
    if let cell = entry.cell { return .value(cell.strong) }
    let slot = entry.decider
    return slot.answer ?? makeChildren(for: slot)
  }

  private func evaluate(_ slot: Slot, inheriting inherited: Answer) -> Answer {
    guard let branch = slot.branch else { return slot.answer ?? .missing }
    if let kept = branch.keptChild(inherited) {
      slot.publishIfReadable(kept)
      return .value(kept)
    }
    // The dropped child is released after the next child is stored, because the deinit of the
    // dropped child may read the branch.
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
    cell.inspectClass(following: parent)
    branch.isBeingMade = false
    if branch.isRetired { return .value(cell) }
    let listener = BranchListener(slot)
    branch.child = (cell, parent, listener)
    if branch.isKept, let responder = slot.owner.strong.responder {
      branch.beginKeeping(at: responder)
    }
    listener.register(at: slot.owner.strong)
    // `makeChild()` may have replaced the parent. Then the child is not published, because its
    // parent is no longer inherited. The next read checks the branch again.
    if case .value(let now) = slot.inheritedWithoutMaking(), branch.key.isIdentical(now, parent),
      slot.inheritsReadable || branch.policy == .keep
    {
      slot.publish(cell)
    }
    return .value(cell)
  }
}
