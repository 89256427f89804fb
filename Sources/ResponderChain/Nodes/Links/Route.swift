import Synchronization

/// An object that the routes of one tree share. Invalidating it makes all these routes stale at
/// once, and the tree then gets a new epoch.
///
/// Each route has one pointer to the epoch. Through it, a lookup gets the tree and checks whether
/// the route is still valid.
///
/// Rejected: a counter in each node. A counter can overflow, and each node would need two more
/// pointers, to the tree and to the next provider.
final class Epoch {
  let tree: TreeState
  /// The tree's strategy, or nil after invalidation, as the one byte of a `Strategy?`. Lookups
  /// compare the byte, and do not check that it is a valid case.
  private let bits: Atomic<UInt8>

  init(_ tree: TreeState) {
    self.tree = tree
    bits = Atomic(Self.bits(tree.strategy))
  }

  /// The strategy of lookups; nil if the epoch is invalid, so that its routes are stale.
  @inline(__always)
  var strategy: Strategy? {
    unsafe unsafeBitCast(bits.load(ordering: .relaxed), to: Strategy?.self)
  }

  /// The strategy of lookups, in a form that can only be compared. It equals no strategy if the
  /// epoch is invalid.
  @inline(__always)
  var followed: FollowedStrategy { FollowedStrategy(bits: bits.load(ordering: .relaxed)) }

  func invalidate() { bits.store(Self.bits(nil), ordering: .releasing) }

  @inline(__always)
  fileprivate static func bits(_ strategy: Strategy?) -> UInt8 {
    unsafe unsafeBitCast(strategy, to: UInt8.self)
  }
}

/// The strategy of an epoch, read once for several comparisons. It equals no strategy if the epoch
/// was invalid.
struct FollowedStrategy {
  fileprivate let bits: UInt8

  @inline(__always)
  static func == (followed: FollowedStrategy, strategy: Strategy) -> Bool {
    followed.bits == Epoch.bits(strategy)
  }
}

/// The rule that decides which nodes have a route of their own.
enum RouteShape {
  /// Only the application has a route, which all nodes share.
  case oneForTheTree
  /// Each responder with slots has a route. The nodes below, down to the next responders with
  /// slots, share this route.
  case oneForEachProvider
}

/// The way up the tree for lookups from a provider (a node with slots). All nodes below the
/// provider, down to the next providers, share its route.
///
/// A route is valid as long as its ``Epoch``. The objects to which a route points live at least as
/// long as the route is valid. A route has no values of slots, so changes of values and deliveries
/// make no route stale.
///
/// A route leads to the next provider of any key. A new slot makes the routes of the tree stale
/// only if it is the first slot of a responder with children, or if a jump would miss it (see
/// ``window``). Rejected: a map from keys to providers in each node, which would have to be rebuilt
/// after every change at the root.
@safe
final class Route {
  /// The number of providers by which one jump goes up. A jump ends at the top if the top is
  /// nearer.
  ///
  /// Each hop waits for the memory of the hop before, so fewer hops make a lookup faster. The
  /// disadvantage is that a new key makes routes stale if its provider has other providers above
  /// and below. Rejected: jumps only from providers that have at least eight providers above them.
  /// A lookup that passes two providers of other keys would then spend a third of its time on these
  /// two (`lookup`).
  static let window = 8

  private let state: Unmanaged<Epoch>
  /// The provider's core, which the nodes that use the route retain.
  let core: CoreRef
  /// The reference to the rows of the provider's table. This copy saves lookups one step.
  fileprivate(set) var rows: SlotRows
  /// The bits of the keys for which the provider has slots, or had slots earlier.
  private(set) var mask: UInt64
  /// The route of the next provider above; nil at the top. That provider's core retains its route.
  private(set) var next: RouteRef?
  /// The route of the provider that is ``window`` providers up, or of the top if that is nearer;
  /// nil at the top.
  private(set) var far: RouteRef?
  /// The bits of the keys of all providers between this one and ``far``. A jump skips these
  /// providers.
  private(set) var farMask: UInt64 = 0
  /// Whether the ``farMask`` of a route below includes the ``mask`` of this route.
  private(set) var isCovered = false

