/// How a tree finds contexts. All strategies give the same answers and notifications; they differ
/// in where the cost goes.
public enum Strategy: String, Sendable, CaseIterable, Codable {
  /// Pushes what each responder resolves to down to it: lookups read their own node, changes cost
  /// the whole subtree.
  case baton
  /// Walks `nextResponder` at each lookup: nothing is remembered.
  case chain
  /// Walks without reference counting and jumps over responders that have no slots: lookups cost
  /// the providers on the way, changes cost those who observe.
  case skipping
}

/// What a strategy decides: how to find a slot, and what to do when slots and links change.
protocol ResolutionStrategy {
  /// The deciding entry above a validated node that has no slot of its own for the key.
  static func find<S: StepCounter>(_ id: KeyID, above core: Core, _ steps: inout S)
    -> UnsafeMutablePointer<Entry>?

  /// A slot of the node was replaced, added, removed, or has another value.
  static func slotChanged(_ id: KeyID, at core: Core)

  /// The node will get its first slot.
  static func firstSlot(at core: Core)

  /// The node was linked into a tree in this state.
  static func linked(_ core: Core, in epoch: Unmanaged<Epoch>)

  /// The node is about to be unlinked from its tree.
  static func unlinked(_ core: Core)
}

extension Strategy {
  // Switches instead of a table of types: half a nanosecond, and each call is visible.
  func slotChanged(_ id: KeyID, at core: Core) {
    switch self {
    case .baton: Baton.slotChanged(id, at: core)
    case .chain: Chain.slotChanged(id, at: core)
    case .skipping: Skipping.slotChanged(id, at: core)
    }
  }

  func firstSlot(at core: Core) {
    switch self {
    case .baton: Baton.firstSlot(at: core)
    case .chain: Chain.firstSlot(at: core)
    case .skipping: Skipping.firstSlot(at: core)
    }
  }

  func linked(_ core: Core, in epoch: Unmanaged<Epoch>) {
    switch self {
    case .baton: Baton.linked(core, in: epoch)
    case .chain: Chain.linked(core, in: epoch)
    case .skipping: Skipping.linked(core, in: epoch)
    }
  }

  func unlinked(_ core: Core) {
    switch self {
    case .baton: Baton.unlinked(core)
    case .chain: Chain.unlinked(core)
    case .skipping: Skipping.unlinked(core)
    }
  }
}

/// Counts the nodes a lookup looks at, in tests; compiled to nothing elsewhere.
protocol StepCounter {
  mutating func step()
}

struct NoSteps: StepCounter {
  @inline(__always) mutating func step() {}
}

struct CountedSteps: StepCounter {
  var count = 0
  mutating func step() { count += 1 }
}

extension Core {
  /// The valid state of the tree this node is in, if it is known.
  @inline(__always)
  var validEpoch: Unmanaged<Epoch>? {
    guard let epoch, epoch._withUnsafeGuaranteedRef({ $0.isValid }) else { return nil }
    return epoch
  }

  /// The entry that decides about a key for this node; `nil` if there is none.
  @inline(__always)
  func locate<S: StepCounter>(_ id: KeyID, _ steps: inout S) -> UnsafeMutablePointer<Entry>? {
    steps.step()
    if let entry = ownEntry(id) { return entry }
    guard let epoch = validEpoch ?? validate() else { return Chain.find(id, above: self, &steps) }
    switch epoch._withUnsafeGuaranteedRef({ $0.strategy }) {
    case .baton: return Baton.find(id, above: self, &steps)
    case .chain: return Chain.find(id, above: self, &steps)
    case .skipping: return Skipping.find(id, above: self, &steps)
    }
  }

  /// The entry of the node's own slot for a key.
  @inline(__always)
  func ownEntry(_ id: KeyID) -> UnsafeMutablePointer<Entry>? {
    guard flags & id.bit != 0, let entry = contents?.find(id),
      entry.pointee.isOwn
    else { return nil }
    return entry
  }

  func locate(_ id: KeyID) -> UnsafeMutablePointer<Entry>? {
    var steps = NoSteps()
    return locate(id, &steps)
  }

  /// Adopts the state of the tree this node is in, for itself and the ancestors that lack it.
  ///
  /// Ancestors of a validated node are always valid, so it stops at the first that is. `nil` in a
  /// tree without an application.
  @inline(never)
  func validate() -> Unmanaged<Epoch>? {
    var ancestor = self
    while ancestor.validEpoch == nil {
      guard let next = ancestor.liveParent else { return nil }
      ancestor = next
    }
    guard let found = ancestor.validEpoch else { return nil }
    // Nodes between two providers share their skip: walk to the next one, then mark them.
    var node = self
    while node !== ancestor {
      guard var provider = node.liveParent else { return nil }
      while provider.keyBits == 0, provider !== ancestor, let next = provider.liveParent {
        provider = next
      }
      let skip: Unmanaged<Core>? =
        provider.keyBits == 0 ? provider.skip : .passUnretained(provider)
      while node !== provider, let next = node.liveParent {
        node.skip = skip
        node.adopt(found)
        node = next
      }
    }
    return found
  }

  /// Makes everything that nodes remember of this tree stale.
  func invalidateTree() {
    guard let epoch = validEpoch?.takeUnretainedValue() else { return }
    epoch.invalidate()
    // Only with the application in hand may its core be written: see `Core`.
    guard let application = epoch.tree.application else { return }
    application.core.begin(Epoch(epoch.tree))
  }
}
