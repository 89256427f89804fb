/// The `memory` case: the bytes of a responder without contexts, with its share of its parent's
/// array of children.
@MainActor struct Memory {
  nonisolated static let nodes = 10_000

  enum Kind: String, CaseIterable {
    case view = "View"
    case controller = "Controller"
  }

  static var cases: [BenchmarkCase] {
    Kind.allCases.map { kind in
      BenchmarkCase(
        suite: .resolution, name: "memory",
        parameters: [Parameter("nodes", nodes), Parameter("kind", kind.rawValue)],
        unit: .bytes, effort: .quick, baseline: "bare class",
        subjects: [Subject(name: "bare class") { trial { try BareClass().filled() } }]
          + Library.subjects { strategy in
            trial { try ResponderTree(strategy, kind: kind).filled() }
          },
        bars: [.median(of: "skipping", atMost: kind == .view ? 144 : 160)])
    }
  }

  private static func trial(_ makeTree: @escaping @MainActor () throws -> AnyObject) -> Trial {
    Trial(
      operations: nodes,
      answer: {
        _ = try makeTree()
        return ["trees": 1]
      },
      sample: { iterations in
        let before = Heap.bytesInUse
        let trees = try (0..<iterations).map { _ in try makeTree() }
        return withExtendedLifetime(trees) { Double(Heap.bytesInUse - before) }
      })
  }
}

extension TokenTree where Self: AnyObject {
  /// Adds the measured nodes below the root, and returns the tree. Only the tree retains the nodes.
  fileprivate func filled() throws -> AnyObject {
    _ = try grow(.balanced(nodes: Memory.nodes + 1), below: root)
    return self
  }
}
