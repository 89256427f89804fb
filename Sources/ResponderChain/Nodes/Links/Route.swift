import Synchronization

/// An object that routes of one tree share, until all of them become stale together.
///
/// Invalidating the epoch makes all its routes stale at once. The tree then gets another epoch. It
/// is an object, because one pointer to it tells both the tree and whether a route is still valid.
///
/// Rejected: a counter in each node. A counter can wrap, and the node needs further pointers to the
/// tree and to the next provider.
final class Epoch {
  let tree: TreeState
  /// The bits of a `Strategy?`, in one byte. Lookups compare the byte without checking that it is a
  /// valid case.
  private let bits: Atomic<UInt8>

  init(_ tree: TreeState) {
    self.tree = tree
    bits = Atomic(Self.bits(tree.strategy))
  }

  /// The strategy of lookups; nil if routes of this epoch are stale.
  @inline(__always)
  var strategy: Strategy? {
    unsafe unsafeBitCast(bits.load(ordering: .relaxed), to: Strategy?.self)
  }

  /// The strategy of lookups, in a form that can only be compared. If routes of this epoch are
  /// stale, it equals no strategy.
  @inline(__always)
  var followed: FollowedStrategy { FollowedStrategy(bits: bits.load(ordering: .relaxed)) }

  func invalidate() { bits.store(Self.bits(nil), ordering: .releasing) }

  @inline(__always)
  fileprivate static func bits(_ strategy: Strategy?) -> UInt8 {
    unsafe unsafeBitCast(strategy, to: UInt8.self)
  }
}

/// The strategy that an epoch had when it was read. It is read once for several comparisons, and
/// equals no strategy if the epoch was invalid.
struct FollowedStrategy {
  fileprivate let bits: UInt8

  @inline(__always)
  static func == (followed: FollowedStrategy, strategy: Strategy) -> Bool {
    followed.bits == Epoch.bits(strategy)
  }
}

/// A choice of the nodes that have a route of their own.
enum RouteShape {
  /// Only the application has a route, which all nodes share.
  case oneForTheTree
  /// Each responder with slots has a route, which the nodes below it share, down to the next
  /// responders with slots.
  case oneForEachProvider
}

/// The way of lookups from a provider, a node with slots. All nodes below it, down to the next
/// providers, share the route.
///
/// A route is valid as long as its ``Epoch``. The objects it points to live at least as long. It
/// does not hold the values of slots, so that value changes and deliveries make no route stale.
///
/// A route leads to the next provider of any key. A new slot makes the routes of the tree stale
/// only if it is the first of a responder with children, or if a jump relies on its absence (see
/// ``window``). Rejected: a map from keys to providers in each node, which must be rebuilt after
/// every change at the root.
@safe
final class Route {
  /// The number of providers that one jump goes up, or fewer if the top is nearer.
  ///
  /// Each hop waits for the memory of the one before, so fewer hops make a lookup shorter. The
  /// price is that a new key at a provider with other providers above and below makes routes stale.
  /// Rejected: jumping only where there are eight providers, because two providers of other keys on
  /// the way then cost a third of a lookup (`lookup`).
  static let window = 8

  private let state: Unmanaged<Epoch>
  /// The provider's core, which the nodes that use the route retain.
  let core: CoreRef
  /// The rows of the provider's table, copied here to save lookups one step.
  fileprivate(set) var rows: SlotRows
  /// The bits of the keys that the provider has slots for, or had.
  private(set) var mask: UInt64
  /// The route of the next provider above. That provider's core retains the route.
  private(set) var next: RouteRef?
  /// The route that is ``window`` providers up, or the top's if there are fewer.
  private(set) var far: RouteRef?
  /// The bits of the keys of the providers between this one and ``far``, over which a jump goes.
  private(set) var farMask: UInt64 = 0
  /// Whether ``mask`` is part of the ``farMask`` of a route below.
  private(set) var isCovered = false

  /// Makes a provider's route, which ``connect(to:)`` and ``measureWindow()`` complete.
  init(_ core: Core, in epoch: Epoch) {
    self.core = CoreRef(core)
    rows = core.madeContents().rows
    mask = core.keyBits
    unsafe state = .passRetained(epoch)
  }

  deinit { unsafe state.release() }

  var epoch: Epoch { unsafe state.takeUnretainedValue() }

  /// The strategy of lookups; nil if the route is stale.
  @inline(__always)
  var strategy: Strategy? { unsafe state._withUnsafeGuaranteedRef { $0.strategy } }

  /// The strategy, for comparisons only. That of a stale route equals no strategy.
  @inline(__always)
  var followed: FollowedStrategy { unsafe state._withUnsafeGuaranteedRef { $0.followed } }

  /// Sets ``next``, the route of the next provider above.
  func connect(to next: Route) {
    self.next = RouteRef(next)
  }

  /// Copies the provider's rows again, because they move when the provider gets another key.
  func follow(_ contents: NodeContents) { rows = contents.rows }

  /// Adds the bit of a key.
  ///
  /// - Returns: false if routes below jump over the provider because it lacked the bit.
  func add(_ bit: UInt64) -> Bool {
    let isNew = mask & bit == 0
    mask |= bit
    return !isNew || !isCovered
  }

