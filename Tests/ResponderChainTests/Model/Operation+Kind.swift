extension Operation {
  /// The kind of a step, without the numbers of the step.
  ///
  /// A new case of ``Operation`` does not compile until ``kinds`` has it. A test fails if the
  /// generator does not draw each kind.
  enum Kind: CaseIterable {
    case make, insert, move, reorder, remove, setRootView, present, dismiss, drop, makeFirst
    case provide, expect, deliver, fail, branch, soil, clean, block, withdraw
    case peek, remake, read, observe, observeFirst, endObservation, batch, atEnd
  }

  /// The kinds of the step and of the steps inside it.
  var kinds: Set<Kind> {
    switch self {
    case .make: [.make]
    case .insert: [.insert]
    case .move: [.move]
    case .reorder: [.reorder]
    case .remove: [.remove]
    case .setRootView: [.setRootView]
    case .present: [.present]
    case .dismiss: [.dismiss]
    case .drop: [.drop]
    case .makeFirst: [.makeFirst]
    case .provide: [.provide]
    case .expect: [.expect]
    case .deliver: [.deliver]
    case .fail: [.fail]
    case .branch: [.branch]
    case .soil: [.soil]
    case .clean: [.clean]
    case .block: [.block]
    case .withdraw: [.withdraw]
    case .read: [.read]
    case .peek: [.peek]
    case .remake: [.remake]
    case .observe(_, _, _, let script, _): (script?.kinds ?? []).union([.observe])
    case .observeFirst(_, _, _, let script, _): (script?.kinds ?? []).union([.observeFirst])
    case .endObservation: [.endObservation]
    case .atEnd(_, _, let step): step.kinds.union([.atEnd])
    case .batch(let steps): steps.reduce([.batch]) { $0.union($1.kinds) }
    }
  }
}
