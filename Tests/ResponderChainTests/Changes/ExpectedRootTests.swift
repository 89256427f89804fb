import LineageTestSupport
import ResponderChain
import Testing

@Suite("A root context that arrives late")
@MainActor
struct ExpectedRootTests {
  @Test("Delivering resumes every waiter once", arguments: Strategy.allCases)
  func delivery(_ strategy: Strategy) async throws {
    let tree = try SmallTree(strategy)
    let delivery = tree.application.expect(Session.self)
    let log = Log()
    var started = 0
    let tasks = [tree.leaf, tree.uncle, tree.page].map { view in
      Task {
        started += 1
        let session = try await view.context(whenReady: Session.self)
        log.lines.append("\(view.debugName ?? "") \(session)")
      }
    }
    try await until { started == 3 }
    #expect(tree.leaf.resolve(Session.self).description == "pending")
    let taken = await Task.detached { delivery.deliver(Session("ann")) }.value
    #expect(taken)
    for task in tasks { try await task.value }
    #expect(log.lines.sorted() == ["leaf ann", "page ann", "uncle ann"])

    let fourth = Page("fourth")
    try tree.right.append(fourth)
    #expect(fourth.context(Session.self)?.user == "ann")
    #expect(!delivery.deliver(Session("bob")))
    #expect(!delivery.fail(Mishap("late")))
    #expect(tree.leaf.context(Session.self)?.user == "ann")
  }

  @Test("A delivery after the withdrawal is refused", arguments: Strategy.allCases)
  func withdrawn(_ strategy: Strategy) throws {
    let tree = try SmallTree(strategy)
    let delivery = tree.application.expect(Theme.self)
    try tree.application.withdraw(Theme.self)
    #expect(!delivery.deliver(Theme("late")))
    tree.application.drain()
    #expect(tree.leaf.context(Theme.self) == nil)
  }

  @Test(
    "A delivery that lies in the mailbox does not resurrect what was withdrawn",
    arguments: Strategy.allCases)
  func withdrawnMeanwhile(_ strategy: Strategy) throws {
    let tree = try SmallTree(strategy)
    let delivery = tree.application.expect(Theme.self)
    #expect(delivery.deliver(Theme("late")))
    try tree.application.withdraw(Theme.self)
    tree.application.drain()
    #expect(tree.leaf.resolve(Theme.self).description == "missing")
    #expect(!delivery.deliver(Theme("later")))
  }

  @Test("Only the newest expectation takes a delivery", arguments: Strategy.allCases)
  func replaced(_ strategy: Strategy) throws {
    let tree = try SmallTree(strategy)
    let first = tree.application.expect(Theme.self)
    let second = tree.application.expect(Theme.self)
    #expect(!first.deliver(Theme("first")))
    #expect(second.deliver(Theme("second")))
    #expect(tree.leaf.resolve(Theme.self).description == "pending")
    #expect(tree.application.drain() == 1)
    #expect(tree.leaf.context(Theme.self) == Theme("second"))
  }

  @Test("Many threads deliver at once, and one of them is taken", arguments: Strategy.allCases)
  func contest(_ strategy: Strategy) async throws {
    let tree = try SmallTree(strategy)
    let delivery = tree.application.expect(Theme.self)
    let taken = await withTaskGroup(of: Bool.self) { group in
      for number in 0..<50 { group.addTask { delivery.deliver(Theme("\(number)")) } }
      var taken = 0
      for await isTaken in group where isTaken { taken += 1 }
      return taken
    }
    #expect(taken == 1)
    #expect(tree.application.drain() == 1)
    #expect(tree.leaf.context(Theme.self) != nil)
  }
}
