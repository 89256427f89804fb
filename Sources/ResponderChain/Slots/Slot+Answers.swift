extension Slot {
  /// The slot's answer; nil if it is a branch that must be evaluated first, which may make a child.
  var answer: Answer? {
    switch state {
    case .value(let cell): .value(cell)
    case .pending: .pending
    case .failed(let failure): .failed(failure)
    case .block: .blocked
    case .branch(let branch): branch.settled.map { .value($0) }
    }
  }

  /// Returns the answer that this branch inherits, without making a child.
  ///
  /// A round checks branches nearer to the root first. So the next branch above has either the
  /// child that stays or no child yet. A child that is not made yet cannot be the parent of
  /// another.
  func inheritedWithoutMaking() -> Answer {
    guard let entry = owner.strong.liveParent?.locate(id) else { return .missing }
    if let cell = entry.cell { return .value(cell.strong) }
    let above = entry.decider
    if let answer = above.answer { return answer }
    return above.branch?.child.map { .value($0.cell) } ?? .missing
  }

  /// The answer that this branch inherits; nil if a branch above must be evaluated first.
  var settledInheritance: Answer? {
    guard let entry = owner.strong.liveParent?.locate(id) else { return .missing }
    if let cell = entry.cell { return .value(cell.strong) }
    return entry.decider.answer
  }

  /// Returns this branch and the branches above it that must be evaluated first, and the answer
  /// that the last one inherits. The branch nearest to the root is the last.
  func unsettledBranches() -> (branches: [Slot], base: Answer) {
    var branches: [Slot] = []
    var slot = self
    while true {
      branches.append(slot)
      // A child that stays in any case needs no child above it.
      if slot.branch?.mustKeepChild == true { return (branches, slot.inheritedWithoutMaking()) }
      guard let entry = slot.owner.strong.liveParent?.locate(id) else {
        return (branches, .missing)
      }
      if let cell = entry.cell { return (branches, .value(cell.strong)) }
      let above = entry.decider
      if let answer = above.answer { return (branches, answer) }
      slot = above
    }
  }
}

extension Slot {
  /// Returns the responder that has the slot. `asker` is a responder whose lookup found the slot.
  func responder(below asker: Responder) -> Responder? {
    owner == asker.place.own ? asker : owner.strong.responder
  }

  /// Returns the slot that answers lookups at this branch, with its answer. A branch's child counts
  /// only if the next read would keep it. Nothing is changed.
  fileprivate func deciderWithoutMaking() -> (slot: Slot, answer: Answer)? {
    let (branches, base) = unsettledBranches()
    let top = branches.last?.owner.strong.liveParent?.locate(id)?.decider
    var decider = top.map { (slot: $0, answer: base) }
    for slot in branches.reversed() {
      if let kept = slot.branch?.childToKeep(decider?.answer ?? .missing) {
        decider = (slot, .value(kept))
      }
    }
    return decider
  }
}

extension Core {
  /// Returns the nearest slot for a key, at the node or above, with its answer; nil if there is
  /// none. A branch without a child is skipped. No child is made, and nothing is changed.
  ///
  /// A child counts only if the next read of its branch would keep it.
  ///
  /// - Complexity: A lookup for each branch that is looked through. Nothing is allocated, unless a
  ///   branch with a child must be evaluated again at its next read.
  func deciderWithoutMaking(_ id: KeyID) -> (slot: Slot, answer: Answer)? {
    var node: Core? = self
    while let slot = node?.locate(id)?.decider {
      if let answer = slot.answer { return (slot, answer) }
      if slot.branch?.child != nil { return slot.deciderWithoutMaking() }
      node = slot.owner.strong.liveParent
    }
    return nil
  }

  /// Returns the state to which the node resolves a key, without making a child.
  ///
  /// Only the state is exact. Where a branch would first have to make its child, the value is the
  /// one that the branch inherits.
  func answerWithoutMaking(_ id: KeyID) -> Answer {
    var node: Core? = self
    while let entry = node?.locate(id) {
      if let cell = entry.cell { return .value(cell.strong) }
      let slot = entry.decider
      if let answer = slot.answer { return answer }
      if let branch = slot.branch, branch.mustKeepChild, let child = branch.child {
        return .value(child.cell)
      }
      node = slot.owner.strong.liveParent
    }
    return .missing
  }
}
