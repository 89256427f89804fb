/// A tree in which each node has a dictionary of the values that it provides. A lookup walks up and
/// asks each dictionary.
final class DictionaryPerNode: TokenTree {
  final class Node {
    fileprivate var next: Node?
    fileprivate var values: [ObjectIdentifier: AnyObject] = [:]
  }

  let root = Node()
  func makeNode() -> Node { Node() }
  func append(_ child: Node, to parent: Node) { child.next = parent }
  func provide(_ token: Token, at node: Node) { node.values[ObjectIdentifier(Token.self)] = token }

  func provideOther(_ number: Int, at node: Node) {
    node.values[ObjectIdentifier(OtherKeys.key(number))] = OtherKeys.value
  }

  func find(from node: Node) -> Token? {
    let key = ObjectIdentifier(Token.self)
    var current = node
    while true {
      if let value = current.values[key] { return unsafeDowncast(value, to: Token.self) }
      guard let next = current.next else { return nil }
      current = next
    }
  }
}
