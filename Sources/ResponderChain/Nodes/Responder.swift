/// A node of the tree, such as an application, a controller or a view.
///
/// A responder owns its children. It looks up contexts in its own slots, then in those of its
/// ancestors, which it reaches through ``nextResponder``. A tree is a plain class graph without
/// locks. It belongs to the actor or task that made it, and the compiler checks that no other
/// isolation uses it.
///
/// A tree of any depth is released by a loop. But a child that a subclass also stores in a property
/// is released by recursion. In very deep trees, subclasses should not store children.
open class Responder: Responding {
  private(set) final var coreReference = CoreReference(parent: nil)

  /// The route of lookups that begin at this responder; nil if there is none. It is retained by
  /// hand.
  ///
  /// It is a copy of the route in the responder's core or, if the responder has no core, in its
  /// parent's core. With this copy, most lookups read only one cache line of the responder. If the
  /// copy and the original are both valid, they are the same route.
  private(set) final var route: RouteRef?

  /// The stored value of ``owned``.
  ///
  /// Exclusivity checking is off because it cost a fifth of building a tree (`build`). This is safe
  /// because no change of the array calls other code, except in the deinit, when nothing else has a
  /// reference to the responder.
  @exclusivity(unchecked) private final var ownedResponders = OwnedResponders()

  /// Makes a responder without a parent.
  public init() {}

  deinit {
    // See `Core` for why this deinit may run on any thread.
    defer { unsafe coreReference.release() }
    let needsTeardown = has(NodeBits.needsTeardown)
    if needsTeardown, let contents {
      contents.ownSlots.forEach { $0.ownerWillEnd() }
      // Only code that holds the responder registers at it, so the list does not change here. The
      // core may live on, because a child retains it.
      contents.listeners?.endOwn()
    }
    ownAttachment?.ownerWillEnd()
    unsafe route?.release()
    guard unsafe !ownedResponders.isEmpty, let core = ownCore else { return }
    core.set(NodeBits.dead, true)
    // The route of an application's core is written only by code that holds the application.
    if core.has(NodeBits.application) { core.route?.strong.epoch.invalidate() }
    let receiver = needsTeardown ? core.contents?.orphanReceiver : nil
    unsafe Teardown.release(&ownedResponders, to: receiver)
  }

  /// Tells the responder that it was attached to a parent. Its descendants are not told.
  open func didAttach() {}

  /// Tells the responder that it is about to be detached from its parent. Its descendants are not
  /// told.
  open func willDetach() {}

  /// Tells the responder that a lookup of a key returns another value or state now.
  ///
  /// It is called only for keys that were passed to ``watch(_:)``. If it were called for all keys,
  /// each change would have to visit all responders below.
  open func contextDidChange(_ key: any ContextKey.Type) {}
}

extension Responder {
  /// The responders that this one owns: the root view, then the children, then the presented
  /// controller.
  @inline(__always)
  final var owned: OwnedResponders { unsafe ownedResponders }

  /// Inserts a responder into ``owned`` at an index, or appends it if the index is nil.
  @inline(__always)
  final func insertOwned(_ responder: Responder, at index: Int?) {
    if let index {
      unsafe ownedResponders.insert(responder, at: index)
    } else {
      unsafe ownedResponders.append(responder)
    }
  }

  /// Removes a responder from ``owned``. The caller must hold a reference to the responder, so that
  /// its deinit does not run during the removal.
  @inline(__always)
  final func removeOwned(at index: Int) { unsafe ownedResponders.remove(at: index) }

  /// Replaces ``coreReference``, the reference to a core. Only `Responder+Core.swift` and
  /// `Responder+Route.swift` call this function.
  final func setCoreReference(_ newReference: CoreReference) {
    let old = coreReference
    coreReference = newReference
    unsafe old.release()
  }

  /// Sets ``route``, or removes it if the new route is nil.
  final func adopt(_ newRoute: RouteRef?) {
    let old = route
    unsafe newRoute?.retain()
    route = newRoute
    unsafe old?.release()
  }
}

/// The protocol of all responders. Its functions take closures that receive the responder with its
/// own class as the type.
///
/// Every ``Responder`` conforms. A closure that receives the responder need not capture it, and so
/// does not keep the responder alive by mistake.
public protocol Responding: AnyObject {}

/// The closures and the debug name that a program has set for a responder, and the origins of its
/// slots. Few responders have any.
final class Hooks {
  var name: String?
  var attach: ((Responder) -> Void)?
  var detach: ((Responder) -> Void)?
  /// The keys that were passed to ``Responder/watch(_:)``.
  var watchedKeys: [KeyID] = []
  /// The origins of the slots that were made while ``Responder/keepsOrigins`` was true.
  var origins = OriginTable()
}
