/// The `late delivery` case with observers: the root's token arrives, and each observer is
/// notified.
@MainActor struct LateDelivery {
  static func cases(seed: UInt64) -> [BenchmarkCase] {
    [1000, 10_000, 100_000].flatMap { nodes in
      [1, 10, 100, 1000, 10_000].map { observers in
        BenchmarkCase(
          suite: .resolution, name: "late delivery",
          parameters: [Parameter("nodes", nodes), Parameter("observers", observers)],
          unit: .microseconds, effort: effort(nodes, observers),
          // For 10,000 observers, the fastest code written by hand has no tree at all.
          baseline: observers == 10_000 ? "stored closures" : "hand-written push",
          subjects: LateDelivery(nodes: nodes, observers: observers, seed: seed).subjects,
          bars: observers == 10_000 && nodes <= 10_000
            ? [.ratio(of: "skipping", to: "stored closures", atMost: 6)] : [])
      }
    }
  }

  private static func effort(_ nodes: Int, _ observers: Int) -> Effort {
    switch (nodes, observers) {
    case (10_000, 10_000), (1000, 10): .quick
    case (10_000, _), (_, 10), (1000, 10_000): .standard
    default: .full
    }
  }

  let nodes: Int
  let observers: Int
  let seed: UInt64

  private var subjects: [Subject] {
    [
      Subject(name: "hand-written push") { try trial(HandWrittenPush()) },
      Subject(name: "stored closures") { storedClosures() },
    ] + Library.subjects { try trial(ResponderTree($0)) }
  }

  @inline(__always)
  private func trial<Tree: ObservedTree>(_ tree: Tree) throws -> Trial {
    var generator = SeededGenerator(seed: seed)
    let grown = try tree.grow(.balanced(nodes: nodes), below: tree.root)
    try tree.expectAtRoot()
    let audience = Audience()
    audience.observe(grown.drawn(observers, using: &generator), of: tree)
    return Trial(
      answer: {
        try tree.expectAtRoot()
        audience.reset()
        tree.deliverAtRoot(.first)
        return audience.answer
      },
      sample: { iterations in
        try withExtendedLifetime(grown) {
          try Stopwatch.nanoseconds(
            iterations, before: { try tree.expectAtRoot() }, { tree.deliverAtRoot(.first) })
        }
      })
  }

  /// Returns a trial without a tree. It calls the observers' closures, which are in an array.
  private func storedClosures() -> Trial {
    let audience = Audience()
    let closures: [(Token?) -> Void] = (0..<observers).map { number in
      { audience.hear($0, number) }
    }
    return Trial(
      answer: {
        audience.reset()
        for hear in closures { hear(.first) }
        return audience.answer
      },
      sample: { iterations in
        Stopwatch.nanoseconds(iterations) { for hear in closures { hear(.first) } }
      })
  }
}
