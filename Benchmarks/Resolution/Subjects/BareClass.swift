/// A tree without contexts. It shows what any tree of objects costs.
final class BareClass: TokenTree {
  final class Node {
    fileprivate var children: [Node] = []
    fileprivate unowned var parent: Node?
  }

  let root = Node()
  func makeNode() -> Node { Node() }

  func append(_ child: Node, to parent: Node) {
    parent.children.append(child)
    child.parent = parent
  }

  func provide(_ token: Token, at node: Node) {}
  func find(from node: Node) -> Token? { nil }
}
