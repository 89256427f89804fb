/// Jumps from provider to provider.
///
/// Each validated node points to the nearest ancestor with any slot. What a slot *holds* is never
/// remembered, so value changes and deliveries make nothing stale; only detaching a subtree, and
/// the first slot of a responder with children, do.
enum Skipping: ResolutionStrategy {
  @inline(__always)
  static func find<S: StepCounter>(_ id: KeyID, above core: Core, _ steps: inout S)
    -> UnsafeMutablePointer<Entry>?
  {
    let bit = id.bit
    var next = core.skip
    while let node = next {
      steps.step()
      let bits = node._withUnsafeGuaranteedRef { $0.flags }
      if bits & bit != 0, let entry = node._withUnsafeGuaranteedRef({ $0.ownEntry(id) }) {
        return entry
      }
      next = node._withUnsafeGuaranteedRef { $0.skip }
    }
    return nil
  }

  static func slotChanged(_ id: KeyID, at core: Core) {}

  static func firstSlot(at core: Core) {
    if !core.owned.isEmpty { core.invalidateTree() }
  }

  static func linked(_ core: Core, in epoch: Unmanaged<Epoch>) {}

  static func unlinked(_ core: Core) { Chain.unlinked(core) }
}
