/// The `cold lookup` case: random leaves look up the token in a tree that is in none of the
/// processor's caches.
@MainActor struct ColdLookup {
  static let nodes = 200_000

  static func cases(seed: UInt64) -> [BenchmarkCase] {
    [8, 32].map { depth in
      BenchmarkCase(
        suite: .resolution, name: "cold lookup", parameters: [Parameter("depth", depth)],
        unit: .nanoseconds, effort: depth == 8 ? .quick : .standard, baseline: "stored reference",
        subjects: ColdLookup(depth: depth, seed: seed).subjects,
        bars: [.ratio(of: "skipping", to: "persistent map per node", atMost: 0.8)])
    }
  }

  let depth: Int
  let seed: UInt64

  private var subjects: [Subject] {
    lookupSubjects(
      stored: { try trial(StoredReference()) }, library: { try trial(ResponderTree($0)) },
      weak: { try trial(WeakRecursion()) }, strong: { try trial(StrongRecursion()) },
      dictionary: { try trial(DictionaryPerNode()) }, map: { try trial(PersistentMapPerNode()) })
  }

  @inline(__always)
  private func trial<Tree: TokenTree>(_ tree: Tree) throws -> Trial {
    var generator = SeededGenerator(seed: seed)
    let shape = TreeShape.layered(nodes: Self.nodes, depth: depth, using: &generator)
    for number in 0..<3 { tree.provideOther(number, at: tree.root) }
    try tree.provide(.first, at: tree.root)
    let nodes = try tree.growScattered(shape, below: tree.root, using: &generator)
    let leaves = LeafCycle(
      shape.leaves.shuffled(using: &generator).map { nodes[$0] }, keeping: nodes)
    return Trial(
      isCold: true,
      answer: {
        // Each leaf makes one lookup here. This fills the caches that a tree fills at a leaf's
        // first lookup.
        var sum = 0
        for _ in 0..<leaves.count {
          sum += leaves.withNext { tree.find(from: $0).figure }
        }
        return ["leaves": leaves.count, "sum": sum]
      },
      sample: { iterations in
        // A sample visits no leaf twice, because it has fewer iterations than there are leaves. The
        // eviction removes the nodes of the previous sample from the processor's caches.
        Caches.evict()
        return Stopwatch.nanoseconds(iterations) {
          leaves.withNext { sink = tree.find(from: $0) }
        }
      })
  }
}
