/// Walks from parent to parent; remembers nothing but which tree it is in.
enum Chain: ResolutionStrategy {
  @inline(__always)
  static func find(
    _ id: KeyID, from start: Unmanaged<Core>?, _ route: Unmanaged<Route>, _ steps: inout Steps
  ) -> UnsafeMutablePointer<Entry>? {
    walk(id, from: start, &steps)
  }

  /// Also the way of trees without an application.
  @inline(__always)
  static func walk(_ id: KeyID, from start: Unmanaged<Core>?, _ steps: inout Steps)
    -> UnsafeMutablePointer<Entry>?
  {
    let wanted = id.bit | NodeBits.dead
    var next = start
    while let node = next {
      steps.count += 1
      let bits = node._withUnsafeGuaranteedRef { $0.flags }
      if bits & wanted != 0 {
        if bits & NodeBits.dead != 0 { return nil }
        if let entry = node._withUnsafeGuaranteedRef({ $0.ownEntry(id) }) { return entry }
      }
      next = node._withUnsafeGuaranteedRef { $0.parent }
    }
    return nil
  }

  static func slotChanged(_ id: KeyID, at responder: Responder) {}

  static func bitAdded(_ bit: UInt64, at responder: Responder) {}

  static func linked(_ responder: Responder, in route: Route) {}

  static func unlinked(_ responder: Responder) {
    if let core = responder.ownCore, core.validRoute != nil, !responder.owned.isEmpty {
      core.invalidateTree()
    }
    responder.forgetRoute()
  }
}
