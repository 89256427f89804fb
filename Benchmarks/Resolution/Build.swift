/// The `build` case: the nodes of a tree are made and linked, from the root down.
@MainActor struct Build {
  static var cases: [BenchmarkCase] {
    [(1000, Effort.quick), (10_000, .quick), (100_000, .full)].map { nodes, effort in
      BenchmarkCase(
        suite: .resolution, name: "build", parameters: [Parameter("nodes", nodes)],
        unit: .nanoseconds, effort: effort, baseline: "bare class",
        subjects: Build(nodes: nodes).subjects,
        bars: [.ratio(of: "skipping", to: "bare class", atMost: 2)])
    }
  }

  let nodes: Int

  private var subjects: [Subject] {
    [Subject(name: "bare class") { trial { BareClass() } }]
      + Library.subjects { strategy in trial { ResponderTree(strategy) } }
  }

  /// Returns a trial in which each iteration fills a new tree. The empty tree is made before the
  /// clock starts, and the filled tree is freed after the clock stops.
  @inline(__always)
  private func trial<Tree: TokenTree>(_ makeTree: @escaping @MainActor () -> Tree) -> Trial {
    let shape = TreeShape.balanced(nodes: nodes + 1)
    return Trial(
      operations: nodes,
      answer: {
        let tree = makeTree()
        return ["nodes": try tree.grow(shape, below: tree.root).count]
      },
      sample: { iterations in
        var total = 0.0
        for _ in 0..<iterations {
          let tree = makeTree()
          var grown: [Tree.Node] = []
          total += try Stopwatch.nanoseconds(1) { grown = try tree.grow(shape, below: tree.root) }
          withExtendedLifetime((tree, grown)) {}
        }
        return total
      })
  }
}
