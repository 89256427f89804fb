/// Jumps from provider to provider.
///
/// Each validated node points to the route of the nearest provider, itself included. What a slot
/// *holds* is never remembered, so value changes and deliveries make nothing stale; only detaching
/// a subtree, and a slot that others rely on not being there, do.
enum Skipping: ResolutionStrategy {
  @inline(__always)
  static func find(
    _ id: KeyID, from start: Unmanaged<Core>?, _ route: Unmanaged<Route>, _ steps: inout Steps
  ) -> UnsafeMutablePointer<Entry>? {
    let bit = id.bit
    var next: Unmanaged<Route>? = route
    while let route = next {
      steps.count += 1
      if route._withUnsafeGuaranteedRef({ $0.mask }) & bit != 0,
        let entry = route._withUnsafeGuaranteedRef({ $0.table }).find(id)
      {
        return entry
      }
      // Two branches, because a predicted one does not wait for the mask to arrive.
      if _slowPath(route._withUnsafeGuaranteedRef { $0.farMask } & bit != 0) {
        next = route._withUnsafeGuaranteedRef { $0.next }
      } else {
        next = route._withUnsafeGuaranteedRef { $0.far }
      }
    }
    return nil
  }

  static func slotChanged(_ id: KeyID, at responder: Responder) {}

  static func bitAdded(_ bit: UInt64, at responder: Responder) {
    let core = responder.core
    if let own = core.ownRoute {
      if !own.add(bit) { core.invalidateTree() }
    } else {
      // From now on it has a route of its own, which nobody below knows.
      if !responder.owned.isEmpty { core.invalidateTree() }
      responder.forgetRoute()
    }
  }

  static func linked(_ responder: Responder, in route: Route) {}

  static func unlinked(_ responder: Responder) { Chain.unlinked(responder) }
}
