import LineageTestSupport
import ResponderChain
import Testing

@Suite("The case table")
@MainActor
struct CaseTableTests {
  @Test(
    "Providing over pending is the delivery, and cancels the load", arguments: Strategy.allCases)
  func provideOverPending(_ strategy: Strategy) async throws {
    let tree = try SmallTree(strategy)
    let log = Log()
    let delivery = tree.application.expect(Theme.self)
    let token = log.observe(tree.leaf, Theme.self)
    tree.application.provide(Theme("dark"))
    #expect(log.take() == ["leaf pending", "leaf value dark"])
    #expect(!delivery.deliver(Theme("late")))

    let ending = AsyncStream.makeStream(of: Bool.self)
    let started = AsyncStream.makeStream(of: Void.self)
    tree.application.load(Theme.self) {
      started.continuation.yield()
      try? await Task.sleep(for: .seconds(3_600))
      ending.continuation.yield(Task.isCancelled)
      return Theme("loaded")
    }
    for await _ in started.stream { break }
    tree.application.provide(Theme("light"))
    for await isCancelled in ending.stream {
      #expect(isCancelled)
      break
    }
    tree.application.drain()
    #expect(log.lines == ["leaf pending", "leaf value light"])
    withExtendedLifetime(token) {}
  }

  @Test(
    "Expecting over a value logs out and releases it after the notification",
    arguments: Strategy.allCases)
  func expectOverValue(_ strategy: Strategy) throws {
    let tree = try SmallTree(strategy)
    let census = Census()
    tree.application.provide(Notebook("old", in: census))
    var populations: [Int] = []
    let token = tree.leaf.observe(Notebook.self) { _, _ in populations.append(census.population) }
    let delivery = tree.application.expect(Notebook.self)
    #expect(tree.leaf.resolve(Notebook.self).description == "pending")
    #expect(populations == [1, 1], "alive while the change is told")
    #expect(census.population == 0, "released after it")
    withExtendedLifetime((token, delivery)) {}
  }

  @Test(
    "A branch where it provided is a child of the inherited, never of its former value",
    arguments: Strategy.allCases)
  func branchOverValue(_ strategy: Strategy) throws {
    let tree = try SmallTree(strategy)
    let root = Notebook("root")
    tree.application.provide(root)
    tree.left.provide(Notebook("own"))
    tree.left.branch(Notebook.self)
    #expect(tree.leaf.context(Notebook.self)?.parent === root)
    tree.right.provide(Notebook("alone"))
    try tree.application.withdraw(Notebook.self)
    tree.right.branch(Notebook.self)
    #expect(tree.uncle.resolve(Notebook.self).description == "missing")
  }

  @Test(
    "Branching again keeps the child; another policy changes only the policy",
    arguments: Strategy.allCases)
  func branchAgain(_ strategy: Strategy) throws {
    let tree = try SmallTree(strategy)
    let log = Log()
    tree.application.provide(Notebook("root"))
    tree.left.branch(Notebook.self, .follow)
    let token = log.observe(tree.leaf, Notebook.self)
    let child = tree.leaf.context(Notebook.self)
    tree.left.branch(Notebook.self, .follow)
    tree.left.branch(Notebook.self, .keep)
    #expect(tree.leaf.context(Notebook.self) === child)
    #expect(tree.left.slotSummaries.map(\.kind) == [.branch(.keep)])
    tree.application.provide(Notebook("other"))
    #expect(tree.leaf.context(Notebook.self) === child)
    tree.left.branch(Notebook.self, .follow)
    #expect(tree.leaf.context(Notebook.self)?.name == "other/1")
    #expect(log.lines == ["leaf value root/1", "leaf value other/1"])
    withExtendedLifetime(token) {}
  }

