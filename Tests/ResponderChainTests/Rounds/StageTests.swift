import LineageTestSupport
import ResponderChain
import Testing

@Suite("Law 3: a round has two stages")
@MainActor
struct StageTests {
  /// A tree with a log. Its functions register observers that log their calls, in one of the two
  /// stages.
  private struct Scene {
    let tree: SmallTree
    let log = Log()

    init(_ strategy: Strategy) throws { tree = try SmallTree(strategy) }

    func observeFirst(
      _ responder: Responder, then act: @escaping (Responder) -> Void = { _ in }
    ) -> ContextObservation {
      responder.observeFirst(Theme.self) { [log] me, theme in
        log.lines.append("first \(me.debugName ?? "app") \(theme)")
        act(me)
      }
    }

    func observe(_ responder: Responder) -> ContextObservation {
      let token = log.observe(responder, Theme.self)
      _ = log.take()
      return token
    }
  }

  @Test(
    "First-stage observers come before all others, in the order of law 3",
    arguments: Strategy.allCases)
  func order(_ strategy: Strategy) throws {
    let scene = try Scene(strategy)
    let (tree, log) = (scene.tree, scene.log)
    let others = [tree.leaf, tree.left, tree.application].map(scene.observe)
    let first = [tree.leaf, tree.uncle, tree.page, tree.left].map { scene.observeFirst($0) }
    #expect(log.take() == [], "registration calls nobody")
    tree.application.provide(Theme("dark"))
    #expect(
      log.take() == [
        "first left value dark", "first uncle value dark", "first page value dark",
        "first leaf value dark", "app value dark", "left value dark", "leaf value dark",
      ])
    tree.application.provide(Theme("dark"))
    #expect(log.take() == [], "an equal value is no change")
    first.forEach { $0.cancel() }
    tree.application.provide(Theme("light"))
    #expect(log.take() == ["app value light", "left value light", "leaf value light"])
    withExtendedLifetime(others) {}
  }

  @Test("Changes of several slots go through the first stage first", arguments: Strategy.allCases)
  func severalSlots(_ strategy: Strategy) throws {
    let scene = try Scene(strategy)
    let (tree, log) = (scene.tree, scene.log)
    let tokens = [
      scene.observe(tree.left), scene.observe(tree.uncle), scene.observeFirst(tree.leaf),
      scene.observeFirst(tree.uncle),
    ]
    tree.application.batch {
      tree.right.provide(Theme("right"))
      tree.left.provide(Theme("left"))
    }
    #expect(
      log.take() == [
        "first uncle value right", "first leaf value left", "left value left", "uncle value right",
      ])
    withExtendedLifetime(tokens) {}
  }

  @Test(
    "What the first stage changes is heard once, with its outcome", arguments: Strategy.allCases)
  func outcome(_ strategy: Strategy) throws {
    let scene = try Scene(strategy)
    let (tree, log) = (scene.tree, scene.log)
    let tokens = [
      scene.observe(tree.left), scene.observe(tree.leaf),
      scene.observeFirst(tree.leaf) { [weak left = tree.left] _ in left?.provide(Theme("own")) },
    ]
    tree.application.provide(Theme("dark"))
    #expect(
      log.take() == [
        "first leaf value dark", "first leaf value own", "left value own", "leaf value own",
      ])
    withExtendedLifetime(tokens) {}
  }

  @Test(
    "What a callback of the last stage changes is heard by the first stage first",
    arguments: Strategy.allCases)
  func backAgain(_ strategy: Strategy) throws {
    let scene = try Scene(strategy)
    let (tree, log) = (scene.tree, scene.log)
    let token = tree.application.observe(Theme.self) { me, theme in
      log.lines.append("app \(theme)")
      if theme.value == Theme("dark") { me.provide(Theme("light")) }
    }
    let tokens = [scene.observe(tree.left), scene.observeFirst(tree.leaf)]
    tree.application.provide(Theme("dark"))
    #expect(
      log.take() == [
        "first leaf value dark", "app value dark", "first leaf value light", "app value light",
        "left value light",
      ])
    withExtendedLifetime((token, tokens)) {}
  }

  @Test(
    "An observer of the first stage that changes what it observes ends the calls with a fault",
    arguments: Strategy.allCases)
  func fault(_ strategy: Strategy) throws {
    let scene = try Scene(strategy)
    let (tree, log) = (scene.tree, scene.log)
    var faults: [ObjectIdentifier] = []
    tree.application.onFault = { faults.append(ObjectIdentifier($0.responder)) }
    var calls = 0
    let token = tree.leaf.observeFirst(Theme.self) { me, _ in
      calls += 1
      me.application?.provide(Theme("\(calls)"))
      if calls == 1 { RoundStage.first.atEnd { log.lines.append("work") } }
    }
    let other = scene.observe(tree.left)
    tree.application.provide(Theme("start"))
    #expect(calls == 100)
    #expect(faults == [ObjectIdentifier(tree.leaf)])
    #expect(log.take() == ["work"], "work is done also after a fault")
    token.cancel()
    tree.application.provide(Theme("fine"))
    #expect(log.take() == ["left value fine"], "the next round works")
    withExtendedLifetime(other) {}
  }

  @Test("What the first stage detaches hears nothing", arguments: Strategy.allCases)
  func detached(_ strategy: Strategy) throws {
    let scene = try Scene(strategy)
    let (tree, log) = (scene.tree, scene.log)
    let tokens = [
      scene.observe(tree.page), scene.observe(tree.uncle), scene.observeFirst(tree.uncle),
      scene.observeFirst(tree.left) { [weak right = tree.right] _ in right?.removeFromParent() },
    ]
    tree.application.provide(Theme("dark"))
    #expect(log.take() == ["first left value dark", "page value dark"])
    try tree.application.append(tree.right)
    #expect(log.take() == ["first uncle value dark", "uncle value dark"])
    withExtendedLifetime(tokens) {}
  }

  @Test("What the first stage moves is heard at its new place", arguments: Strategy.allCases)
  func moved(_ strategy: Strategy) throws {
    let scene = try Scene(strategy)
    let (tree, log) = (scene.tree, scene.log)
    tree.right.provide(Theme("right"))
    let tokens = [
      scene.observe(tree.page), scene.observe(tree.leaf), scene.observeFirst(tree.leaf),
      scene.observeFirst(tree.left) { [weak leaf = tree.leaf, weak uncle = tree.uncle] _ in
        if let uncle { try? leaf?.move(to: uncle) }
      },
    ]
    tree.application.provide(Theme("dark"))
    #expect(
      log.take() == [
        "first left value dark", "first leaf value right", "page value dark", "leaf value right",
      ])
    #expect(tree.all.flatMap { $0.checkInvariants() } == [])
    withExtendedLifetime(tokens) {}
  }

  @Test("A first-stage observer hears of a branch's new child", arguments: Strategy.allCases)
  func branches(_ strategy: Strategy) throws {
    let tree = try SmallTree(strategy)
    let log = Log()
    tree.application.provide(Notebook("a"))
    tree.left.branch(Notebook.self)
    let other = log.observe(tree.left, Notebook.self)
    let first = tree.leaf.observeFirst(Notebook.self) { _, notebook in
      log.lines.append("first leaf \(notebook)")
    }
    _ = log.take()
    tree.application.provide(Notebook("b"))
    #expect(log.take() == ["first leaf value b/1", "left value b/1"])
    withExtendedLifetime((other, first)) {}
  }
}

