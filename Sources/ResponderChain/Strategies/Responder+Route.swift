extension Responder {
  /// The responder's own core, made on first need.
  final var core: Core { ownCore ?? makeCore() }

  @inline(never)
  private final func makeCore() -> Core {
    let core = Core()
    core.link(to: place.parent)
    core.adopt(route?.strong)
    stand(at: CoreReference(own: core))
    if let route = core.liveParent?.validRoute { route.tree.strategy.linked(self, in: route) }
    return core
  }

  /// The valid route of the responder, as far as its tree has an application.
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

  /// Forgets where lookups go, because the responder itself becomes a provider or is unlinked.
  final func forgetRoute() {
    ownCore?.adopt(nil)
    adopt(nil)
  }

  /// Forgets the tree the subtree was in.
  final func forgetTree() {
    guard let core = ownCore else { return forgetRoute() }
    core.route?.tree.strategy.unlinked(self)
  }
}
