/// A tree that pushes its token by hand: a property's setter passes the token on to each child. The
/// code before this library worked in this way.
///
/// A node that provides a token itself ignores the pushed token. Observers and waiters are stored
/// at their nodes.
final class HandWrittenPush: ObservedTree {
  final class Node {
    fileprivate var children: [Node] = []
    fileprivate unowned(unsafe) var parent: Node?
    fileprivate var hasOwn = false
    fileprivate var observers: [(Token?) -> Void] = []
    fileprivate var waiters: [UnsafeContinuation<Void, Never>] = []

    fileprivate(set) var token: Token? {
      didSet {
        guard token !== oldValue else { return }
        for heard in observers { heard(token) }
        if token != nil, !waiters.isEmpty { resumeWaiters() }
        for child in children where !child.hasOwn { child.token = token }
      }
    }

    private func resumeWaiters() {
      let resumed = waiters
      waiters = []
      for waiter in resumed { waiter.resume() }
    }
  }

  let root = Node()
  func makeNode() -> Node { Node() }

  func append(_ child: Node, to parent: Node) {
    parent.children.append(child)
    child.parent = parent
    if !child.hasOwn { child.token = parent.token }
  }

  func remove(_ child: Node) {
    guard let parent = child.parent else { return }
    parent.children.removeAll { $0 === child }
    child.parent = nil
    if !child.hasOwn { child.token = nil }
  }

  func provide(_ token: Token, at node: Node) {
    node.hasOwn = true
    node.token = token
  }

  func withdraw(at node: Node) {
    node.hasOwn = false
    node.token = node.parent?.token
  }

  func find(from node: Node) -> Token? { node.token }

  func observe(_ node: Node, for audience: Audience, _ number: Int) -> AnyObject? {
    node.observers.append { audience.hear($0, number) }
    return nil
  }

  func expectAtRoot() { withdraw(at: root) }
  func deliverAtRoot(_ token: Token) { provide(token, at: root) }

  func wait(at node: Node) async -> Token? {
    while node.token == nil { await withUnsafeContinuation { node.waiters.append($0) } }
    return node.token
  }
}
