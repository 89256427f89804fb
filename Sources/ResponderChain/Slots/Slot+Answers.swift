extension Slot {
  /// The slot's answer; nil if the slot is a branch that must be evaluated first. Evaluating a
  /// branch may make its child.
  var answer: Answer? {
    switch state {
    case .value(let cell): .value(cell)
    case .pending: .pending
    case .failed(let failure): .failed(failure)
    case .block: .blocked
    case .branch(let branch): branch.published.map { .value($0) }
    }
  }

  /// Returns the answer that this branch inherits, without making a child.
  ///
  /// If the next branch above has no child, the answer is `missing`. This suffices, because a child
  /// that is not made yet cannot be the parent of this branch's child. If that branch has a child,
  /// the child is valid, because a round checks branches nearer to the root first.
  func inheritedWithoutMaking() -> Answer {
    guard let entry = owner.strong.liveParent?.locate(id) else { return .missing }
    if let cell = entry.cell { return .value(cell.strong) }
    let above = entry.decider
    if let answer = above.answer { return answer }
    return above.branch?.child.map { .value($0.cell) } ?? .missing
  }

  /// The answer that this branch inherits; nil if a branch above must be evaluated first.
  var readableInheritance: Answer? {
    guard let entry = owner.strong.liveParent?.locate(id) else { return .missing }
    if let cell = entry.cell { return .value(cell.strong) }
    return entry.decider.answer
  }

  /// Returns this branch, followed by the branches above it that must be evaluated first, the
  /// nearest first. `base` is the answer that the last of them inherits.
  func unevaluatedBranches() -> (branches: [Slot], base: Answer) {
    var branches: [Slot] = []
    var slot = self
    while true {
      branches.append(slot)
      // A branch that must keep its child does not need the children of the branches above.
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
  /// Returns the responder that has the slot; nil if it has ended. `asker` is a responder whose
  /// lookup found the slot.
  func responder(below asker: Responder) -> Responder? {
    owner == asker.coreReference.own ? asker : owner.strong.responder
  }

  /// Returns the slot that answers lookups at this branch, and the slot's answer. It is the branch
  /// itself if the branch has a child that its next read would keep, and otherwise a slot above;
  /// nil if there is none. Makes no child and changes nothing.
  fileprivate func deciderWithoutMaking() -> (slot: Slot, answer: Answer)? {
    let (branches, base) = unevaluatedBranches()
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
  /// Returns the nearest slot for a key, at the node or above, and the slot's answer; nil if there
  /// is none. Makes no child and changes nothing.
  ///
  /// A branch is skipped if it has no child, or if its next read would drop the child.
  ///
  /// - Complexity: One lookup, and one more for each branch that is skipped. Nothing is allocated,
  ///   except if a branch must check its child at its next read.
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
  /// Only the state is exact. If a branch would first have to make or check its child, the value is
  /// the one that the branch inherits.
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
