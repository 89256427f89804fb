/// The floor: each node stores the token, and somebody has put it there by hand.
///
/// Being handed the token when it is appended is all that this tree can do.
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

  /// Returned by a call: inlined, the whole loop around it would be optimised away.
  @inline(never)
  func find(from node: Node) -> Token? { node.token }
}
