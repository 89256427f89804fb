/// The `provider between` case: a provider appears between observers and their slot at the root. It
/// affects one observer or all of them.
@MainActor struct ProviderBetween {
  static let observers = 10_000

  static func cases(seed: UInt64) -> [BenchmarkCase] {
    let sizes = [(1000, Effort.standard), (10_000, .quick), (100_000, .full)]
    return sizes.flatMap { nodes, effort in
      [1, observers].map { affected in
        BenchmarkCase(
          suite: .resolution, name: "provider between",
          parameters: [
            Parameter("nodes", nodes), Parameter("observers", observers),
            Parameter("affected", affected),
          ],
          unit: .microseconds, effort: effort, baseline: "hand-written push",
          subjects: ProviderBetween(nodes: nodes, affected: affected, seed: seed).subjects,
          bars: affected == 1
            ? [.ratio(of: "skipping", to: Parameter("affected", observers), atMost: 1 / 100)] : [])
      }
    }
  }

  let nodes: Int
  let affected: Int
  let seed: UInt64

  private var subjects: [Subject] {
    [Subject(name: "hand-written push") { try trial(HandWrittenPush()) }]
      + Library.subjects { try trial(ResponderTree($0)) }
  }

  /// Returns a trial of a tree in which all observers are below `all`, the only child of the root.
  /// One observer is alone below the node `corner`.
  @inline(__always)
  private func trial<Tree: ObservedTree>(_ tree: Tree) throws -> Trial {
    var generator = SeededGenerator(seed: seed)
    try tree.provide(.first, at: tree.root)
    let (all, corner, listener) = (tree.makeNode(), tree.makeNode(), tree.makeNode())
    try tree.append(all, to: tree.root)
    let grown = try tree.grow(.balanced(nodes: nodes - 3), below: all)
    try tree.append(corner, to: all)
    try tree.append(listener, to: corner)
    let audience = Audience()
    let others = grown.drawn(Self.observers - 1, using: &generator)
    audience.observe((others + [listener]).shuffled(using: &generator), of: tree)
    let between = affected == 1 ? corner : all
    return Trial(
      answer: {
        audience.reset()
        try tree.provide(.second, at: between)
        let answer = audience.answer
        try tree.withdraw(at: between)
        return answer
      },
      sample: { iterations in
        var isThere = false
        let total = try Stopwatch.nanoseconds(
          iterations,
          before: {
            if isThere { try tree.withdraw(at: between) }
            isThere = true
          },
          { try tree.provide(.second, at: between) })
        try tree.withdraw(at: between)
        return withExtendedLifetime(grown) { total }
      })
  }
}
