/// The functions in which strategies differ: the lookup of a slot, and the updates when slots or
/// links change.
protocol ResolutionStrategy {
  /// The rule that decides which nodes have a route of their own.
  static var routeShape: RouteShape { get }

  /// Returns the table entry with the nearest slot for a key, from `start` up; nil if there is
  /// none. `route` is the valid route of that node.
  static func find(_ id: KeyID, from start: CoreRef?, _ route: RouteRef, _ steps: inout Steps)
    -> EntryRef?

  /// Updates the answers that nodes have stored. It is called after a slot of the responder was
  /// added, removed or replaced, or got another value. The responder must have a valid route.
  static func slotChanged(_ id: KeyID, at responder: Responder)

  /// Prepares the routes for the responder's first slot for a key with the given bit. The responder
  /// must have a valid route.
  static func bitAdded(_ bit: UInt64, at responder: Responder)

  /// Updates routes and stored answers after a responder was linked to a parent. `route` is the
  /// valid route of that parent.
  static func linked(_ responder: Responder, in route: RouteRef)

  /// Removes the slots that were pushed down to the responder's subtree, and removes the subtree's
  /// routes or makes them stale. It is called before the responder is unlinked from its tree, or
  /// after its parent has ended.
  static func unlinked(_ responder: Responder)
}

// Each function is a switch over the enum, so that each call can be specialised. A switch that
// lacks a strategy does not compile. Rejected: an existential, whose calls are dynamic.
extension Strategy {
  /// The rule that decides which nodes have a route of their own.
  var routeShape: RouteShape {
    switch self {
    case .baton: Baton.routeShape
    case .chain: Chain.routeShape
    case .skipping: Skipping.routeShape
    }
  }

  /// Returns the table entry with the nearest slot for a key, from `start` up; nil if there is
  /// none. `route` is the valid route of that node.
  @inline(__always)
  func find(_ id: KeyID, from start: CoreRef?, _ route: RouteRef, _ steps: inout Steps)
    -> EntryRef?
  {
    switch self {
    case .baton: return Baton.find(id, from: start, route, &steps)
    case .chain: return Chain.find(id, from: start, route, &steps)
    case .skipping: return Skipping.find(id, from: start, route, &steps)
    }
  }

  func slotChanged(_ id: KeyID, at responder: Responder) {
    switch self {
    case .baton: Baton.slotChanged(id, at: responder)
    case .chain: Chain.slotChanged(id, at: responder)
    case .skipping: Skipping.slotChanged(id, at: responder)
    }
  }

  func bitAdded(_ bit: UInt64, at responder: Responder) {
    switch self {
    case .baton: Baton.bitAdded(bit, at: responder)
    case .chain: Chain.bitAdded(bit, at: responder)
    case .skipping: Skipping.bitAdded(bit, at: responder)
    }
  }

  func linked(_ responder: Responder, in route: RouteRef) {
    switch self {
    case .baton: Baton.linked(responder, in: route)
    case .chain: Chain.linked(responder, in: route)
    case .skipping: Skipping.linked(responder, in: route)
    }
  }

  func unlinked(_ responder: Responder) {
    switch self {
    case .baton: Baton.unlinked(responder)
    case .chain: Chain.unlinked(responder)
    case .skipping: Skipping.unlinked(responder)
    }
  }
}

/// A count of the nodes that a lookup looks at. Tests read it, and the optimiser removes it where
/// nothing reads it.
struct Steps {
  var count = 0
}
