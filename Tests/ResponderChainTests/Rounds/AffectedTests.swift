import LineageTestSupport
import ResponderChain
import Testing

@Suite("Laws 4, 5 and 6: a change, a new slot and a move concern exactly their observers")
@MainActor
struct AffectedTests {
  /// A tree with many controllers, many pages below each controller, and an observer at each of
  /// these pages.
  struct Wide {
    let application: Application
    var screens: [Screen] = []
    var pages: [Page] = []
    var tokens: [ContextObservation] = []
    let log = Log()

    init(_ strategy: Strategy, width: Int) throws {
      application = Application(strategy: strategy)
      for number in 0..<width {
        let screen = Screen("\(number)")
        let root = Page("root \(number)")
        try screen.setRootView(root)
        for leaf in 0..<width {
          let page = Page("\(number).\(leaf)")
          try root.append(page)
          pages.append(page)
        }
        try application.append(screen)
        screens.append(screen)
      }
      application.provide(Theme("root"))
      tokens = pages.map { [log] page in log.observe(page, Theme.self) }
      _ = log.take()
    }

    /// Returns the expected log of the observers below some screens if each is called once with the
    /// state. The observers have the same number of hops, so law 3 orders them by registration.
    func lines(
      below numbers: some Sequence<Int>, besides others: [String] = [], _ state: String
    ) -> [String] {
      let heard = numbers.flatMap { number in
        screens.indices.map { "\(number).\($0)" }
      }
      return heard.filter { !others.contains($0) }.map { "\($0) \(state)" }
    }
  }

  @Test("Exactly the affected observers are called, in order", arguments: Strategy.allCases)
  func exact(_ strategy: Strategy) throws {
    let tree = try Wide(strategy, width: 12)
    let others = (0..<12).filter { $0 != 3 }
    let third: (String) -> [String] = { tree.lines(below: [3], besides: ["3.4"], $0) }
    tree.application.provide(Theme("other"))
    #expect(tree.log.take() == tree.lines(below: 0..<12, "value other"))
    tree.screens[3].provide(Theme("third"))
    #expect(tree.log.take() == tree.lines(below: [3], "value third"))
    tree.application.provide(Theme("again"))
    #expect(tree.log.take() == tree.lines(below: others, "value again"))
    tree.pages[40].provide(Theme("leaf"))
    #expect(tree.log.take() == ["3.4 value leaf"])
    tree.screens[3].block(Theme.self)
    #expect(tree.log.take() == third("blocked"))
    tree.screens[3].expect(Theme.self).deliver(Theme("late"))
    #expect(tree.log.take() == third("pending"))
    tree.application.drain()
    #expect(tree.log.take() == third("value late"))
    try tree.screens[3].withdraw(Theme.self)
    #expect(tree.log.take() == third("value again"))
    tree.application.provide(Notebook("nobody asks"))
    #expect(tree.log.take() == [])
  }

  @Test(
    "An observer that comes or goes makes no change look at those beside it",
    arguments: Strategy.allCases)
  func newcomers(_ strategy: Strategy) throws {
    let tree = try Wide(strategy, width: 4)
    let application = tree.application
    application.provide(Session("ann"))
    application.provide(Theme("other"))
    #expect(application.remembersAudience(of: Session.self))
    #expect(application.remembersAudience(of: Theme.self))
    let log = Log()
    // A page with an observer, a screen above such pages, the provider, and a new page.
    let fresh = Page("fresh")
    try tree.pages[3].append(fresh)
    let places: [Responder] = [tree.pages[0], tree.screens[2], application, fresh]
    var tokens = places.map { log.observe($0, Session.self) }
    _ = log.take()
    for user in ["bob", "eve"] {
      #expect(application.remembersAudience(of: Session.self), "\(user)")
      application.provide(Session(user))
      #expect(
        log.take() == ["app", "2", "0.0", "fresh"].map { "\($0) value \(user)" }, "law 3: by hops")
    }
    tokens.remove(at: 1).cancel()
    for user in ["kim", "lou"] {
      application.provide(Session(user))
      #expect(log.take() == ["app", "0.0", "fresh"].map { "\($0) value \(user)" })
    }
    #expect(application.remembersAudience(of: Session.self))
    tokens.append(tree.pages[0].observe(Theme.self) { _, _ in })
    #expect(application.remembersAudience(of: Theme.self))
    let all = [application] + Array(application.descendants)
    #expect(all.flatMap { $0.checkInvariants() } == [])
  }

  @Test("A slot between takes over exactly those below it", arguments: Strategy.allCases)
  func between(_ strategy: Strategy) throws {
    let tree = try Wide(strategy, width: 8)
    try #require(tree.screens[0].rootView).provide(Theme("between"))
    #expect(tree.log.take() == tree.lines(below: [0], "value between"))
    tree.screens[0].provide(Theme("hidden"))
    #expect(tree.log.take() == [])
    tree.application.provide(Theme("root again"))
    #expect(tree.log.take() == tree.lines(below: 1..<8, "value root again"))
    try #require(tree.screens[0].rootView).withdraw(Theme.self)
    #expect(tree.log.take() == tree.lines(below: [0], "value hidden"))
    #expect(tree.pages[0].context(Theme.self) == Theme("hidden"))
  }

  @Test("Moving a subtree re-evaluates only its observers", arguments: Strategy.allCases)
  func moving(_ strategy: Strategy) throws {
    let tree = try Wide(strategy, width: 8)
    tree.screens[1].provide(Theme("one"))
    #expect(tree.log.take() == tree.lines(below: [1], "value one"))
    try tree.screens[0].move(to: tree.screens[1])
    #expect(tree.log.take() == tree.lines(below: [0], "value one"))
    #expect(tree.pages[0].context(Theme.self) == Theme("one"))
    try tree.screens[0].move(to: tree.screens[2])
    #expect(tree.log.take() == tree.lines(below: [0], "value root"))
    try tree.screens[0].move(to: tree.application)
    #expect(tree.log.take() == [], "they resolve to what they last heard")
    tree.screens[0].removeFromParent()
    #expect(tree.log.take() == tree.lines(below: [0], "missing"))
  }

  @Test("A move is one change: nobody hears what holds in between", arguments: Strategy.allCases)
  func oneChange(_ strategy: Strategy) throws {
    let tree = try SmallTree(strategy)
    let log = Log()
    tree.left.provide(Theme("left"))
    tree.right.provide(Theme("right"))
    let token = log.observe(tree.leaf, Theme.self)
    try tree.page.move(to: tree.right)
    try tree.uncle.append(tree.page)
    try tree.left.setRootView(tree.page)
    #expect(log.lines == ["leaf value left", "leaf value right", "leaf value left"])
    withExtendedLifetime(token) {}
  }
}
