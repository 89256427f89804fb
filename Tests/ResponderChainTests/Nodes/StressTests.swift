import LineageTestSupport
import ResponderChain
import Testing

/// Tests in which a sanitizer looks for races and misused memory. Without a sanitizer, the tests
/// find only crashes and leaks.
@Suite(
  "Law 9: a deinit may run on any thread, and touches only what it owns or may share", .hangGuard)
struct StressTests {
  private static let rounds = 300

  /// The object that another task releases while the tree is in use.
  enum Part: String, CaseIterable {
    case root, middle, leaf, token, pending
  }

  @Test(
    "Others drop what they held while the isolation goes on with the neighbours",
    arguments: Strategy.allCases, Part.allCases)
  func dropped(_ strategy: Strategy, _ part: Part) async throws {
    let census = Census()
    for round in 0..<Self.rounds {
      let log = Log()
      var application: Application? = Application(strategy: strategy)
      application?.provide(Theme("root"))
      application?.provide(Notebook("root", in: census))
      var screen: Screen? = Screen("screen", in: census)
      let page = Page("page", in: census)
      var leaf: Page? = Page("leaf", in: census)
      try application.map { try $0.append(#require(screen)) }
      try screen?.setRootView(page)
      screen?.provide(Theme("screen"))
      screen?.branch(Notebook.self)
      try page.append(#require(leaf))
      var token: ContextObservation? = log.observe(page, Theme.self)
      let kept = log.observe(page, Notebook.self)
      var other: ContextObservation? = leaf.map { log.observe($0, Theme.self) }
      let handover: Handover<AnyObject?>
      switch part {
      case .root:
        handover = Handover(application)
        application = nil
      case .middle:
        screen?.removeFromParent()
        handover = Handover(screen)
        screen = nil
      case .leaf:
        leaf?.removeFromParent()
        handover = Handover(leaf)
        leaf = nil
        other = nil
      case .token:
        handover = Handover(token)
        token = nil
      case .pending:
        screen?.load(Theme.self) { Theme("loaded") }
        screen?.removeFromParent()
        handover = Handover(screen)
        screen = nil
      }
      let dropping = Task.detached { _ = handover.take() }
      // Meanwhile, this isolation uses the tree.
      for step in 0..<10 {
        _ = page.context(Theme.self)
        _ = page.context(Notebook.self)
        _ = page.path
        _ = page.depth
        page.provide(Theme("\(step)"))
        try page.withdraw(Theme.self)
        _ = page.resolve(Theme.self, from: .next)
        application?.provide(Theme("\(round) \(step)"))
        application?.drain()
        _ = page.explain(Archive.self)
      }
      await dropping.value
      application?.drain()
      page.removeFromParent()
      if part == .root { screen?.removeFromParent() }
      withExtendedLifetime((token, kept, other)) {}
    }
    try await until { census.population == 0 }
    #expect(census.births > 0)
  }

  @Test(
    "A task that was given a tree drops it after it left the actor",
    arguments: Strategy.allCases)
  func actors(_ strategy: Strategy) async throws {
    actor Owner {
      let application: Application
      var pages: [Page] = []

      init(_ strategy: Strategy) { application = Application(strategy: strategy) }

      /// Starts a task in this isolation that retains a neighbour of a page. The task may release
      /// the neighbour on any thread.
      func work(_ number: Int, _ census: Census) throws -> Task<Void, Never> {
        let screen = Screen("\(number)", in: census)
        let page = Page("page \(number)", in: census)
        try screen.setRootView(page)
        screen.provide(Theme("\(number)"))
        try application.append(screen)
        let token = page.observe(Theme.self) { _, _ in }
        screen.removeFromParent()
        pages.append(page)
        return Task {
          _ = self
          _ = screen.context(Theme.self)
          withExtendedLifetime(token) {}
        }
      }

      func walk() {
        application.provide(Theme("root"))
        for page in pages {
          _ = page.context(Theme.self)
          _ = page.path
          page.provide(Notebook("own"))
        }
        application.drain()
      }

      func clear() { pages = [] }
    }
    let census = Census()
    let owner = Owner(strategy)
    for round in 0..<20 {
      var tasks: [Task<Void, Never>] = []
      for number in 0..<20 { tasks.append(try await owner.work(round * 20 + number, census)) }
      await owner.walk()
      for task in tasks { await task.value }
      await owner.walk()
    }
    await owner.clear()
    try await until { census.population == 0 }
  }
}
