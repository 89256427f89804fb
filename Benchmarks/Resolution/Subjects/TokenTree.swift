/// A tree in which a token can be provided and looked up, in one of the compared implementations.
protocol TokenTree {
  associatedtype Node: AnyObject

  var root: Node { get }
  func makeNode() -> Node
  func append(_ child: Node, to parent: Node) throws
  func provide(_ token: Token, at node: Node) throws
  /// Provides a value for another key. Does nothing in a tree whose nodes can have a value for one
  /// key only.
  func provideOther(_ number: Int, at node: Node)
  func find(from node: Node) -> Token?
}

extension TokenTree {
  func provideOther(_ number: Int, at node: Node) {}

  /// Adds nodes of the given shape below `root`, which is the shape's node 0. Returns all nodes in
  /// the order of their numbers.
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

  /// Adds nodes of the given shape below `root`, at random addresses in memory. Returns all nodes
  /// in the order of their numbers.
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

/// A tree that also notifies observers of changes, and in which nodes can be removed and tokens
/// withdrawn.
protocol ObservedTree: TokenTree {
  func remove(_ child: Node)
  func withdraw(at node: Node) throws
  /// Registers an observer that notifies the audience of each change of the node's token.
  ///
  /// The observer may also notify the audience of the present token, at once or later. The observer
  /// is registered as long as the returned object lives; if nil is returned, as long as the tree
  /// lives. Each tree makes its own kind of closure, as a programmer would write it for that tree.
  func observe(_ node: Node, for audience: Audience, _ number: Int) -> AnyObject?
  /// Removes the root's token, so that a token can be delivered later.
  func expectAtRoot() throws
  /// Delivers a token to the root, after ``expectAtRoot()``.
  func deliverAtRoot(_ token: Token)
  /// Waits until the node has a token, and returns it.
  func wait(at node: Node) async throws -> Token?
}