  @Test(
    "A branch without an inherited value resolves to exactly that, and it does not stick",
    arguments: Strategy.allCases, BranchPolicy.allCases)
  func notSticky(_ strategy: Strategy, _ policy: BranchPolicy) throws {
    let tree = try SmallTree(strategy)
    let log = Log()
    tree.left.branch(Notebook.self, policy)
    let token = log.observe(tree.leaf, Notebook.self)
    tree.application.expect(Notebook.self).fail(Mishap("broken"))
    tree.application.drain()
    tree.application.block(Notebook.self)
    tree.application.provide(Notebook("root"))
    #expect(
      log.lines == [
        "leaf missing", "leaf pending", "leaf failed: broken", "leaf blocked", "leaf value root/1",
      ])
    withExtendedLifetime(token) {}
  }

  @Test("A following branch branches anew when its subtree moves", arguments: Strategy.allCases)
  func followMoves(_ strategy: Strategy) throws {
    let tree = try SmallTree(strategy)
    tree.left.provide(Notebook("left"))
    tree.right.provide(Notebook("right"))
    let card = Screen("card")
    card.branch(Notebook.self, .follow)
    try tree.left.append(card)
    #expect(card.context(Notebook.self)?.name == "left/1")
    try card.move(to: tree.right)
    #expect(card.context(Notebook.self)?.name == "right/1")
    card.context(Notebook.self)?.hasUnsavedChanges = true
    var drifts = 0
    tree.application.onDrift = { _ in drifts += 1 }
    try card.move(to: tree.left)
    #expect(card.context(Notebook.self)?.name == "right/1")
    #expect(drifts == 1)
    card.context(Notebook.self)?.discard()
    tree.application.drain()
    #expect(card.context(Notebook.self)?.name == "left/2")
  }

  @Test(
    "A keeping branch keeps its child when moved or orphaned, but nothing before its first use",
    arguments: Strategy.allCases)
  func keepMoves(_ strategy: Strategy) throws {
    let tree = try SmallTree(strategy)
    tree.left.provide(Notebook("left"))
    tree.right.provide(Notebook("right"))
    let card = Screen("card")
    card.branch(Notebook.self, .keep)
    try tree.left.append(card)
    try card.move(to: tree.right)
    let child = try card.require(Notebook.self)
    #expect(child.name == "right/1")
    var drifts: [Drift] = []
    tree.application.onDrift = { drifts.append($0) }
    try card.move(to: tree.left)
    #expect(card.context(Notebook.self) === child)
    #expect(drifts.count == 1)
    try tree.left.withdraw(Notebook.self)
    #expect(card.context(Notebook.self) === child)
    card.removeFromParent()
    #expect(card.context(Notebook.self) === child)
  }

  @Test(
    "When a provider dies, children that others hold hear missing in the next round",
    arguments: Strategy.allCases)
  func death(_ strategy: Strategy) throws {
    let log = Log()
    let leaf = Page("leaf")
    let application = Application(strategy: strategy)
    var screen: Screen? = Screen("screen")
    try screen.map(application.append)
    try screen?.setRootView(leaf)
    screen?.provide(Theme("dark"))
    let token = log.observe(leaf, Theme.self)
    screen?.removeFromParent()
    #expect(log.take() == ["leaf value dark"])
    screen = nil
    #expect(log.take().isEmpty, "nothing is called during a deinit")
    #expect(leaf.nextResponder == nil)
    #expect(leaf.context(Theme.self) == nil)
    application.drain()
    #expect(log.take() == ["leaf missing"])
    withExtendedLifetime(token) {}
  }

  @Test(
    "A branch with unsaved changes is withdrawn only when told how", arguments: Strategy.allCases)
  func withdrawBranch(_ strategy: Strategy) throws {
    let tree = try SmallTree(strategy)
    tree.application.provide(Notebook("root"))
    tree.left.branch(Notebook.self)
    let child = try tree.leaf.require(Notebook.self)
    child.hasUnsavedChanges = true
    let error = #expect(throws: UnsavedChanges.self) { try tree.left.withdraw(Notebook.self) }
    #expect(
      error?.description
        == "Cannot withdraw the branch Notebook of Screen \"left\" in Application: its context has "
        + "unsaved changes. Withdraw it with unsaved: .save, .saveAll or .discard.")
    #expect(tree.leaf.context(Notebook.self) === child)
    try tree.left.withdraw(Notebook.self, unsaved: .save)
    #expect(child.log == ["save"])
    #expect(tree.leaf.context(Notebook.self)?.name == "root")
    tree.left.branch(Notebook.self)
    let second = try tree.leaf.require(Notebook.self)
    second.hasUnsavedChanges = true
    try tree.left.withdraw(Notebook.self, unsaved: .discard)
    #expect(second.log == ["discard"])
  }
}
