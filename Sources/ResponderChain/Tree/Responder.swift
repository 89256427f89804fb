/// A node of the tree: an application, a controller, a view, or anything between.
///
/// A responder owns its children and finds its contexts by walking ``nextResponder``, however it
/// came to be where it is. It is a plain class: the tree lives in whichever actor or task made it,
/// and the compiler keeps it there.
///
/// A subclass that also stores a child in a property of its own is released by Swift's recursion,
/// not by the tree's loop; in very deep trees let the tree own its children.
open class Responder: Responding {
  private(set) final var place = Place(parent: nil)

  /// The core's route, once somebody looked something up from here; retained by hand.
  ///
  /// A copy, so that most lookups touch one line of the responder's own memory. Where both are valid
  /// they are the same. Without a core of its own it is the parent's route.
  private(set) final var route: Unmanaged<Route>?

  /// The responders this one owns: root view first, then children, then the presented controller.
  ///
  /// Overlapping changes are not looked for at each access, which was a fifth of building a tree:
  /// whoever changes the array calls nobody meanwhile, but the deinit, when nobody else has it.
  @exclusivity(unchecked) final var owned = OwnedResponders()

  /// Makes a responder without a parent.
  public init() {}

  deinit {
    // See `Core` for why this may run on any thread.
    defer { place.release() }
    let hasFarewell = has(NodeBits.farewell)
    if hasFarewell {
      contents?.ownSlots.forEach {
        $0.load?.cancel()
        $0.promise?.close()
      }
      // Only code that holds the responder registers at it. A child may keep the core.
      for listener in contents?.listening?.own ?? [] where listener.kind == .observer {
        unsafeDowncast(listener, to: Observer.self).end()
      }
    }
    route?.release()
    guard !owned.isEmpty, let core = ownCore else { return }
    core.set(NodeBits.dead, true)
    // An application's route is written only by code that holds it.
    if core.has(NodeBits.application) { core.route?.takeUnretainedValue().epoch.invalidate() }
    let mailbox = hasFarewell ? core.contents?.mailbox : nil
    ThreadState.release(&owned, to: mailbox)
  }

  /// Called when the responder was attached to a parent; its descendants are not told.
  open func didAttach() {}

  /// Called before the responder is detached from its parent; its descendants are not told.
  open func willDetach() {}

  /// Called when what the responder resolves for a key it follows has changed.
  ///
  /// See ``follow(_:)``.
  open func contextDidChange(_ key: any ContextKey.Type) {}

  /// A name that descriptions show beside the type; none by default.
  public final var name: String? {
    get { contents?.hooks?.name }
    set { core.madeHooks().name = newValue }
  }

  /// Called with the responder after ``didAttach()``; do not capture the responder in it.
  public final var onAttach: ((Responder) -> Void)? {
    get { contents?.hooks?.attach }
    set { core.madeHooks().attach = newValue }
  }

  /// Called with the responder after ``willDetach()``, still attached.
  public final var onDetach: ((Responder) -> Void)? {
    get { contents?.hooks?.detach }
    set { core.madeHooks().detach = newValue }
  }

  /// Called with the responder and the key after ``contextDidChange(_:)``.
  public final var onContextChange: ((Responder, any ContextKey.Type) -> Void)? {
    get { contents?.hooks?.contextChange }
    set { core.madeHooks().contextChange = newValue }
  }
}

extension Responder {
  /// The valid route of the responder, as far as its tree has an application.
  @inline(__always)
  final var currentRoute: Unmanaged<Route>? {
    if let route, route._withUnsafeGuaranteedRef({ $0.isValid }) { return route }
    return renewedRoute()
  }

  @inline(never)
  private final func renewedRoute() -> Unmanaged<Route>? {
    let start = ownCore ?? liveParent
    let new = start?.validRoute ?? start?.validate()
    adoptRoute(new)
    return new
  }

  /// Forgets where lookups go, because the responder itself becomes a provider or is unlinked.
  final func forgetRoute() {
    ownCore?.adopt(nil)
    adoptRoute(nil)
  }

  /// Forgets the tree the subtree was in.
  final func forgetTree() {
    guard let core = ownCore else { return forgetRoute() }
    core.route?.takeUnretainedValue().strategy.unlinked(self)
  }

  /// Takes another place; only `Place.swift` calls it.
  final func stand(at newPlace: Place) {
    let old = place
    place = newPlace
    old.release()
  }

  private final func adoptRoute(_ new: Unmanaged<Route>?) {
    let old = route
    route = new?.retain()
    old?.release()
  }
}

/// What responders can do with closures that get the responder in its own type.
///
/// Every ``Responder`` conforms. A closure that is handed its responder need not capture it, and so
/// cannot keep it alive.
public protocol Responding: AnyObject {}

/// Closures and names that few responders have.
final class Hooks {
  var name: String?
  var attach: ((Responder) -> Void)?
  var detach: ((Responder) -> Void)?
  var contextChange: ((Responder, any ContextKey.Type) -> Void)?
  /// The keys of ``Responder/follow(_:)``.
  var followedKeys: [KeyID] = []
}

extension Core {
  func madeHooks() -> Hooks {
    let contents = madeContents()
    if let hooks = contents.hooks { return hooks }
    let hooks = Hooks()
    contents.hooks = hooks
    return hooks
  }

  /// What the nodes of this tree share, if it has an application.
  var tree: Tree? {
    var node = self
    while true {
      if let route = node.validRoute { return route.takeUnretainedValue().epoch.tree }
      guard let next = node.liveParent else { return nil }
      node = next
    }
  }
}
