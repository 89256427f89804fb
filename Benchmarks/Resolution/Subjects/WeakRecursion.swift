/// A tree whose lookup asks an overridable property of the next responder, held weakly. The code
/// that preceded the library did so.
final class WeakRecursion: TokenTree {
  class Node {
    fileprivate weak var next: Node?
    fileprivate var children: [Node] = []
    /// The next responder's token. A provider overrides this property.
    var token: Token? { next?.token }
  }

  final class Provider: Node {
    fileprivate var own: Token?
    override var token: Token? { own ?? super.token }
  }

  private let provider = Provider()
  var root: Node { provider }
  func makeNode() -> Node { Node() }

  func append(_ child: Node, to parent: Node) {
    parent.children.append(child)
    child.next = parent
  }

  func provide(_ token: Token, at node: Node) {
    precondition(node === provider, "Only the root can answer")
    provider.own = token
  }

  func find(from node: Node) -> Token? { node.token }
}
