/// Walks from parent to parent; remembers nothing but which tree it is in.
enum Chain: ResolutionStrategy {
  @inline(__always)
  static func find<S: StepCounter>(_ id: KeyID, above core: Core, _ steps: inout S)
    -> UnsafeMutablePointer<Entry>?
  {
    let wanted = id.bit | NodeBits.dead
    var next = core.parent
    while let node = next {
      steps.step()
      let bits = node._withUnsafeGuaranteedRef { $0.flags }
      if bits & wanted != 0 {
        if bits & NodeBits.dead != 0 { return nil }
        if let entry = node._withUnsafeGuaranteedRef({ $0.ownEntry(id) }) { return entry }
      }
      next = node._withUnsafeGuaranteedRef { $0.parent }
    }
    return nil
  }

  static func slotChanged(_ id: KeyID, at core: Core) {}

  static func firstSlot(at core: Core) {}

  static func linked(_ core: Core, in epoch: Unmanaged<Epoch>) {}

  static func unlinked(_ core: Core) {
    if core.validEpoch != nil, !core.owned.isEmpty { core.invalidateTree() }
    core.adopt(nil)
    core.skip = nil
  }
}
