extension Responder {
  /// The responder's own core, which is made at the first use.
  final var core: Core { ownCore ?? makeCore() }

  @inline(never)
  private final func makeCore() -> Core {
    let core = Core()
    begin(with: core)
    return core
  }

  /// Gives the responder its first core.
  final func begin(with core: Core) {
    core.link(to: place.parent)
    core.adopt(route?.strong)
    stand(at: CoreReference(own: core))
    if let route = core.liveParent?.validRoute { route.tree.strategy.linked(self, in: route) }
  }

  /// The responder's route, made valid if it was stale; nil in a tree without an application.
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

  /// Removes the routes of the responder and its core, because it becomes a provider or is
  /// unlinked.
  final func forgetRoute() {
    ownCore?.adopt(nil)
    adopt(nil)
  }

  /// Removes what the subtree remembers of its tree, before it is unlinked or after its parent has
  /// ended.
  final func forgetTree() {
    guard let core = ownCore else { return forgetRoute() }
    core.route?.tree.strategy.unlinked(self)
  }
}
