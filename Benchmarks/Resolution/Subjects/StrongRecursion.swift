/// The same walk with strong links up, as when children are owned from below.
final class StrongRecursion: TokenTree {
  class Node {
    fileprivate var next: Node?
    /// Answers by the next responder's answer; a provider overrides it.
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