  /// Makes a provider's route, which ``connect(to:)`` and ``measureWindow()`` complete.
  init(_ core: Core, in epoch: Epoch) {
    self.core = CoreRef(core)
    rows = core.makeContentsIfNeeded().rows
    mask = core.keyBits
    unsafe state = .passRetained(epoch)
  }

  deinit { unsafe state.release() }

  var epoch: Epoch { unsafe state.takeUnretainedValue() }

  /// The strategy of lookups; nil if the route is stale.
  @inline(__always)
  var strategy: Strategy? { unsafe state._withUnsafeGuaranteedRef { $0.strategy } }

  /// The strategy of lookups, for comparisons only. It equals no strategy if the route is stale.
  @inline(__always)
  var followed: FollowedStrategy { unsafe state._withUnsafeGuaranteedRef { $0.followed } }

  /// Sets ``next``, the route of the next provider above.
  func connect(to next: Route) {
    self.next = RouteRef(next)
  }

  /// Copies the reference to the provider's rows again, because the rows may move when the provider
  /// gets another key.
  func follow(_ contents: NodeContents) { rows = contents.rows }

  /// Adds the bit of a key.
  ///
  /// - Returns: false if routes below skip the provider because it lacked the bit. These routes
  ///   must then become stale.
  func add(_ bit: UInt64) -> Bool {
    let isNew = mask & bit == 0
    mask |= bit
    return !isNew || !isCovered
  }

  /// Sets ``far`` and ``farMask``. The caller must have connected all routes above; see
  /// ``connect(to:)``.
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

  /// A strong reference to the route.
  var strong: Route { unsafe route.takeUnretainedValue() }

  @inline(__always)
  private func with<R>(_ body: (Route) -> R) -> R { unsafe route._withUnsafeGuaranteedRef(body) }

  /// The strategy of lookups; nil if the route is stale.
  @inline(__always)
  var strategy: Strategy? { with { $0.strategy } }

  /// The strategy of lookups, for comparisons only. It equals no strategy if the route is stale.
  @inline(__always)
  var followed: FollowedStrategy { with { $0.followed } }

  /// The bits of the keys for which the provider has slots, or had slots earlier; see
  /// ``Route/mask``.
  @inline(__always)
  var mask: UInt64 { with { $0.mask } }

  /// The bits of the keys of the providers that a jump skips; see ``Route/farMask``.
  @inline(__always)
  var farMask: UInt64 { with { $0.farMask } }

  /// The route of the next provider above.
  @inline(__always)
  var next: RouteRef? { with { $0.next } }

  /// The route at which a jump ends; see ``Route/far``.
  @inline(__always)
  var far: RouteRef? { with { $0.far } }

  /// Returns the entry for a key in the provider's table; nil if there is none.
  @inline(__always)
  func entry(_ id: KeyID) -> EntryRef? { with { $0.rows }.find(id) }

  /// The tree of the route, even if the route is stale.
  var tree: TreeState { with { $0.epoch.tree } }

  // These functions are unsafe because the compiler does not count their references. Each call of
  // `retain()` needs exactly one call of `release()`.

  /// Retains the route.
  @unsafe func retain() { _ = unsafe route.retain() }

  /// Releases the route once, to balance one call of ``retain()``.
  @unsafe func release() { unsafe route.release() }

  static func == (a: RouteRef, b: RouteRef) -> Bool {
    unsafe a.route.toOpaque() == b.route.toOpaque()
  }
}

extension Core {
  /// The node's route if it is valid; nil otherwise.
  @inline(__always)
  var validRoute: RouteRef? {
    guard let route, route.strategy != nil else { return nil }
    return route
  }

  /// The node's route if it is valid and begins at the node itself; nil otherwise.
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

  /// Starts a new epoch of the tree by giving this core a route of that epoch. The core must be
  /// that of the application.
  func begin(_ epoch: Epoch) {
    adopt(Route(self, in: epoch))
  }

  /// Makes all routes of this tree stale, and starts a new epoch.
  func invalidateTree() {
    guard let epoch = validRoute?.strong.epoch else { return }
    epoch.invalidate()
    // The core of the application may be written only by code that holds the application (see
    // `Core`).
    guard let application = epoch.tree.root else { return }
    application.ownCore?.begin(Epoch(epoch.tree))
  }

  /// Gives a valid route to this node, and to each ancestor without a valid route.
  ///
  /// The walk stops at the first node with a valid route, because all its ancestors have valid
  /// routes, too.
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
