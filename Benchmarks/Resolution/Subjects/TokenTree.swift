/// A tree in which a token can be provided and looked up, grown in one of the compared ways.
protocol TokenTree {
  associatedtype Node: AnyObject

  var root: Node { get }
  func makeNode() -> Node
  func append(_ child: Node, to parent: Node) throws
  func provide(_ token: Token, at node: Node) throws
  /// Provides another key's value, where nodes have room for more than one key.
  func provideOther(_ number: Int, at node: Node)
  func find(from node: Node) -> Token?
}

extension TokenTree {
  func provideOther(_ number: Int, at node: Node) {}

  /// Grows the shape below `root`, whose node 0 it is, and returns its nodes by number.
  @inline(__always)
  func grow(_ shape: TreeShape, below root: Node) throws -> [Node] {
    var nodes = [root]
    nodes.reserveCapacity(shape.count)
    for parent in shape.parents.dropFirst() {
      let node = makeNode()
      try append(node, to: nodes[parent])
      nodes.append(node)
    }
    return nodes
  }

  /// The same with the nodes' places in memory unrelated to their places in the tree.
  @inline(__always)
  func growScattered(
    _ shape: TreeShape, below root: Node, using generator: inout SeededGenerator
  ) throws -> [Node] {
    let scattered = (1..<shape.count).map { _ in makeNode() }.shuffled(using: &generator)
    let nodes = [root] + scattered
    for (node, parent) in zip(scattered, shape.parents.dropFirst()) {
      try append(node, to: nodes[parent])
    }
    return nodes
  }
}

/// A tree that also tells who is concerned by a change, and can be changed back.
protocol ObservedTree: TokenTree {
  func remove(_ child: Node)
  func withdraw(at node: Node) throws
  /// Has the audience hear what the node has, at once or later, and on each change; what is returned
  /// keeps it going. Each tree makes the closure that one would write for it.
  func observe(_ node: Node, for audience: Audience, _ number: Int) -> AnyObject?
  /// Makes the root one that will have its token later.
  func expectAtRoot() throws
  /// The token that the root was waiting for is there.
  func deliverAtRoot(_ token: Token)
  /// Waits until the node has a token.
  func wait(at node: Node) async throws -> Token?
}
