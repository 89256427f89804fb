/// The decisions of a strategy: how to find a slot, and what to do when slots and links change.
protocol ResolutionStrategy {
  /// Which nodes have a route of their own.
  static var routeShape: RouteShape { get }

  /// Returns the entry that decides for a validated node.
  static func find(_ id: KeyID, from start: CoreRef?, _ route: RouteRef, _ steps: inout Steps)
    -> EntryRef?

  /// A slot of the validated responder was replaced, added, removed, or has another value.
  static func slotChanged(_ id: KeyID, at responder: Responder)

  /// The validated responder will get a slot for a key whose bit it does not have yet.
  static func bitAdded(_ bit: UInt64, at responder: Responder)

  /// The responder was linked to a parent that has this route.
  static func linked(_ responder: Responder, in route: RouteRef)

  /// The responder is about to be unlinked from its tree.
  static func unlinked(_ responder: Responder)
}

// Switches instead of a table of types: half a nanosecond, and each call is visible. A strategy that
// is missing in one of them does not compile.
extension Strategy {
  /// Which nodes have a route of their own.
  var routeShape: RouteShape {
    switch self {
    case .baton: Baton.routeShape
    case .chain: Chain.routeShape
    case .skipping: Skipping.routeShape
    }
  }

  /// Returns the entry that decides about a key for a node whose route is valid.
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

/// Counts the nodes that a lookup looks at, for tests; where nothing reads it, the optimiser drops
/// it.
struct Steps {
  var count = 0
}
