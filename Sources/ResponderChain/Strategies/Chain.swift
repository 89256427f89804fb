/// The strategy that walks from parent to parent in each lookup. It uses the route of a node only
/// to get the node's tree.
enum Chain: ResolutionStrategy {
  static var routeShape: RouteShape { .oneForTheTree }

  @inline(__always)
  static func find(_ id: KeyID, from start: CoreRef?, _ route: RouteRef, _ steps: inout Steps)
    -> EntryRef?
  {
    Lookup.walk(id, from: start, &steps)
  }

  static func slotChanged(_ id: KeyID, at responder: Responder) {}

  static func bitAdded(_ bit: UInt64, at responder: Responder) {}

  static func linked(_ responder: Responder, in route: RouteRef) {}

  static func unlinked(_ responder: Responder) { Lookup.forgetTree(of: responder) }
}
