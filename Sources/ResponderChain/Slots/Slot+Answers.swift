extension Slot {
  /// The slot's answer; nil if it is a branch that has to be evaluated first, which may make a child.
  var answer: Answer? {
    switch state {
    case .value(let cell): .value(cell)
    case .pending: .pending
    case .failed(let failure): .failed(failure)
    case .block: .blocked
    case .branch(let branch): branch.settled.map { .value($0) }
    }
  }

  /// Returns what this branch inherits now, as far as it is made.
  ///
  /// In a round the branches nearer to the root are checked first, so the next branch above has the
  /// child that stays, or none; one that is still to be made is no parent yet.
  func inheritedWithoutMaking() -> Answer {
    guard let entry = owner.strong.liveParent?.locate(id) else { return .missing }
    if let cell = entry.cell { return .value(cell.strong) }
    let above = entry.decider
    if let answer = above.answer { return answer }
    return above.branch?.child.map { .value($0.cell) } ?? .missing
  }

  /// Returns this branch and those above it that have to be evaluated first, the nearest to the root
  /// last, and what the last one inherits.
  func unsettledBranches() -> (branches: [Slot], base: Answer) {
    var branches: [Slot] = []
    var slot = self
    while true {
      branches.append(slot)
      // A child that stays anyway needs no child above it.
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

extension Core {
  /// Returns the state that the node resolves a key to, with any value where there is one; makes
  /// nothing.
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
