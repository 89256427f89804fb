import LineageTestSupport
import ResponderChain
import Testing

@Suite("Law 2: a change of a value, or a delivery, makes no route stale")
@MainActor
struct StaleRouteTests {
  /// A tree with a slot at its root and another slot in its middle. Each responder has a valid
  /// route.
  struct WarmTree {
    let tree: SmallTree
    /// The observations of the slots. The observers look up a context during each change.
    let tokens: [ContextObservation]

    init(_ strategy: Strategy) throws {
      tree = try SmallTree(strategy)
      for provider in [tree.application, tree.left] as [Responder] {
        provider.provide(Theme("first"))
        provider.provide(Notebook("first"))
      }
      tokens = ([tree.leaf, tree.right] as [Responder]).map { $0.observe(Theme.self) { _, _ in } }
      tree.page.branch(Notebook.self)
      warm()
    }

    /// Looks up a context at each responder, which validates the responder's route.
    func warm() {
      for responder in tree.all { _ = responder.context(Theme.self) }
    }

    /// The paths of the responders whose route is stale.
    var stale: [String] { tree.all.filter { !$0.hasValidRoute }.map(\.path) }
  }

  /// A change of a slot that exists before the change.
  enum Change: String, CaseIterable {
    case anotherValue, equalValue, anotherContext, block, unblock, branch, branchAgain, withdrawal
    case expectation, delivery, failure, lateDelivery, deliveryAfterFailure, load

    /// Makes the change at a responder that provides a theme and a notebook. If the change needs
    /// another slot to start from, the function makes that slot first.
    @MainActor
    func perform(at provider: Responder, in application: Application) async throws {
      switch self {
      case .anotherValue: provider.provide(Theme("other"))
      case .equalValue: provider.provide(Theme("first"))
      case .anotherContext: provider.provide(Notebook("other"))
      case .block: provider.block(Theme.self)
      case .unblock:
        provider.block(Theme.self)
        provider.provide(Theme("other"))
      case .branch: provider.branch(Notebook.self)
      case .branchAgain:
        provider.branch(Notebook.self, .keep)
        provider.branch(Notebook.self, .follow)
      case .withdrawal:
        try provider.withdraw(Theme.self)
        provider.provide(Theme("other"))
      case .expectation: _ = provider.expect(Theme.self)
      case .delivery:
        #expect(provider.expect(Theme.self).deliver(Theme("late")))
        application.drain()
        #expect(provider.context(Theme.self) == Theme("late"))
      case .failure:
        #expect(provider.expect(Theme.self).fail(Mishap("no disk")))
        application.drain()
        #expect(provider.resolve(Theme.self).description == "failed: no disk")
      case .lateDelivery:
        let late = provider.expect(Theme.self)
        provider.provide(Theme("other"))
        #expect(!late.deliver(Theme("late")))
        application.drain()
      case .deliveryAfterFailure:
        provider.expect(Theme.self).fail(Mishap("no disk"))
        application.drain()
        provider.expect(Theme.self).deliver(Theme("late"))
        application.drain()
      case .load:
        provider.load(Notebook.self) { Notebook("loaded") }
        _ = try await provider.context(whenReady: Notebook.self)
      }
    }
  }

  @Test(
    "After each change of a slot every route is valid", arguments: Strategy.allCases,
    Change.allCases)
  func change(_ strategy: Strategy, _ change: Change) async throws {
    let warm = try WarmTree(strategy)
    let tree = warm.tree
    try #require(warm.stale == [])
    for provider in [tree.application, tree.left] as [Responder] {
      try await change.perform(at: provider, in: tree.application)
      #expect(warm.stale == [], "at \(provider)")
      let broken = tree.all.flatMap { $0.checkInvariants() }
      #expect(broken == [])
    }
    withExtendedLifetime(warm) {}
  }

  @Test(
    "A leaf that comes, goes, provides or listens makes no other route stale",
    arguments: Strategy.allCases)
  func leaf(_ strategy: Strategy) throws {
    let warm = try WarmTree(strategy)
    let tree = warm.tree
    let fresh = Page("fresh")
    try tree.page.append(fresh)
    #expect(warm.stale == [fresh.path], "it has looked up nothing yet")
    _ = fresh.context(Theme.self)
    let token = fresh.observe(Session.self) { _, _ in }
    #expect(warm.stale == [])
    fresh.provide(Session("ann"))
    #expect(Set(warm.stale).isSubset(of: [fresh.path]))
    fresh.removeFromParent()
    #expect(warm.stale == [])
    withExtendedLifetime((warm, token)) {}
  }

  // The tests above can fail: the following changes, which law 2 does not cover, make routes stale.

  @Test("Detaching a subtree makes routes stale", arguments: Strategy.allCases)
  func detaching(_ strategy: Strategy) throws {
    let warm = try WarmTree(strategy)
    let leaf = warm.tree.leaf
    warm.tree.left.removeFromParent()
    #expect(!leaf.hasValidRoute)
    #expect(warm.stale.isEmpty == strategy.pushes, "a push visits just the subtree")
    warm.warm()
    #expect(warm.stale == [])
  }

  @Test("A first slot above others makes routes stale where lookups relied on its absence")
  func firstSlot() throws {
    let warm = try WarmTree(.skipping)
    warm.tree.right.provide(Session("ann"))
    #expect(warm.stale == warm.tree.all.map(\.path))
  }
}
