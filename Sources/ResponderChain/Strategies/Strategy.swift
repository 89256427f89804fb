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
  /// The entry that decides for a validated node.
  static func find(
    _ id: KeyID, from start: Unmanaged<Core>?, _ route: Unmanaged<Route>, _ steps: inout Steps
  ) -> UnsafeMutablePointer<Entry>?

  /// A slot of the validated responder was replaced, added, removed, or has another value.
  static func slotChanged(_ id: KeyID, at responder: Responder)

  /// The validated responder will get a slot for a key whose bit it does not have yet.
  static func bitAdded(_ bit: UInt64, at responder: Responder)

  /// The responder was linked to a parent that has this route.
  static func linked(_ responder: Responder, in route: Route)

  /// The responder is about to be unlinked from its tree.
  static func unlinked(_ responder: Responder)
}

extension Strategy {
  // Switches instead of a table of types: half a nanosecond, and each call is visible.
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

  func linked(_ responder: Responder, in route: Route) {
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

extension Way {
  /// The entry that decides about a key for a node whose route is of this way, not stale.
  @inline(__always)
  func find(
    _ id: KeyID, from start: Unmanaged<Core>?, _ route: Unmanaged<Route>, _ steps: inout Steps
  ) -> UnsafeMutablePointer<Entry>? {
    if self == .skipping { return Skipping.find(id, from: start, route, &steps) }
    if self == .baton { return Baton.find(id, from: start, route, &steps) }
    return Chain.find(id, from: start, route, &steps)
  }
}

/// Counts the nodes a lookup looks at, for tests; where nobody reads it, the optimiser drops it.
struct Steps {
  var count = 0
}

extension Responder {
  /// The entry that decides about a key for this responder; `nil` if there is none.
  @inline(__always)
  final func locate(_ id: KeyID, _ steps: inout Steps) -> UnsafeMutablePointer<Entry>? {
    guard let route = currentRoute else { return Chain.walk(id, from: place.start, &steps) }
    return route._withUnsafeGuaranteedRef { $0.way }.find(id, from: place.start, route, &steps)
  }

  @inline(__always)
  final func locate(_ id: KeyID) -> UnsafeMutablePointer<Entry>? {
    var steps = Steps()
    return locate(id, &steps)
  }
}

extension Core {
  /// The entry that decides about a key for this node; `nil` if there is none.
  func locate(_ id: KeyID) -> UnsafeMutablePointer<Entry>? {
    var steps = Steps()
    let start = Unmanaged.passUnretained(self)
    guard let route = validRoute ?? validate() else { return Chain.walk(id, from: start, &steps) }
    return route._withUnsafeGuaranteedRef { $0.way }.find(id, from: start, route, &steps)
  }

  /// The entry of the node's own slot for a key.
  @inline(__always)
  func ownEntry(_ id: KeyID) -> UnsafeMutablePointer<Entry>? {
    guard flags & id.bit != 0, let entry = contents?.find(id),
      entry.pointee.isOwn
    else { return nil }
    return entry
  }
}
