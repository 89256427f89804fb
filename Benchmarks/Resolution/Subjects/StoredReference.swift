/// A tree in which each node stores the token. No lookup can cost less than reading it.
///
/// A node gets its parent's token when it is appended. Later changes do not reach the node.
final class StoredReference: TokenTree {
  final class Node {
    fileprivate(set) var token: Token?
    fileprivate var children: [Node] = []
  }

  let root = Node()
  func makeNode() -> Node { Node() }

  func append(_ child: Node, to parent: Node) {
    parent.children.append(child)
    child.token = parent.token
  }

  func provide(_ token: Token, at node: Node) { node.token = token }

  /// Returns the node's token. The function is not inlined, because the optimiser would then remove
  /// the whole measured loop.
  @inline(never)
  func find(from node: Node) -> Token? { node.token }
}
