/// The `churn` case: a subtree is pushed, its leaves look up the token, and the subtree is popped.
/// All leaves together make `lookups` lookups.
@MainActor struct Churn {
  static let lookups = [1, 10, 100, 1000, 10_000]

  static func cases(seed: UInt64) -> [BenchmarkCase] {
    var cases: [BenchmarkCase] = []
    for (nodes, effort) in [
      (10, Effort.standard), (100, .quick), (1000, .standard), (10_000, .standard),
      (100_000, .full),
    ] {
      for depth in [8, 32] {
        for lookups in lookups {
          cases.append(
            BenchmarkCase(
              suite: .resolution, name: "churn",
              parameters: [
                Parameter("nodes", nodes), Parameter("depth", depth),
                Parameter("lookups", lookups),
              ],
              unit: .nanoseconds, effort: effort, baseline: "hand-written push",
              subjects: Churn(nodes: nodes, depth: depth, lookups: lookups, seed: seed).subjects))
        }
      }
    }
    return cases
  }

  let nodes: Int
  let depth: Int
  let lookups: Int
  let seed: UInt64

  private var subjects: [Subject] {
    [Subject(name: "hand-written push") { try trial(HandWrittenPush()) }]
      + Library.subjects { try trial(ResponderTree($0)) }
  }

  /// Returns a trial that pushes and pops the lower half of the tree's levels. If `nodes` is too
  /// small for so many levels, fewer levels are pushed.
  @inline(__always)
  private func trial<Tree: ObservedTree>(_ tree: Tree) throws -> Trial {
    var generator = SeededGenerator(seed: seed)
    let levels = min(depth / 2, nodes - 1)
    let shape = TreeShape.layered(nodes: nodes, depth: levels, using: &generator)
    let spine = try tree.grow(.path(depth: depth - levels - 1), below: tree.root)
    try tree.provide(.first, at: tree.root)
    let end = spine[depth - levels - 1]
    let pushed = tree.makeNode()
    let grown = try tree.grow(shape, below: pushed)
    let leaves = LeafCycle(
      shape.leaves.shuffled(using: &generator).map { grown[$0] }, keeping: grown + spine)
    let count = lookups
    return Trial(
      answer: {
        try tree.append(pushed, to: end)
        let found = leaves.withNext { tree.find(from: $0).figure }
        tree.remove(pushed)
        return ["found": found, "after": leaves.withNext { tree.find(from: $0).figure }]
      },
      sample: { iterations in
        try Stopwatch.nanoseconds(iterations) {
          try tree.append(pushed, to: end)
          for _ in 0..<count { leaves.withNext { sink = tree.find(from: $0) } }
          tree.remove(pushed)
        }
      })
  }
}
