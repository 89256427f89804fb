/// Where lookups go from a provider and all nodes below it, down to the next providers.
///
/// It belongs to one state of its tree: it is valid as long as its ``Epoch``, and what it points to
/// lives as long as it is valid. What slots *hold* is not here, so value changes and deliveries make
/// nothing stale.
final class Route {
  /// So many providers are left behind at once.
  static let window = 8

  private let state: Unmanaged<Epoch>
  /// The provider; its nodes' cores keep it alive.
  unowned(unsafe) let core: Core
  /// The provider's table, here to be one step nearer.
  private(set) var table: Table
  /// The bits of the keys that the provider has, or had, slots for.
  private(set) var mask: UInt64
  /// The provider's inherited route. The core of the provider above retains it.
  private(set) var next: Unmanaged<Route>?
  /// The route that many providers up, or the top's.
  private(set) var far: Unmanaged<Route>?
  /// The bits of the providers between this one and ``far``.
  private(set) var farMask: UInt64 = 0
  /// Whether ``mask`` is part of some ``farMask``.
  private(set) var isCovered = false

  /// The route of a provider, which still has to be connected.
  init(_ core: Core, in epoch: Epoch) {
    self.core = core
    table = core.madeContents().table
    mask = core.keyBits
    state = .passRetained(epoch)
  }

  deinit { state.release() }

  var epoch: Epoch { state.takeUnretainedValue() }

  @inline(__always)
  var way: Way { state._withUnsafeGuaranteedRef { $0.way } }

  var isValid: Bool { way != .stale }

  var strategy: Strategy { epoch.tree.strategy }

  /// Continues with the route of the provider above.
  func connect(to next: Route) {
    self.next = .passUnretained(next)
  }

  /// The provider has one key more.
  func follow(_ contents: Contents) { table = contents.table }

  /// Adds a bit; false if routes below rely on its not being there.
  func add(_ bit: UInt64) -> Bool {
    let isNews = mask & bit == 0
    mask |= bit
    return !isNews || !isCovered
  }

  /// Finds out how far lookups can jump from here, once all above is connected.
  func measureWindow() {
    guard var end = next?.takeUnretainedValue() else { return }
    far = .passUnretained(end)
    farMask = 0
    for _ in 1..<Self.window {
      guard let further = end.next else { return }
      end.isCovered = true
      farMask |= end.mask
      far = further
      end = further.takeUnretainedValue()
    }
  }
}

extension Core {
  /// The route of the node, if it is known and valid.
  @inline(__always)
  var validRoute: Unmanaged<Route>? {
    guard let route, route._withUnsafeGuaranteedRef({ $0.isValid }) else { return nil }
    return route
  }

  /// The valid route of the node, if it begins at the node itself.
  var ownRoute: Route? {
    guard let route = validRoute?.takeUnretainedValue(), route.core === self else { return nil }
    return route
  }

  /// Begins a new state of the tree at its application.
  func begin(_ epoch: Epoch) {
    adopt(Route(self, in: epoch))
  }

  /// Makes everything that nodes remember of this tree stale.
  func invalidateTree() {
    guard let epoch = validRoute?.takeUnretainedValue().epoch else { return }
    epoch.invalidate()
    // Only with the application in hand may its core be written: see `Core`.
    guard let application = epoch.tree.application else { return }
    application.core.begin(Epoch(epoch.tree))
  }

  /// Adopts the state of the tree this node is in, for itself and the ancestors that lack it.
  ///
  /// Ancestors of a validated node are always valid, so it stops at the first that is. `nil` in a
  /// tree without an application.
  @inline(never)
  func validate() -> Unmanaged<Route>? {
    var ancestor = self
    while ancestor.validRoute == nil {
      guard let next = ancestor.liveParent else { return nil }
      ancestor = next
    }
    guard let found = ancestor.validRoute?.takeUnretainedValue() else { return nil }
    // From provider to provider: those between share the upper one's route.
    var node = self
    var lower: Route?
    while true {
      var provider = node
      while provider !== ancestor, found.strategy != .skipping || provider.keyBits == 0,
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
    var fresh = route?.takeUnretainedValue()
    while let route = fresh, route !== found {
      route.measureWindow()
      fresh = route.next?.takeUnretainedValue()
    }
    return validRoute
  }
}
