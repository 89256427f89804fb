/// The strategy that jumps from provider to provider.
///
/// A node with a valid route shares the route of the nearest provider, which may be the node
/// itself. Routes never hold values of slots, so value changes and deliveries make no route stale.
/// Routes become stale when a subtree is detached, and when lookups by these routes would miss a
/// new slot.
enum Skipping: ResolutionStrategy {
  static var routeShape: RouteShape { .oneForEachProvider }

  @inline(__always)
  static func find(_ id: KeyID, from start: CoreRef?, _ route: RouteRef, _ steps: inout Steps)
    -> EntryRef?
  {
    let bit = id.bit
    var next: RouteRef? = route
    while let route = next {
      steps.count += 1
      if route.mask & bit != 0, let entry = route.entry(id) { return entry }
      // This is an `if` statement, because the processor predicts its result and need not wait
      // until the mask is loaded.
      if _slowPath(route.farMask & bit != 0) {
        next = route.next
      } else {
        next = route.far
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
      // The responder gets a route of its own, but the nodes below still have another route.
      if !responder.owned.isEmpty { core.invalidateTree() }
      responder.forgetRoute()
    }
  }

  static func linked(_ responder: Responder, in route: RouteRef) {}

  static func unlinked(_ responder: Responder) { Lookup.forgetTree(of: responder) }
}
