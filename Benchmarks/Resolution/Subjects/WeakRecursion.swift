/// A tree in which each node has an overridable property for the token. By default the property
/// returns the token of the next responder, to which the node has a weak reference. The code before
/// this library worked in this way.
final class WeakRecursion: TokenTree {
  class Node {
    fileprivate weak var next: Node?
    fileprivate var children: [Node] = []
    /// The token of the next responder. A provider overrides this property.
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
