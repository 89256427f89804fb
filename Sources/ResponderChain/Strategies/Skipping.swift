/// Jumps from provider to provider.
///
/// Each validated node points to the route of the nearest provider, itself included. The value of a
/// slot is never remembered, so value changes and deliveries make nothing stale; only detaching a
/// subtree, and a slot that others rely on not being there, do.
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
      // Two branches, because a predicted one does not wait for the mask to arrive.
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
      // From now on it has a route of its own, which no node below knows.
      if !responder.owned.isEmpty { core.invalidateTree() }
      responder.forgetRoute()
    }
  }

  static func linked(_ responder: Responder, in route: RouteRef) {}

  static func unlinked(_ responder: Responder) { Lookup.forgetTree(of: responder) }
}
