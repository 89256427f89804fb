/// The functions in which strategies differ. They find a slot, and follow changes of slots and
/// links.
protocol ResolutionStrategy {
  /// The nodes that have a route of their own.
  static var routeShape: RouteShape { get }

  /// Returns the table entry with the nearest slot for a key, from a node with a valid route up;
  /// nil if there is none.
  static func find(_ id: KeyID, from start: CoreRef?, _ route: RouteRef, _ steps: inout Steps)
    -> EntryRef?

  /// Updates the answers that nodes keep. It is called after a slot was added, removed or replaced,
  /// or got another value. The responder has a valid route.
  static func slotChanged(_ id: KeyID, at responder: Responder)

  /// Prepares for the responder's first slot for a key with the given bit. The responder has a
  /// valid route.
  static func bitAdded(_ bit: UInt64, at responder: Responder)

  /// Updates routes and answers after a responder was linked to a parent with a valid route.
  static func linked(_ responder: Responder, in route: RouteRef)

  /// Removes what the subtree remembers of the tree from which the responder is unlinked.
  static func unlinked(_ responder: Responder)
}

// Strategies are switches over an enum, so that each call can be specialised. A strategy that is
// missing in one of them does not compile. Rejected: an existential, whose calls are dynamic.
extension Strategy {
  /// The nodes that have a route of their own.
  var routeShape: RouteShape {
    switch self {
    case .baton: Baton.routeShape
    case .chain: Chain.routeShape
    case .skipping: Skipping.routeShape
    }
  }

  /// Returns the table entry with the nearest slot for a key, from a node with a valid route up;
  /// nil if there is none.
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

/// A count of the nodes that a lookup looks at, for tests. The optimiser removes it where nothing
/// reads it.
struct Steps {
  var count = 0
}
