extension Responder {
  /// Returns one sentence for each law of the tree's data structures that does not hold at this
  /// responder.
  ///
  /// The result is empty unless the library has a bug. Tests call this function between rounds,
  /// while no other thread delivers a value.
  package final func checkInvariants() -> [String] {
    var broken = ownCore?.checkRoute() ?? []
    let expected = ownCore?.route ?? liveParent?.route
    if let route, route.strategy != nil, route != expected {
      broken.append("has another valid route than its core or its parent")
    }
    if let ownCore, let contents { broken += contents.checkInvariants(of: ownCore) }
    if ownCore == nil, !owned.isEmpty { broken.append("has children but no core") }
    if has(NodeBits.attached) != (ownCore?.attachment != nil) {
      broken.append("mistakes whether it has an attachment")
    }
    broken += checkListenerIndex()
    return broken.map { "\(debugLabel) \($0)" }
  }
}
