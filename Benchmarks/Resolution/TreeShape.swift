/// Who is whose parent in a tree, as numbers: node 0 is the root, parents come before children.
struct TreeShape {
  /// The parent of each node; the root's own entry is not used.
  let parents: [Int]
  /// The nodes of the deepest level.
  let leaves: [Int]

  var count: Int { parents.count }

  /// One path: `depth` hops from the leaf to the root.
  static func path(depth: Int) -> TreeShape {
    TreeShape(parents: [0] + Array(0..<depth), leaves: [depth])
  }

  /// A tree in which each node has so many children, filled level by level.
  static func balanced(nodes: Int, fanOut: Int = 8) -> TreeShape {
    let parents = (0..<nodes).map { max(0, $0 - 1) / fanOut }
    return TreeShape(parents: parents, leaves: Array((parents.last ?? 0) + 1..<max(nodes, 2)))
  }

  /// `depth` equal levels below the root, each node below a random one of the level above.
  static func layered(
    nodes: Int, depth: Int, using generator: inout SeededGenerator
  ) -> TreeShape {
    precondition(nodes > depth, "Each level needs a node")
    var parents = [0]
    var above = 0..<1
    for level in 1...depth {
      let end = 1 + (nodes - 1) * level / depth
      let here = parents.count..<end
      for _ in here { parents.append(Int.random(in: above, using: &generator)) }
      above = here
    }
    return TreeShape(parents: parents, leaves: Array(above))
  }
}
