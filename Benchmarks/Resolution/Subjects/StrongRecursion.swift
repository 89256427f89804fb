/// A tree in which each node has an overridable property for the token. By default the property
/// returns the token of the next responder. The node has a strong reference to that responder,
/// which is possible if children keep their parents alive.
final class StrongRecursion: TokenTree {
  class Node {
    fileprivate var next: Node?
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
  func append(_ child: Node, to parent: Node) { child.next = parent }

  func provide(_ token: Token, at node: Node) {
    precondition(node === provider, "Only the root can answer")
    provider.own = token
  }

  func find(from node: Node) -> Token? { node.token }
}
