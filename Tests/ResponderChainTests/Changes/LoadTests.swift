import LineageTestSupport
import ResponderChain
import Testing

@Suite("Loads", .hangGuard)
@MainActor
struct LoadTests {
  @Test("A load is pending, then a value", arguments: Strategy.allCases)
  func success(_ strategy: Strategy) async throws {
    let tree = try SmallTree(strategy)
    let log = Log()
    let gate = Gate()
    tree.application.load(Notebook.self) {
      await gate.pass()
      return Notebook("loaded")
    }
    let token = log.observe(tree.leaf, Notebook.self)
    await gate.open()
    #expect(try await tree.leaf.context(whenReady: Notebook.self).name == "loaded")
    #expect(log.lines == ["leaf pending", "leaf value loaded"])
    withExtendedLifetime(token) {}
  }

  @Test(
    "A failed load throws to everybody who waits, once; a retry succeeds",
    arguments: Strategy.allCases)
  func retry(_ strategy: Strategy) async throws {
    let tree = try SmallTree(strategy)
    let log = Log()
    let gate = Gate()
    tree.application.load(Theme.self) {
      await gate.pass()
      throw Mishap("no disk")
    }
    let token = log.observe(tree.uncle, Theme.self)
    var started = 0
    let tasks = [tree.leaf, tree.uncle, tree.page].map { view in
      Task {
        started += 1
        do {
          _ = try await view.context(whenReady: Theme.self)
          return "value"
        } catch {
          return "\(error)"
        }
      }
    }
    try await until { started == 3 }
    await gate.open()
    for task in tasks { #expect(await task.value == "no disk") }
    #expect(throws: ContextError.self) { try tree.leaf.require(Theme.self) }
    tree.application.load(Theme.self) { Theme("second try") }
    #expect(try await tree.leaf.context(whenReady: Theme.self) == Theme("second try"))
    #expect(
      log.lines == [
        "uncle pending", "uncle failed: no disk", "uncle pending", "uncle value second try",
      ])
    withExtendedLifetime(token) {}
  }

  @Test(
    "A load that throws CancellationError by itself has failed with it",
    arguments: Strategy.allCases)
  func cancellation(_ strategy: Strategy) async throws {
    let tree = try SmallTree(strategy)
    tree.application.load(Theme.self) { throw CancellationError() }
    try await until { tree.application.drain() > 0 }
    guard case .failed(let error) = tree.leaf.resolve(Theme.self) else {
      Issue.record("not failed")
      return
    }
    #expect(error is CancellationError)
  }

  /// An event that ends a load.
  enum End: String, CaseIterable {
    case owner, withdraw, provide, loadAgain, block, branch
  }

  @Test(
    "What ends a load cancels its task, and nothing stays alive",
    arguments: Strategy.allCases, End.allCases)
  func ended(_ strategy: Strategy, _ end: End) async throws {
    let census = Census()
    let application = Application(strategy: strategy)
    var screen: Screen? = Screen("owner", in: census)
    try application.append(#require(screen))
    let started = AsyncStream.makeStream(of: Void.self)
    let ended = AsyncStream.makeStream(of: Bool.self)
    let carried = Handover(Citizen(of: census))
    screen?.load(Notebook.self) {
      let citizen = carried.take()
      started.continuation.yield()
      while !Task.isCancelled { await Task.yield() }
      ended.continuation.yield(Task.isCancelled)
      return Notebook("late", in: citizen?.census)
    }
    for await _ in started.stream { break }
    switch end {
    case .owner:
      screen?.removeFromParent()
      screen = nil
    case .withdraw: try screen?.withdraw(Notebook.self)
    case .provide: screen?.provide(Notebook("provided"))
    case .loadAgain: screen?.load(Notebook.self) { Notebook("second") }
    case .block: screen?.block(Notebook.self)
    case .branch: screen?.branch(Notebook.self)
    }
    for await isCancelled in ended.stream {
      #expect(isCancelled)
      break
    }
    if end == .loadAgain {
      try await until { screen?.context(Notebook.self) != nil || application.drain() < 0 }
    }
    let expected: String? =
      switch end {
      case .owner: nil
      case .withdraw, .branch: "missing"
      case .provide: "value provided"
      case .loadAgain: "value second"
      case .block: "blocked"
      }
    #expect(screen?.resolve(Notebook.self).description == expected)
    screen?.removeFromParent()
    screen = nil
    try await until {
      application.drain()
      return census.population == 0
    }
  }

  @Test("The task of a load does not keep its owner alive", arguments: Strategy.allCases)
  func ownership(_ strategy: Strategy) async throws {
    let census = Census()
    do {
      let tree = try SmallTree(strategy, in: census)
      tree.left.load(Theme.self) {
        try await Task.sleep(for: .seconds(3_600))
        return Theme("never")
      }
    }
    #expect(census.population == 0)
  }

  @Test("A load in a detached tree is delivered where it is attached", arguments: Strategy.allCases)
  func detached(_ strategy: Strategy) async throws {
    let screen = Screen("screen")
    screen.load(Theme.self) { Theme("loaded") }
    #expect(try await screen.context(whenReady: Theme.self) == Theme("loaded"))
    let other = Screen("other")
    let gate = Gate()
    other.load(Theme.self) {
      await gate.pass()
      return Theme("later")
    }
    let application = Application(strategy: strategy)
    try application.append(other)
    await gate.open()
    try await until { application.drain() > 0 }
    #expect(other.context(Theme.self) == Theme("later"))
  }

  @Test("A main loop that is never run is named by explain", arguments: Strategy.allCases)
  func neverRun(_ strategy: Strategy) throws {
    let tree = try SmallTree(strategy)
    tree.application.expect(Theme.self).deliver(Theme("in the mailbox"))
    #expect(
      tree.leaf.explain(Theme.self).description == """
        Theme for Page "leaf" in Page "page" in Screen "left" in Application: pending at Application
          asked Page "leaf": no slot
          then  Page "page": no slot
          then  Screen "left": no slot
          then  Application: pending
        note: Application has neither run nor drained its mailbox, which holds 1 letter.
        help: Call application.run() in the program's main task, or drain() in its loop.
        """)
    tree.application.drain()
    #expect(tree.leaf.explain(Theme.self).notes.isEmpty)
  }
}
