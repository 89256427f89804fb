import Lineage

/// The `lookup` and `miss` cases: the leaf of one path looks up the token. The root provides it in
/// `lookup` only.
@MainActor struct Lookup {
  static let depths = [1, 2, 4, 8, 16, 32, 64]
  private static let quickDepths: Set = [1, 8, 64]

  /// The number of nodes on the path that provide a value for another key.
  enum Providers: String, CaseIterable {
    case none = "0"
    case four = "4"
    case all

    /// Returns the numbers of the providing nodes. They are spread evenly over the path below the
    /// root.
    func nodes(depth: Int) -> [Int] {
      let count =
        switch self {
        case .none: 0
        case .four: min(4, depth)
        case .all: depth
        }
      return (0..<count).map { 1 + $0 * depth / max(count, 1) }
    }
  }

  static var cases: [BenchmarkCase] {
    let hits = Providers.allCases.flatMap { providers in
      depths.map { depth in
        BenchmarkCase(
          suite: .resolution, name: "lookup",
          parameters: [Parameter("depth", depth), Parameter("providers", providers.rawValue)],
          unit: .nanoseconds, effort: quickDepths.contains(depth) ? .quick : .standard,
          baseline: "stored reference",
          subjects: Lookup(depth: depth, providers: providers, hits: true).subjects,
          bars: bars(depth: depth, providers))
      }
    }
    let misses = depths.map { depth in
      BenchmarkCase(
        suite: .resolution, name: "miss", parameters: [Parameter("depth", depth)],
        unit: .nanoseconds, effort: quickDepths.contains(depth) ? .quick : .standard,
        baseline: "stored reference",
        subjects: Lookup(depth: depth, providers: .none, hits: false).subjects)
    }
    return hits + misses
  }

  private static func bars(depth: Int, _ providers: Providers) -> [Bar] {
    let baton = Bar.ratio(of: "baton", to: "stored reference", atMost: 1.3)
    let skipping =
      switch (providers, depth) {
      case (.none, _), (.four, _): [Bar.ratio(of: "skipping", to: "baton", atMost: 1.25)]
      case (.all, 64): [Bar.ratio(of: "skipping", to: "baton", atMost: 6)]
      case (.all, _): [Bar]()
      }
    let recursion =
      switch (providers, depth) {
      case (.none, 8):
        [
          Bar.ratio(of: "skipping", to: "weak recursion", atMost: 1 / 15),
          Bar.ratio(of: "chain", to: "strong recursion", atMost: 1 / 5),
        ]
      case (.none, 64): [Bar.ratio(of: "skipping", to: "weak recursion", atMost: 1 / 100)]
      default: [Bar]()
      }
    return [baton] + skipping + recursion
  }

  let depth: Int
  let providers: Providers
  let hits: Bool

  private var subjects: [Subject] {
    lookupSubjects(
      stored: { try trial(StoredReference()) }, library: { try trial(ResponderTree($0)) },
      weak: { try trial(WeakRecursion()) }, strong: { try trial(StrongRecursion()) },
      dictionary: { try trial(DictionaryPerNode()) }, map: { try trial(PersistentMapPerNode()) })
  }

  @inline(__always)
  private func trial<Tree: TokenTree>(_ tree: Tree) throws -> Trial {
    // The root provides values for these three keys before it provides the token.
    for number in 0..<3 { tree.provideOther(number, at: tree.root) }
    if hits { try tree.provide(.first, at: tree.root) }
    let nodes = try tree.grow(.path(depth: depth), below: tree.root)
    for (number, node) in providers.nodes(depth: depth).enumerated() {
      tree.provideOther(3 + number, at: nodes[node])
    }
    // The leaf comes from a cycle of one leaf, because the optimiser cannot know that the cycle
    // always gives the same leaf.
    let leaves = LeafCycle([nodes[depth]], keeping: nodes)
    return Trial(
      answer: { ["found": leaves.withNext { tree.find(from: $0).figure }] },
      sample: { iterations in
        Stopwatch.nanoseconds(iterations) { leaves.withNext { sink = tree.find(from: $0) } }
      })
  }
}

/// Returns the subjects that all lookup cases have, with the baseline first.
@MainActor func lookupSubjects(
  stored: @escaping @MainActor () throws -> Trial,
  library: @escaping @MainActor (Strategy) throws -> Trial,
  weak: @escaping @MainActor () throws -> Trial, strong: @escaping @MainActor () throws -> Trial,
  dictionary: @escaping @MainActor () throws -> Trial,
  map: @escaping @MainActor () throws -> Trial
) -> [Subject] {
  [Subject(name: "stored reference", prepare: stored)]
    + Library.subjects(library)
    + [
      Subject(name: "weak recursion", prepare: weak),
      Subject(name: "strong recursion", prepare: strong),
      Subject(name: "dictionary per node", prepare: dictionary),
      Subject(name: "persistent map per node", prepare: map),
    ]
}
