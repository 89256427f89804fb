/// A tree in which each node has a map of all values that it inherits or provides, as in Flutter
/// and Compose.
///
/// A lookup visits no other node. A change at the root would have to change the maps of all nodes.
final class PersistentMapPerNode: TokenTree {
  final class Node {
    fileprivate var seen = PersistentMap()
    fileprivate var children: [Node] = []
  }

  let root = Node()
  func makeNode() -> Node { Node() }

  func append(_ child: Node, to parent: Node) {
    precondition(child.children.isEmpty, "This tree grows from the root down")
    parent.children.append(child)
    child.seen = parent.seen
  }

  func provide(_ token: Token, at node: Node) { insert(token, for: Token.self, at: node) }

  func provideOther(_ number: Int, at node: Node) {
    insert(OtherKeys.value, for: OtherKeys.key(number), at: node)
  }

  func find(from node: Node) -> Token? {
    node.seen.value(for: ObjectIdentifier(Token.self)).map { unsafeDowncast($0, to: Token.self) }
  }

  private func insert(_ value: AnyObject, for key: Any.Type, at node: Node) {
    node.seen = node.seen.inserting(value, for: ObjectIdentifier(key))
    for child in node.children { insert(value, for: key, at: child) }
  }
}
