/// The shape of a tree, as the number of each node's parent. Node 0 is the root, and a parent has a
/// smaller number than its children.
struct TreeShape {
  /// The number of each node's parent. The root's own entry is not used.
  let parents: [Int]
  /// The numbers of the nodes on the deepest level. In a balanced shape, the childless nodes of the
  /// level above are included.
  let leaves: [Int]

  var count: Int { parents.count }

  /// Returns the shape of one path, with `depth` hops from the leaf to the root.
  static func path(depth: Int) -> TreeShape {
    TreeShape(parents: [0] + Array(0..<depth), leaves: [depth])
  }

  /// Returns the shape of a tree whose nodes have `fanOut` children each, filled level by level.
  static func balanced(nodes: Int, fanOut: Int = 8) -> TreeShape {
    let parents = (0..<nodes).map { max(0, $0 - 1) / fanOut }
    return TreeShape(parents: parents, leaves: Array((parents.last ?? 0) + 1..<max(nodes, 2)))
  }

  /// Returns a shape with `depth` levels of equal size below the root. The parent of each node is a
  /// random node of the level above.
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
