/// What a lookup found, untyped: the engine's form of ``Resolution``.
@usableFromInline
enum Answer {
  /// A `Cell` of the key's value.
  case value(Cell)
  case pending
  case failed(Failure)
  case missing
  case blocked
}

extension Responder {
  /// What the responder resolves a key to; makes a branch's child if that is needed for it.
  @usableFromInline
  final func answer(_ id: KeyID) -> Answer {
    Answer(locate(id))
  }

  /// What the responder's ancestors resolve a key to.
  @usableFromInline
  final func inheritedAnswer(_ id: KeyID) -> Answer {
    liveParent?.answer(id) ?? .missing
  }

  /// The object the responder resolves a key to, if it can be read without more.
  ///
  /// Neither it nor a cell is retained: the caller reads it before it does anything else.
  @usableFromInline
  final func object(_ id: KeyID) -> Unmanaged<AnyObject>? { entry(id)?.pointee.object }

  /// The cell of the value the responder resolves a key to, if it can be read without more.
  @usableFromInline
  final func cell(_ id: KeyID) -> Unmanaged<Cell>? { entry(id)?.pointee.cell }

  @inline(__always)
  private final func entry(_ id: KeyID) -> UnsafeMutablePointer<Entry>? {
    guard let route else { return entryFarther(id) }
    var steps = Steps()
    let way = route._withUnsafeGuaranteedRef { $0.way }
    if way == .skipping { return Skipping.find(id, from: place.start, route, &steps) }
    if way == .baton { return Baton.find(id, from: place.start, route, &steps) }
    return entryFarther(id)
  }

  /// The entry in any case. Not inlined, so that where it is not needed no registers are saved for it.
  @inline(never)
  private final func entryFarther(_ id: KeyID) -> UnsafeMutablePointer<Entry>? { locate(id) }
}

extension Core {
  /// What the node resolves a key to; makes a branch's child if that is needed for it.
  @inline(never)
  func answer(_ id: KeyID) -> Answer {
    Answer(locate(id))
  }

  /// The state the node resolves a key to, with any value where there is one; makes nothing.
  func answerWithoutMaking(_ id: KeyID) -> Answer {
    var node: Core? = self
    while let entry = node?.locate(id), let slot = entry.pointee.slot?.takeUnretainedValue() {
      if let cell = entry.pointee.cell { return .value(cell.takeUnretainedValue()) }
      guard let branch = slot.branch else { return slot.answer() }
      if branch.mustKeepChild, let child = branch.child { return .value(child.cell) }
      node = slot.owner.liveParent
    }
    return .missing
  }

  /// The cell of the value the node resolves a key to, if it can be read without more.
  func cell(_ id: KeyID) -> Unmanaged<Cell>? {
    locate(id)?.pointee.cell
  }
}

extension Answer {
  /// What an entry says; `missing` if there is none.
  fileprivate init(_ entry: UnsafeMutablePointer<Entry>?) {
    if let cell = entry?.pointee.cell {
      self = .value(cell.takeUnretainedValue())
    } else {
      self = entry?.pointee.slot?.takeUnretainedValue().answer() ?? .missing
    }
  }
}

extension Slot {
  func answer() -> Answer {
    switch state {
    case .value(let cell): .value(cell)
    case .pending: .pending
    case .failed(let failure): .failed(failure)
    case .block: .blocked
    case .branch: branchAnswer()
    }
  }

  /// Evaluates this branch, and first those above it that it depends on, without recursion.
  private func branchAnswer() -> Answer {
    let (waiting, base) = unsettledBranches()
    return waiting.reversed().reduce(base) { $1.settle($0) }
  }

  /// What this branch inherits now, as far as it is made.
  ///
  /// In a round those nearer to the root are checked first, so the next branch above has the child
  /// that stays, or none; one that is still to be made is nobody's parent yet.
  func inheritedWithoutMaking() -> Answer {
    guard let entry = owner.liveParent?.locate(id),
      let above = entry.pointee.slot?.takeUnretainedValue()
    else { return .missing }
    if let cell = entry.pointee.cell { return .value(cell.takeUnretainedValue()) }
    guard let branch = above.branch else { return above.answer() }
    return branch.child.map { .value($0.cell) } ?? .missing
  }

  private func unsettledBranches() -> (waiting: [Slot], base: Answer) {
    var waiting: [Slot] = []
    var slot = self
    while true {
      // A child that stays anyway needs no child above it.
      if slot.branch?.mustKeepChild == true {
        return (waiting, slot.settle(slot.inheritedWithoutMaking()))
      }
      waiting.append(slot)
      guard let entry = slot.owner.liveParent?.locate(id),
        let above = entry.pointee.slot?.takeUnretainedValue()
      else { return (waiting, .missing) }
      if let cell = entry.pointee.cell { return (waiting, .value(cell.takeUnretainedValue())) }
      guard case .branch = above.state else { return (waiting, above.answer()) }
      slot = above
    }
  }
}
