import LineageTestSupport
import ResponderChain
import Testing

@Suite("Branches")
@MainActor
struct BranchTests {
  /// A context that runs a closure when it is deinitialised.
  private final class Ending: BranchingContext {
    let parent: Ending?
    var hasUnsavedChanges = false
    var childCount = 0
    var onEnd: () -> Void = {}

    init(parent: Ending? = nil) { self.parent = parent }

    deinit { onEnd() }

    func makeChild() -> Ending {
      childCount += 1
      return Ending(parent: self)
    }
  }

  @Test(
    "A branch of a pending context is pending, and made exactly once on delivery",
    arguments: Strategy.allCases, BranchPolicy.allCases)
  func pending(_ strategy: Strategy, _ policy: BranchPolicy) throws {
    let tree = try SmallTree(strategy)
    let delivery = tree.application.expect(Notebook.self)
    tree.left.branch(Notebook.self, policy)
    let log = Log()
    let tokens = [tree.leaf, tree.page].map { log.observe($0, Notebook.self) }
    #expect(log.take() == ["leaf pending", "page pending"])
    let made = Notebook("root")
    tree.application.provide(made)
    #expect(log.take() == ["page value root/1", "leaf value root/1"])
    let isTaken = delivery.deliver(Notebook("late"))
    #expect(!isTaken)
    #expect(tree.left.context(Notebook.self) === tree.leaf.context(Notebook.self))
    #expect(tree.leaf.context(Notebook.self)?.parent === made)
    #expect(made.childCount == 1)
    withExtendedLifetime(tokens) {}
  }

  @Test(
    "When the root's context is replaced a following branch is made anew",
    arguments: Strategy.allCases)
  func follow(_ strategy: Strategy) throws {
    let tree = try SmallTree(strategy)
    let log = Log()
    tree.application.provide(Notebook("old"))
    tree.left.branch(Notebook.self, .follow)
    let token = log.observe(tree.leaf, Notebook.self)
    var drifts: [String] = []
    tree.application.onDrift = { drifts.append($0.description) }
    tree.application.provide(Notebook("new"))
    #expect(log.lines == ["leaf value old/1", "leaf value new/1"])
    #expect(drifts.isEmpty)
    withExtendedLifetime(token) {}
  }

