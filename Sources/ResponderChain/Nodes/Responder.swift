import CLineageRuntime

/// A node of the tree: an application, a controller, a view, or anything between.
///
/// A responder owns its children and finds its contexts by walking ``nextResponder``, however it
/// came to be where it is. It is a plain class: the tree lives in whichever actor or task made it,
/// and the compiler keeps it there.
///
/// A subclass that also stores a child in a property of its own is released by Swift's recursion,
/// not by the tree's loop; in very deep trees let the tree own its children.
open class Responder: Responding {
  private(set) final var place = CoreReference(parent: nil)

  /// The core's route, once a lookup began here; retained by hand.
  ///
  /// A copy, so that most lookups touch one line of the responder's own memory. Where both are valid
  /// they are the same. Without a core of its own it is the parent's route.
  private(set) final var route: RouteRef?

  /// The storage of ``owned``.
  ///
  /// Exclusivity is not checked, because the checks cost a fifth of building a tree (`build`). This
  /// is safe because no change of the array calls out, but in the deinit, when nothing else has it.
  @exclusivity(unchecked) private final var ownedResponders = OwnedResponders()

  /// Makes a responder without a parent.
  public init() {}

  deinit {
    // See `Core` for why this may run on any thread.
    defer { unsafe place.release() }
    let needsTeardown = has(NodeBits.needsTeardown)
    if needsTeardown, let contents {
      contents.ownSlots.forEach { $0.ownerWillEnd() }
      // Only code that holds the responder registers at it. A child may keep the core.
      contents.listeners?.endOwn()
    }
    unsafe route?.release()
    guard unsafe !ownedResponders.isEmpty, let core = ownCore else { return }
    core.set(NodeBits.dead, true)
    // An application's route is written only by code that holds it.
    if core.has(NodeBits.application) { core.route?.strong.epoch.invalidate() }
    let receiver = needsTeardown ? core.contents?.orphanReceiver : nil
    unsafe Teardown.release(&ownedResponders, to: receiver)
  }

  /// Called when the responder was attached to a parent; its descendants are not told.
  open func didAttach() {}

  /// Called before the responder is detached from its parent; its descendants are not told.
  open func willDetach() {}

  /// Called when what the responder resolves for a key it follows has changed.
  ///
  /// See ``follow(_:)``.
  open func contextDidChange(_ key: any ContextKey.Type) {}
}

extension Responder {
  /// The responders that this one owns: root view first, then children, then the presented
  /// controller.
  @inline(__always)
  final var owned: OwnedResponders { unsafe ownedResponders }

  /// Adds a responder to the owned ones; at the end unless told where.
  @inline(__always)
  final func insertOwned(_ responder: Responder, at index: Int?) {
    if let index {
      unsafe ownedResponders.insert(responder, at: index)
    } else {
      unsafe ownedResponders.append(responder)
    }
  }

  /// Removes a responder, which the caller keeps, from the owned ones.
  @inline(__always)
  final func removeOwned(at index: Int) { unsafe ownedResponders.remove(at: index) }

  /// Takes another place; only `Responder+Core.swift` calls it, here and in Strategies.
  final func stand(at newPlace: CoreReference) {
    let old = place
    place = newPlace
    unsafe old.release()
  }

  /// Remembers a route, or forgets it.
  final func adopt(_ newRoute: RouteRef?) {
    let old = route
    unsafe newRoute?.retain()
    route = newRoute
    unsafe old?.release()
  }

  /// A strong reference to the responder; nil if it is in its deinit, where none may be taken.
  ///
  /// It asks the runtime, because for a weak reference each responder that listens would need a
  /// table beside it, which every count of its references would go through. The function is the one
  /// that `weak` is made of.
  final var strongReference: Responder? {
    let object = unsafe Unmanaged.passUnretained(self).toOpaque()
    guard let retained = unsafe swift_tryRetain(object) else { return nil }
    return unsafe Unmanaged<Responder>.fromOpaque(retained).takeRetainedValue()
  }
}

/// A responder, for functions with closures that get the responder in its own type.
///
/// Every ``Responder`` conforms. A closure that is handed its responder need not capture it, and so
/// cannot keep it alive.
public protocol Responding: AnyObject {}

/// The closures and the name that few responders have.
final class Hooks {
  var name: String?
  var attach: ((Responder) -> Void)?
  var detach: ((Responder) -> Void)?
  var contextChange: ((Responder, any ContextKey.Type) -> Void)?
  /// The keys of ``Responder/follow(_:)``.
  var followedKeys: [KeyID] = []
}
