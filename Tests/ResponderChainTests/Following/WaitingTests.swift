import LineageTestSupport
import ResponderChain
import Testing

@Suite("Waiting", .hangGuard)
@MainActor
struct WaitingTests {
  /// Starts a task that waits for a theme. Returns the task when it has begun to run.
  private func startWaiting(at responder: Responder) async throws -> Task<Theme, any Error> {
    var isStarted = false
    let task = Task {
      isStarted = true
      return try await responder.context(whenReady: Theme.self)
    }
    try await until { isStarted }
    return task
  }

  @Test("A waiter that moves gets what its new place delivers", arguments: Strategy.allCases)
  func moving(_ strategy: Strategy) async throws {
    let first = try SmallTree(strategy)
    let second = Application(strategy: strategy)
    let a = first.application.expect(Theme.self)
    let b = second.expect(Theme.self)
    var heard: [String] = []
    let leaf = first.leaf
    var isStarted = false
    let task = Task {
      isStarted = true
      heard.append(try await leaf.context(whenReady: Theme.self).ink)
    }
    try await until { isStarted }
    try second.append(leaf)
    a.deliver(Theme("A"))
    first.application.drain()
    for _ in 0..<20 { await Task.yield() }
    #expect(heard.isEmpty)
    b.deliver(Theme("B"))
    try await task.value
    #expect(heard == ["B"])
  }

  @Test(
    "A detached waiter goes on waiting and is resumed when attached",
    arguments: Strategy.allCases)
  func reattached(_ strategy: Strategy) async throws {
    let tree = try SmallTree(strategy)
    let delivery = tree.application.expect(Theme.self)
    let task = try await startWaiting(at: tree.leaf)
    tree.left.removeFromParent()
    delivery.deliver(Theme("dark"))
    tree.application.drain()
    for _ in 0..<20 { await Task.yield() }
    #expect(tree.leaf.resolve(Theme.self).description == "missing")
    try tree.application.append(tree.left)
    #expect(try await task.value == Theme("dark"))
  }