@Suite("Law 3: work that is queued for the end of a stage joins the round")
@MainActor
struct StageWorkTests {
  @Test(
    "The first stage's work comes between the stages, the last one's at the end",
    arguments: Strategy.allCases)
  func order(_ strategy: Strategy) throws {
    let tree = try SmallTree(strategy)
    let log = Log()
    let other = log.observe(tree.application, Theme.self)
    let first = tree.leaf.observeFirst(Theme.self) { _, theme in
      log.lines.append("first leaf \(theme)")
    }
    _ = log.take()
    tree.application.batch {
      for number in 1...2 {
        RoundStage.last.atEnd { log.lines.append("last \(number)") }
        RoundStage.first.atEnd { log.lines.append("work \(number)") }
      }
      tree.application.provide(Theme("dark"))
      #expect(log.lines == [])
    }
    #expect(
      log.take() == [
        "first leaf value dark", "work 1", "work 2", "app value dark", "last 1", "last 2",
      ])
    withExtendedLifetime((other, first)) {}
  }

  @Test("What work changes is heard before the next work", arguments: Strategy.allCases)
  func changes(_ strategy: Strategy) throws {
    let tree = try SmallTree(strategy)
    let log = Log()
    let other = log.observe(tree.left, Theme.self)
    let first = tree.leaf.observeFirst(Theme.self) { _, theme in
      log.lines.append("first leaf \(theme)")
    }
    _ = log.take()
    let application = tree.application
    tree.application.batch {
      for stage in RoundStage.allCases {
        for number in 1...2 {
          stage.atEnd { application.provide(Theme("\(stage) \(number)")) }
        }
      }
    }
    #expect(
      log.take() == [
        "first leaf value first 1", "first leaf value first 2", "left value first 2",
        "first leaf value last 1", "left value last 1",
        "first leaf value last 2", "left value last 2",
      ])
    withExtendedLifetime((other, first)) {}
  }

  @Test("Work that callbacks and work queue is done in the same round")
  func nested() throws {
    let tree = try SmallTree()
    let log = Log()
    let other = tree.left.observe(Theme.self) { _, theme in
      guard theme.value != nil else { return }
      RoundStage.last.atEnd {
        log.lines.append("last")
        RoundStage.last.atEnd { log.lines.append("last of last") }
        RoundStage.first.atEnd { log.lines.append("first of last") }
      }
      RoundStage.first.atEnd { log.lines.append("first") }
      log.lines.append("left")
    }
    let leaf = log.observe(tree.leaf, Theme.self)
    _ = log.take()
    tree.application.provide(Theme("dark"))
    #expect(
      log.take() == ["left", "first", "leaf value dark", "last", "first of last", "last of last"])
    withExtendedLifetime((other, leaf)) {}
  }

  @Test("Outside a round work is done at once, in a round of its own", arguments: [0, 1])
  func outside(_ stage: Int) throws {
    let tree = try SmallTree()
    let log = Log()
    let token = log.observe(tree.leaf, Theme.self)
    _ = log.take()
    RoundStage.allCases[stage].atEnd {
      tree.application.provide(Theme("dark"))
      tree.application.provide(Theme("light"))
      log.lines.append("work")
    }
    #expect(log.take() == ["work", "leaf value light"])
    withExtendedLifetime(token) {}
  }

  @Test("Drifts are reported after the last work")
  func drifts() throws {
    let tree = try SmallTree()
    let log = Log()
    tree.application.onDrift = { _ in log.lines.append("drift") }
    tree.application.provide(Notebook("a"))
    tree.left.branch(Notebook.self)
    tree.left.context(Notebook.self)?.hasUnsavedChanges = true
    tree.application.batch {
      RoundStage.last.atEnd { log.lines.append("last") }
      tree.application.provide(Notebook("b"))
    }
    #expect(log.take() == ["last", "drift"])
  }

  @Test("Ten thousand pieces of work are done in order")
  func many() {
    var done: [Int] = []
    Application().batch {
      for number in 0..<10_000 { RoundStage.first.atEnd { done.append(number) } }
    }
    #expect(done == Array(0..<10_000))
  }
}