  @Test(
    "When the root's context is replaced a keeping branch keeps and reports the drift",
    arguments: Strategy.allCases)
  func keep(_ strategy: Strategy) throws {
    let tree = try SmallTree(strategy)
    let log = Log()
    tree.application.provide(Notebook("old"))
    tree.left.branch(Notebook.self, .keep)
    let token = log.observe(tree.leaf, Notebook.self)
    var drifts: [Drift] = []
    tree.application.onDrift = { drifts.append($0) }
    tree.application.provide(Notebook("new"))
    #expect(log.lines == ["leaf value old/1"])
    #expect(drifts.count == 1)
    let drift = try #require(drifts.first)
    #expect(drift.responder === tree.left)
    #expect(
      drift.description
        == "The branch Notebook of Screen \"left\" in Application keeps old/1, because its policy "
        + "is .keep, although another context is inherited now.")
    withExtendedLifetime(token) {}
  }

  @Test("A child is not made before somebody needs it", arguments: Strategy.allCases)
  func lazy(_ strategy: Strategy) throws {
    let tree = try SmallTree(strategy)
    let root = Notebook("root")
    tree.application.provide(root)
    tree.left.branch(Notebook.self)
    _ = tree.leaf.explain(Notebook.self)
    _ = tree.application.dump()
    _ = tree.left.slotSummaries
    #expect(root.childCount == 0)
    _ = tree.uncle.context(Notebook.self)
    #expect(root.childCount == 0)
    _ = tree.leaf.context(Notebook.self)
    #expect(root.childCount == 1)
  }

  @Test("Branches nest, each the child of the one above", arguments: Strategy.allCases)
  func nested(_ strategy: Strategy) throws {
    let tree = try SmallTree(strategy)
    let root = Notebook("root")
    tree.application.provide(root)
    tree.leaf.branch(Notebook.self)
    tree.left.branch(Notebook.self)
    #expect(tree.leaf.context(Notebook.self)?.name == "root/1/1")
    #expect(tree.page.context(Notebook.self)?.name == "root/1")
    let log = Log()
    let token = log.observe(tree.leaf, Notebook.self)
    tree.application.provide(Notebook("other"))
    #expect(log.lines == ["leaf value root/1/1", "leaf value other/1/1"])
    withExtendedLifetime(token) {}
  }

  @Test("A child with unsaved changes is never thrown away", arguments: Strategy.allCases)
  func dirty(_ strategy: Strategy) throws {
    let tree = try SmallTree(strategy)
    tree.application.provide(Notebook("old"))
    tree.left.branch(Notebook.self)
    let child = try tree.leaf.require(Notebook.self)
    child.hasUnsavedChanges = true
    var drifts: [Drift] = []
    tree.application.onDrift = { drifts.append($0) }
    let log = Log()
    let token = log.observe(tree.leaf, Notebook.self)
    tree.application.provide(Notebook("new"))
    #expect(tree.leaf.context(Notebook.self) === child)
    #expect(drifts.map(\.hasUnsavedChanges) == [true])
    try child.save()
    tree.application.drain()
    #expect(tree.leaf.context(Notebook.self)?.name == "new/1")
    #expect(log.lines == ["leaf value old/1", "leaf value new/1"])
    withExtendedLifetime(token) {}
  }

  @Test(
    "Drift is reported where the branch arrives, in one move or two", arguments: Strategy.allCases,
    [false, true])
  func drift(_ strategy: Strategy, _ isDetachedFirst: Bool) throws {
    let first = Application(strategy: strategy), second = Application(strategy: strategy)
    let screen = Screen("screen")
    first.provide(Notebook("one"))
    second.provide(Notebook("two"))
    try first.append(screen)
    screen.branch(Notebook.self, .keep)
    _ = try screen.require(Notebook.self)
    var drifts: [String] = []
    first.onDrift = { drifts.append("first \($0.context)") }
    second.onDrift = { drifts.append("second \($0.context)") }
    if isDetachedFirst { screen.removeFromParent() }
    try second.append(screen)
    #expect(screen.context(Notebook.self)?.name == "one/1")
    #expect(drifts == ["second one/1"])
  }

  @Test(
    "Once the outer of two branches is clean, both follow at the next read of either",
    arguments: Strategy.allCases, [false, true])
  func nestedFollow(_ strategy: Strategy, _ isInnerReadFirst: Bool) throws {
    let tree = try SmallTree(strategy)
    tree.application.provide(Notebook("one"))
    tree.left.branch(Notebook.self)
    tree.leaf.branch(Notebook.self)
    let outer = try tree.left.require(Notebook.self)
    let inner = try tree.leaf.require(Notebook.self)
    #expect(inner.parent === outer)
    outer.hasUnsavedChanges = true
    tree.application.provide(Notebook("two"))
    if !isInnerReadFirst {
      #expect(tree.left.context(Notebook.self) === outer)
      #expect(tree.leaf.context(Notebook.self) === inner)
    }
    outer.hasUnsavedChanges = false
    if !isInnerReadFirst {
      #expect(tree.left.context(Notebook.self)?.name == "two/1")
      #expect(tree.leaf.resolve(Notebook.self, from: .next).value?.name == "two/1")
    }
    #expect(tree.leaf.context(Notebook.self)?.name == "two/1/1")
    #expect(tree.leaf.context(Notebook.self)?.parent === tree.left.context(Notebook.self))
  }

  @Test("A child whose end reads the branch finds the next one", arguments: Strategy.allCases)
  func readAtEnd(_ strategy: Strategy) throws {
    let tree = try SmallTree(strategy)
    tree.application.provide(Ending())
    tree.left.branch(Ending.self)
    do {
      let child = try tree.leaf.require(Ending.self)
      child.hasUnsavedChanges = true
      child.onEnd = { [weak leaf = tree.leaf] in _ = leaf?.context(Ending.self) }
    }
    let second = Ending()
    tree.application.provide(second)
    tree.left.context(Ending.self)?.hasUnsavedChanges = false
    _ = tree.leaf.context(Ending.self)
    #expect(second.childCount == 1)
    #expect(tree.all.flatMap { $0.checkInvariants() } == [])
    try tree.left.withdraw(Ending.self)
    // A branch listener that was not removed would refer to a slot that no longer exists.
    tree.application.provide(Ending())
    tree.application.provide(Ending())
    #expect(tree.all.flatMap { $0.checkInvariants() } == [])
  }
}
