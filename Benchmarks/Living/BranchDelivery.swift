import Lineage

/// The `branch delivery` case: the root context arrives late in a tree of controllers. Each
/// controller has a branch, whose value is a child of the root context. Only a few controllers are
/// in use and observe their child context.
@MainActor struct BranchDelivery {
  static func cases(seed: UInt64) -> [BenchmarkCase] {
    [(1000, Effort.quick), (10_000, .standard)].map { controllers, effort in
      let used = controllers / 100
      return BenchmarkCase(
        suite: .living, name: "branch delivery",
        parameters: [Parameter("controllers", controllers), Parameter("used", used)],
        unit: .microseconds, effort: effort, baseline: "hand-written push",
        subjects: BranchDelivery(controllers: controllers, used: used, seed: seed).subjects,
        bars: controllers < 10_000
          ? []
          : Library.strategies.map {
            .ratio(of: $0.name, to: "hand-written push", atMost: 1 / 20).because(reason)
          })
    }
  }

  private static let reason = """
    the baseline makes a child context for each of the 10,000 controllers, which takes a fifth of the \
    time that it took when the bar was set
    """

  let controllers: Int
  let used: Int
  let seed: UInt64

  private var subjects: [Subject] {
    [Subject(name: "hand-written push") { try trial(PushedContexts()) }]
      + Library.subjects { try trial(DeliveredContexts($0)) }
  }

  private func trial<Tree: BranchingTree>(_ tree: Tree) throws -> Trial {
    let store = try MemoryStore([Song.self])
    let screens = try (0..<controllers / Self.screensInTab).flatMap { _ in
      try tree.addTab(screens: Self.screensInTab)
    }
    var generator = SeededGenerator(seed: seed)
    var received = Received()
    for screen in screens.drawn(used, using: &generator) {
      tree.use(screen) { received.add($0) }
    }
    return Trial(
      answer: {
        tree.expect()
        received = Received()
        tree.deliver(from: store)
        return ["children": received.children]
      },
      sample: { iterations in
        Stopwatch.nanoseconds(iterations, before: { tree.expect() }, { tree.deliver(from: store) })
      })
  }

  /// The number of screens in a tab. A tab is a controller without a branch, above its screens.
  private static let screensInTab = 100
}

/// The number of child contexts that the used screens received.
private struct Received {
  private(set) var children = 0

  mutating func add(_ context: ObjectContext?) {
    if context?.parent?.parent == nil, context?.parent != nil { children += 1 }
  }
}

/// A tree of tabs with screens, in one of the compared implementations. Each screen has a child
/// context of its own.
@MainActor protocol BranchingTree {
  associatedtype Screen

  /// Adds a tab below the root and returns its screens.
  func addTab(screens: Int) throws -> [Screen]
  /// Registers a closure that is called with the screen's context on each change.
  func use(_ screen: Screen, _ hear: @escaping (ObjectContext?) -> Void)
  /// Removes the root context, so that another root context can be delivered later.
  func expect()
  /// Delivers a new context of the store to the root.
  func deliver(from store: MemoryStore)
}
