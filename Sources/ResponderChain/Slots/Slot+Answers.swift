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
  /// A round checks branches nearer to the root first. So the next branch above has the child that
  /// stays, or none, and a child that is not made yet is no parent.
  func inheritedWithoutMaking() -> Answer {
    guard let entry = owner.strong.liveParent?.locate(id) else { return .missing }
    if let cell = entry.cell { return .value(cell.strong) }
    let above = entry.decider
    if let answer = above.answer { return answer }
    return above.branch?.child.map { .value($0.cell) } ?? .missing
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
  /// Returns the responder that has the slot. `asker` is a responder that found it.
  func responder(below asker: Responder) -> Responder? {
    owner == asker.place.own ? asker : owner.strong.responder
  }

  /// Returns the slot that decides where this branch is found, with its answer, if the branch's
  /// child may be one that its next read drops. It changes nothing.
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
  /// Returns the slot that decides for the node under a key, with its answer, where branches
  /// without a child are looked through; nil if there is none. It makes no child and changes
  /// nothing.
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
  /// Only the state is exact. A value may be the one that a branch inherits, where the branch would
  /// have to be evaluated to get its child.
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
