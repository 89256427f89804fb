import Synchronization

/// One state of one tree, in which nodes may remember where the next slots are.
///
/// Invalidating it makes all of them stale at once. An object instead of a counter: it cannot wrap,
/// and one pointer tells both the tree and whether it is still the same.
final class Epoch {
  let tree: TreeState
  /// The bits of a `Strategy?`: lookups compare them without checking each byte that is read.
  private let bits: Atomic<UInt8>

  init(_ tree: TreeState) {
    self.tree = tree
    bits = Atomic(Self.bits(tree.strategy))
  }

  /// The strategy of lookups; nil if routes of this state are stale.
  @inline(__always)
  var strategy: Strategy? {
    unsafe unsafeBitCast(bits.load(ordering: .relaxed), to: Strategy?.self)
  }

  /// The strategy of lookups, to be compared; none if routes of this state are stale.
  @inline(__always)
  var followed: FollowedStrategy { FollowedStrategy(bits: bits.load(ordering: .relaxed)) }

  func invalidate() { bits.store(Self.bits(nil), ordering: .releasing) }

  @inline(__always)
  fileprivate static func bits(_ strategy: Strategy?) -> UInt8 {
    unsafe unsafeBitCast(strategy, to: UInt8.self)
  }
}

/// The strategy that lookups followed when an epoch was read, once for all comparisons.
struct FollowedStrategy {
  fileprivate let bits: UInt8

  @inline(__always)
  static func == (followed: FollowedStrategy, strategy: Strategy) -> Bool {
    followed.bits == Epoch.bits(strategy)
  }
}

/// Which nodes of a tree have a route of their own.
enum RouteShape {
  /// The application only: all nodes share its route.
  case oneForTheTree
  /// Each responder that has slots; the nodes below share the route of the nearest.
  case oneForEachProvider
}

/// The way of lookups from a provider and all nodes below it, down to the next providers.
///
/// It belongs to one state of its tree: it is valid as long as its ``Epoch``, and what it points to
/// lives as long as it is valid. The values of slots are not here, so value changes and deliveries
/// make nothing stale.
@safe
final class Route {
  /// The number of providers that one jump leaves behind.
  static let window = 8

  private let state: Unmanaged<Epoch>
  /// The provider; its nodes' cores keep it alive.
  let core: CoreRef
  /// The provider's rows, here to be one step nearer.
  fileprivate(set) var rows: SlotRows
  /// The bits of the keys that the provider has, or had, slots for.
  private(set) var mask: UInt64
  /// The provider's inherited route. The core of the provider above retains it.
  private(set) var next: RouteRef?
  /// The route that many providers up, or the top's.
  private(set) var far: RouteRef?
  /// The bits of the providers between this one and ``far``.
  private(set) var farMask: UInt64 = 0
  /// Whether ``mask`` is part of some ``farMask``.
  private(set) var isCovered = false

  /// The route of a provider, which still has to be connected.
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

  /// The strategy of lookups, to be compared; none if the route is stale.
  @inline(__always)
  var followed: FollowedStrategy { unsafe state._withUnsafeGuaranteedRef { $0.followed } }

  /// Continues with the route of the provider above.
  func connect(to next: Route) {
    self.next = RouteRef(next)
  }

  /// Takes over the rows of the provider, which has one key more.
  func follow(_ contents: NodeContents) { rows = contents.rows }

  /// Adds a bit; false if routes below rely on its not being there.
  func add(_ bit: UInt64) -> Bool {
    let isNew = mask & bit == 0
    mask |= bit
    return !isNew || !isCovered
  }

  /// Measures how far lookups can jump from here, once all above is connected.
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

/// A route that is not retained. Valid as long as its epoch, or as a core holds the route.
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

  /// The strategy of lookups, to be compared; none if the route is stale.
  @inline(__always)
  var followed: FollowedStrategy { with { $0.followed } }

  /// The bits of the keys that the provider has, or had, slots for.
  @inline(__always)
  var mask: UInt64 { with { $0.mask } }

  /// The bits of the providers that a jump leaves behind.
  @inline(__always)
  var farMask: UInt64 { with { $0.farMask } }

  /// The route of the provider above.
  @inline(__always)
  var next: RouteRef? { with { $0.next } }

  /// The route that a jump leads to.
  @inline(__always)
  var far: RouteRef? { with { $0.far } }

  /// Returns the provider's entry of a key.
  @inline(__always)
  func entry(_ id: KeyID) -> EntryRef? { with { $0.rows }.find(id) }

  /// The state of the tree, also if the route is stale.
  var tree: TreeState { with { $0.epoch.tree } }

  // Unsafe because the compiler does not count these references: whoever takes one must give it back,
  // once.

  /// Takes a reference to the route.
  @unsafe func retain() { _ = unsafe route.retain() }

  /// Gives back a reference that ``retain()`` took.
  @unsafe func release() { unsafe route.release() }

  static func == (a: RouteRef, b: RouteRef) -> Bool {
    unsafe a.route.toOpaque() == b.route.toOpaque()
  }
}

extension Core {
  /// The route of the node, if it is known and valid.
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

  /// The state that all nodes of this tree share, if the tree has an application.
  var tree: TreeState? {
    var node = self
    while true {
      if let route = node.validRoute { return route.strong.epoch.tree }
      guard let next = node.liveParent else { return nil }
      node = next
    }
  }

  /// Begins a new state of the tree at its application.
  func begin(_ epoch: Epoch) {
    adopt(Route(self, in: epoch))
  }

  /// Makes everything that nodes remember of this tree stale.
  func invalidateTree() {
    guard let epoch = validRoute?.strong.epoch else { return }
    epoch.invalidate()
    // Only with the application in hand may its core be written: see `Core`.
    guard let application = epoch.tree.root else { return }
    application.ownCore?.begin(Epoch(epoch.tree))
  }

  /// Adopts the state of the tree this node is in, for itself and the ancestors that lack it.
  ///
  /// Ancestors of a validated node are always valid, so it stops at the first that is. `nil` in a
  /// tree without an application.
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
    // From provider to provider: those between share the upper one's route.
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
