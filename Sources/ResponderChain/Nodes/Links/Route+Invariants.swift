extension Core {
  /// Returns a sentence for each law of routes that does not hold at the node.
  func checkRoute() -> [String] {
    guard let route = validRoute?.strong else { return [] }
    let isOwn = route.core == CoreRef(self)
    guard let parent = liveParent else {
      return isOwn ? [] : ["is a top with the route of somebody else"]
    }
    guard let above = parent.validRoute?.strong else {
      return ["is validated below somebody who is not"]
    }
    guard isOwn else {
      var broken: [String] = []
      if route !== above { broken.append("has neither a route of its own nor its parent's") }
      if keyBits != 0, route.epoch.tree.routeShape == .oneForEachProvider {
        broken.append("provides without a route")
      }
      return broken
    }
    var broken: [String] = []
    if route.next != RouteRef(above) {
      broken.append("has a route that does not go on with its parent's")
    }
    if route.rows != contents?.rows { broken.append("has a table of before") }
    if route.mask & keyBits != keyBits { broken.append("has key bits that its route lacks") }
    return broken + route.checkWindow()
  }
}

extension Route {
  /// Returns a sentence for each law of jumps that does not hold for this route; see
  /// ``Route/window``.
  fileprivate func checkWindow() -> [String] {
    guard var end = next?.strong else { return [] }
    var jumped: [Route] = []
    while jumped.count < Self.window - 1, let further = end.next?.strong {
      jumped.append(end)
      end = further
    }
    var broken: [String] = []
    if far != RouteRef(end) { broken.append("jumps to the wrong place") }
    if jumped.contains(where: { $0.mask & ~farMask != 0 }) { broken.append("jumps over a bit") }
    if !jumped.allSatisfy(\.isCovered) { broken.append("jumps over somebody who is not told") }
    return broken
  }
}