  @Test(
    "At its deadline a detached waiter says where it was detached",
    arguments: Strategy.allCases)
  func deadline(_ strategy: Strategy) async throws {
    let tree = try SmallTree(strategy)
    tree.left.removeFromParent()
    let clock = ManualClock()
    let task = Task {
      try await tree.leaf.context(whenReady: Theme.self, within: .seconds(5), clock: clock)
    }
    try await until { clock.sleeperCount == 1 }
    clock.advance(by: .seconds(4))
    for _ in 0..<20 { await Task.yield() }
    #expect(clock.sleeperCount == 1)
    clock.advance(by: .seconds(1))
    let result = await task.result
    let error = #expect(throws: ContextError.self) { try result.get() }
    #expect(error?.isOverdue == true)
    #expect(error?.state.description == "missing")
    #expect(
      error?.description == """
        The deadline passed while waiting.
        Theme for Page "leaf" in Page "page" in Screen "left": missing
          asked Page "leaf": no slot
          then  Page "page": no slot
          then  Screen "left": no slot
        note: Screen "left" was detached from Application.
        help: Provide Theme at Page "leaf" or above, for example at Screen "left".
        """)
  }

  @Test("What arrives in time stops the deadline", arguments: Strategy.allCases)
  func inTime(_ strategy: Strategy) async throws {
    let tree = try SmallTree(strategy)
    let clock = ManualClock()
    let delivery = tree.application.expect(Theme.self)
    let task = Task {
      try await tree.leaf.context(whenReady: Theme.self, within: .seconds(5), clock: clock)
    }
    try await until { clock.sleeperCount == 1 }
    delivery.deliver(Theme("dark"))
    #expect(try await task.value == Theme("dark"))
    try await until { clock.sleeperCount == 0 }
  }

  @Test("Cancelling removes the waiter and leaves nothing alive", arguments: Strategy.allCases)
  func cancellation(_ strategy: Strategy) async throws {
    let census = Census()
    do {
      let leaf = Page("leaf", in: census)
      let clock = ManualClock()
      let task = Task {
        try await leaf.context(whenReady: Theme.self, within: .seconds(5), clock: clock)
      }
      try await until { clock.sleeperCount == 1 }
      task.cancel()
      await #expect(throws: CancellationError.self) { try await task.value }
      try await until { clock.sleeperCount == 0 }
    }
    try await until { census.population == 0 }

    do {
      let tree = try SmallTree(strategy, in: census)
      tree.application.provide(Notebook("root", in: census))
      let delivery = tree.left.expect(Theme.self)
      var isStarted = false
      let task = Task { [leaf = tree.leaf] in
        isStarted = true
        return try await leaf.context(whenReady: Theme.self)
      }
      try await until { isStarted }
      task.cancel()
      await #expect(throws: CancellationError.self) { try await task.value }
      delivery.deliver(Theme("to nobody"))
    }
    try await until { census.population == 0 }
  }

  @Test("A block throws to those who wait", arguments: Strategy.allCases)
  func blocked(_ strategy: Strategy) async throws {
    let tree = try SmallTree(strategy)
    let task = try await startWaiting(at: tree.leaf)
    tree.left.block(Theme.self)
    let result = await task.result
    let error = #expect(throws: ContextError.self) { try result.get() }
    #expect(error?.state.description == "blocked")
    await #expect(throws: ContextError.self) {
      try await tree.page.context(whenReady: Theme.self)
    }
  }

  @Test("A waiter returns what holds when its task runs", arguments: Strategy.allCases)
  func now(_ strategy: Strategy) async throws {
    let tree = try SmallTree(strategy)
    let task = try await startWaiting(at: tree.leaf)
    tree.application.provide(Theme("first"))
    tree.application.provide(Theme("second"))
    #expect(try await task.value == Theme("second"))
  }

  @Test("A value that goes before the task runs is waited for again", arguments: Strategy.allCases)
  func gone(_ strategy: Strategy) async throws {
    let tree = try SmallTree(strategy)
    var isStarted = false
    var value: Theme?
    let task = Task {
      isStarted = true
      value = try await tree.leaf.context(whenReady: Theme.self)
    }
    try await until { isStarted }
    tree.application.provide(Theme("first"))
    try tree.application.withdraw(Theme.self)
    for _ in 0..<20 { await Task.yield() }
    #expect(value == nil)
    tree.left.provide(Theme("second"))
    try await task.value
    #expect(value == Theme("second"))
  }

  @Test(
    "In a detached tree a waiter gets what is delivered, below a branch too",
    arguments: [false, true])
  func detached(_ isBranched: Bool) async throws {
    let top = Controller(), leaf = Controller()
    try top.append(leaf)
    if isBranched { leaf.branch(Notebook.self) }
    let delivery = top.expect(Notebook.self)
    var isStarted = false
    var result: Result<String, any Error>?
    let task = Task {
      isStarted = true
      do {
        result = .success(try await leaf.context(whenReady: Notebook.self).name)
      } catch { result = .failure(error) }
    }
    try await until { isStarted }
    delivery.deliver(Notebook("root"))
    try await until { result != nil }
    #expect(try result?.get() == (isBranched ? "root/1" : "root"))
    task.cancel()
    withExtendedLifetime(top) {}
  }

  @Test(
    "Who comes to wait below a branch that others wait below is resumed with them",
    arguments: Strategy.allCases)
  func joiningBelowBranch(_ strategy: Strategy) async throws {
    let tree = try SmallTree(strategy)
    var (started, found) = (0, [Notebook]())
    func wait(at place: Page) -> Task<Void, any Error> {
      Task {
        started += 1
        found.append(try await place.context(whenReady: Notebook.self))
      }
    }
    _ = tree.application.expect(Notebook.self)
    var tasks = [wait(at: tree.leaf), wait(at: tree.uncle)]
    try await until { started == 2 }
    // Now the audience of the root is reached through a branch, which has an audience of its own.
    tree.left.branch(Notebook.self)
    let delivery = tree.application.expect(Notebook.self)
    tasks.append(wait(at: tree.page))
    tasks.append(wait(at: tree.uncle))
    try await until { started == 4 }
    #expect(tree.all.flatMap { $0.checkInvariants() } == [])
    delivery.deliver(Notebook("root"))
    tree.application.drain()
    try await until { found.count == 4 }
    #expect(found.map(\.name).sorted() == ["root", "root", "root/1", "root/1"])
    for task in tasks { try await task.value }
  }

  @Test(
    "A waiter is resumed though after a fault its round calls no more observers",
    arguments: Strategy.allCases)
  func behindFault(_ strategy: Strategy) async throws {
    let tree = try SmallTree(strategy)
    var faults = 0
    tree.application.onFault = { if case .calledTooOften = $0.reason { faults += 1 } }
    var isStarted = false
    var found: Theme?
    let task = Task { [leaf = tree.leaf] in
      isStarted = true
      found = try await leaf.context(whenReady: Theme.self)
    }
    try await until { isStarted }
    var count = 0
    let token = tree.left.observe(Theme.self) { me, theme in
      guard theme.value != nil else { return }
      count += 1
      me.application?.provide(Theme("\(count)"))
    }
    tree.application.provide(Theme("start"))
    #expect(faults == 1)
    #expect(tree.leaf.context(Theme.self) != nil)
    try await until { found != nil }
    #expect(found == tree.leaf.context(Theme.self))
    task.cancel()
    withExtendedLifetime(token) {}
  }
}