  /// Sets ``far`` and ``farMask``, when all routes above are connected.
  func measureWindow() {
    guard var end = next else { return }
    far = end
    farMask = 0
    for _ in 1..<Self.window {
      guard let further = end.next else { return }
      farMask |= end.strong.cover()
      far = further
      end = further
    }
  }

  private func cover() -> UInt64 {
    isCovered = true
    return mask
  }
}

/// An unretained reference to a route. It is valid as long as the route's epoch, or as long as a
/// core retains the route.
@safe
struct RouteRef: Equatable {
  private let route: Unmanaged<Route>

  init(_ route: Route) { unsafe self.route = .passUnretained(route) }

  /// The route, retained.
  var strong: Route { unsafe route.takeUnretainedValue() }

  @inline(__always)
  private func with<R>(_ body: (Route) -> R) -> R { unsafe route._withUnsafeGuaranteedRef(body) }

  /// The strategy of lookups; nil if the route is stale.
  @inline(__always)
  var strategy: Strategy? { with { $0.strategy } }

  /// The strategy, for comparisons only. That of a stale route equals no strategy.
  @inline(__always)
  var followed: FollowedStrategy { with { $0.followed } }

  /// The bits of the keys that the provider has slots for, or had; see ``Route/mask``.
  @inline(__always)
  var mask: UInt64 { with { $0.mask } }

  /// The bits of the keys of the providers that a jump goes over; see ``Route/farMask``.
  @inline(__always)
  var farMask: UInt64 { with { $0.farMask } }

  /// The route of the next provider above.
  @inline(__always)
  var next: RouteRef? { with { $0.next } }

  /// The route at which a jump ends; see ``Route/far``.
  @inline(__always)
  var far: RouteRef? { with { $0.far } }

  /// Returns the entry for a key in the provider's table.
  @inline(__always)
  func entry(_ id: KeyID) -> EntryRef? { with { $0.rows }.find(id) }

  /// The state of the tree, even if the route is stale.
  var tree: TreeState { with { $0.epoch.tree } }

  // These functions are unsafe because the compiler does not count their references. Each reference
  // that is taken must be given back exactly once.

  /// Retains the route.
  @unsafe func retain() { _ = unsafe route.retain() }

  /// Releases the route, which ``retain()`` retained.
  @unsafe func release() { unsafe route.release() }

  static func == (a: RouteRef, b: RouteRef) -> Bool {
    unsafe a.route.toOpaque() == b.route.toOpaque()
  }
}

extension Core {
  /// The route of the node, if it has a valid one.
  @inline(__always)
  var validRoute: RouteRef? {
    guard let route, route.strategy != nil else { return nil }
    return route
  }

  /// The valid route of the node, if it begins at the node itself.
  var ownRoute: Route? {
    guard let route = validRoute?.strong, route.core == CoreRef(self) else { return nil }
    return route
  }

  /// The state that all nodes of this tree share; nil in a tree without an application.
  var tree: TreeState? {
    var node = self
    while true {
      if let route = node.validRoute { return route.strong.epoch.tree }
      guard let next = node.liveParent else { return nil }
      node = next
    }
  }

  /// Starts a new epoch of the tree by giving its application a route of that epoch.
  func begin(_ epoch: Epoch) {
    adopt(Route(self, in: epoch))
  }

  /// Makes all routes of this tree stale.
  func invalidateTree() {
    guard let epoch = validRoute?.strong.epoch else { return }
    epoch.invalidate()
    // The core of the application may be written only by code that holds the application (see
    // `Core`).
    guard let application = epoch.tree.root else { return }
    application.ownCore?.begin(Epoch(epoch.tree))
  }

  /// Gives this node, and each ancestor that lacks one, a valid route.
  ///
  /// All ancestors of a node with a valid route have one, so the walk stops at the first such node.
  ///
  /// - Returns: the node's route; nil in a tree without an application.
  @inline(never)
  func validate() -> RouteRef? {
    var ancestor = self
    while ancestor.validRoute == nil {
      guard let next = ancestor.liveParent else { return nil }
      ancestor = next
    }
    guard let found = ancestor.validRoute?.strong else { return nil }
    let sharesOne =
      switch found.epoch.tree.routeShape {
      case .oneForTheTree: true
      case .oneForEachProvider: false
      }
    // Each pass goes up to the next provider. The nodes between two providers share the upper one's
    // route.
    var node = self
    var lower: Route?
    while true {
      var provider = node
      while provider !== ancestor, sharesOne || provider.keyBits == 0,
        let next = provider.liveParent
      {
        provider = next
      }
      let route = provider === ancestor ? found : Route(provider, in: found.epoch)
      lower?.connect(to: route)
      while node !== provider, let next = node.liveParent {
        node.adopt(route)
        node = next
      }
      if provider === ancestor { break }
      provider.adopt(route)
      guard let next = provider.liveParent else { return nil }
      (lower, node) = (route, next)
    }
    var fresh = route?.strong
    while let route = fresh, route !== found {
      route.measureWindow()
      fresh = route.next?.strong
    }
    return validRoute
  }
}
