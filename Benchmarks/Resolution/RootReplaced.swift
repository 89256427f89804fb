/// The `root replaced` case: the root provides another token, and the observers below the root are
/// notified.
@MainActor struct RootReplaced {
  static func cases(seed: UInt64) -> [BenchmarkCase] {
    let sizes = [(1000, Effort.quick), (10_000, .standard), (100_000, .quick)]
    return sizes.flatMap { nodes, effort in
      [1, 10, 100, 1000, 10_000].map { observers in
        BenchmarkCase(
          suite: .resolution, name: "root replaced",
          parameters: [Parameter("nodes", nodes), Parameter("observers", observers)],
          unit: .microseconds, effort: observers == 10 ? effort : .full,
          baseline: "hand-written push",
          subjects: RootReplaced(nodes: nodes, observers: observers, seed: seed).subjects,
          bars: (nodes, observers) == (100_000, 10)
            ? [.ratio(of: "skipping", to: "hand-written push", atMost: 1 / 3000)] : [])
      }
    }
  }

  let nodes: Int
  let observers: Int
  let seed: UInt64

  private var subjects: [Subject] {
    [Subject(name: "hand-written push") { try trial(HandWrittenPush()) }]
      + Library.subjects { try trial(ResponderTree($0)) }
  }

  @inline(__always)
  private func trial<Tree: ObservedTree>(_ tree: Tree) throws -> Trial {
    var generator = SeededGenerator(seed: seed)
    let grown = try tree.grow(.balanced(nodes: nodes), below: tree.root)
    try tree.provide(.first, at: tree.root)
    let audience = Audience()
    audience.observe(grown.drawn(observers, using: &generator), of: tree)
    var next = Token.second
    return Trial(
      answer: {
        audience.reset()
        try tree.provide(.second, at: tree.root)
        try tree.provide(.first, at: tree.root)
        return audience.answer
      },
      sample: { iterations in
        try withExtendedLifetime(grown) {
          try Stopwatch.nanoseconds(iterations) {
            try tree.provide(next, at: tree.root)
            next = next === Token.first ? .second : .first
          }
        }
      })
  }
}
