extension Responder {
  /// The responder's own core. The first read makes it.
  final var core: Core { ownCore ?? makeCore() }

  @inline(never)
  private final func makeCore() -> Core {
    let core = Core()
    begin(with: core)
    return core
  }

  /// Gives the responder its first core.
  final func begin(with core: Core) {
    core.link(to: coreReference.parent)
    core.adopt(route?.strong)
    setCoreReference(CoreReference(own: core))
    if let route = core.liveParent?.validRoute { route.tree.strategy.linked(self, in: route) }
  }

  /// The responder's valid route; nil in a tree without an application. Reading this property
  /// renews a stale route.
  @inline(__always)
  final var currentRoute: RouteRef? {
    if let route, route.strategy != nil { return route }
    return renewedRoute()
  }

  @inline(never)
  private final func renewedRoute() -> RouteRef? {
    let start = ownCore ?? liveParent
    let new = start?.validRoute ?? start?.validate()
    adopt(new)
    return new
  }

  /// Removes the stored routes of the responder and its core. This is needed when the responder
  /// becomes a provider or is unlinked.
  final func forgetRoute() {
    ownCore?.adopt(nil)
    adopt(nil)
  }

  /// Removes the slots that were pushed down to the subtree, and removes its routes or makes them
  /// stale. This function is called before the subtree is unlinked, or after its parent has ended.
  final func forgetTree() {
    guard let core = ownCore else { return forgetRoute() }
    core.route?.tree.strategy.unlinked(self)
  }
}
