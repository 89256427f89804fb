import LineageTestSupport
import ResponderChain
import Testing

@Suite("Laws 4 and 5: providers that arrive late concern exactly the observers below them")
@MainActor
struct LateProviderTests {
  @Test(
    "A grandparent that provides late resumes the leaf below it only",
    arguments: Strategy.allCases)
  func grandparent(_ strategy: Strategy) async throws {
    let tree = try SmallTree(strategy)
    let log = Log()
    var started = 0
    let tasks = [tree.leaf, tree.uncle].map { view in
      Task {
        started += 1
        let theme = try? await view.context(whenReady: Theme.self)
        log.lines.append("\(view.debugName ?? "") \(theme?.ink ?? "cancelled")")
      }
    }
    try await until { started == 2 }
    tree.left.provide(Theme("left"))
    await tasks[0].value
    for _ in 0..<20 { await Task.yield() }
    #expect(log.take() == ["leaf left"])
    tasks[1].cancel()
    await tasks[1].value
    #expect(log.lines == ["uncle cancelled"])
  }

  @Test(
    "A provider in the middle takes the leaf over, once; its uncle stays",
    arguments: Strategy.allCases)
  func middle(_ strategy: Strategy) throws {
    let tree = try SmallTree(strategy)
    let log = Log()
    let root = Notebook("root")
    tree.application.provide(root)
    let tokens = [tree.leaf, tree.uncle].map { log.observe($0, Notebook.self) }
    #expect(log.take() == ["leaf value root", "uncle value root"])
    tree.left.provide(Notebook("middle"))
    #expect(log.take() == ["leaf value middle"])
    tree.application.provide(Notebook("second root"))
    #expect(log.take() == ["uncle value second root"])
    try tree.left.withdraw(Notebook.self)
    #expect(log.take() == ["leaf value second root"])
    withExtendedLifetime(tokens) {}
  }

  @Test("Falling back to an equal context is silent, but explained", arguments: Strategy.allCases)
  func equalFallback(_ strategy: Strategy) throws {
    let tree = try SmallTree(strategy)
    let log = Log()
    tree.application.provide(Theme("dark"))
    let token = log.observe(tree.leaf, Theme.self)
    tree.left.provide(Theme("dark"))
    #expect(tree.leaf.explain(Theme.self).outcome == "a value, provided by Screen \"left\"")
    try tree.left.withdraw(Theme.self)
    #expect(log.lines == ["leaf value dark"])
    #expect(tree.leaf.explain(Theme.self).outcome == "a value, provided by Application")
    withExtendedLifetime(token) {}
  }

  @Test(
    "A node that provides and consumes does not bind to itself from the next",
    arguments: Strategy.allCases)
  func fromNext(_ strategy: Strategy) throws {
    let tree = try SmallTree(strategy)
    tree.left.provide(Theme("own"))
    #expect(tree.left.resolve(Theme.self, from: .next).description == "missing")
    #expect(tree.left.resolve(Theme.self).description == "value own")
    tree.application.provide(Theme("root"))
    #expect(tree.left.resolve(Theme.self, from: .next).description == "value root")
    #expect(tree.application.resolve(Theme.self, from: .next).description == "missing")
    tree.left.branch(Notebook.self)
    tree.application.provide(Notebook("root"))
    #expect(tree.left.resolve(Notebook.self, from: .next).description == "value root")
    #expect(tree.left.resolve(Notebook.self).description == "value root/1")
  }

  @Test(
    "A late provider of one type costs consumers of another nothing",
    arguments: Strategy.allCases)
  func otherType(_ strategy: Strategy) throws {
    let tree = try SmallTree(strategy)
    let log = Log()
    tree.application.provide(Theme("dark"))
    let token = log.observe(tree.leaf, Theme.self)
    #expect(log.take() == ["leaf value dark"])
    let before = tree.leaf.steps(toFind: Theme.self)
    tree.left.provide(Notebook("left"))
    tree.page.provide(Session("ann"))
    #expect(log.take().isEmpty)
    #expect(tree.leaf.context(Theme.self) == Theme("dark"))
    #expect(tree.leaf.steps(toFind: Theme.self) <= before + 2)
    withExtendedLifetime(token) {}
  }
}
