/// The observers of one tree, with the number of their notifications and a sum over the tokens.
///
/// The observers are at random nodes, and are registered in random order.
final class Audience {
  private(set) var calls = 0
  private(set) var sum = 0
  private var tokens: [AnyObject] = []

  /// Registers an observer at each of the nodes. The number of an observer is the index of its node
  /// in the array.
  @inline(__always)
  func observe<Tree: ObservedTree>(_ nodes: [Tree.Node], of tree: Tree) {
    for (number, node) in nodes.enumerated() {
      let token = tree.observe(node, for: self, number)
      if let token { tokens.append(token) }
    }
    reset()
  }

  /// Sets the number of notifications and the sum to zero. It is called after all observers are
  /// registered, because some trees notify an observer when it is registered, and others do not.
  func reset() { (calls, sum) = (0, 0) }

  var answer: Answer { ["calls": calls, "sum": sum] }

  /// Counts a notification and adds the token to the sum. Each observer of each tree calls it.
  @inline(__always)
  func hear(_ token: Token?, _ number: Int) {
    calls += 1
    sum &+= token.figure &* (number + 1)
  }
}

extension Array {
  /// Returns `count` elements in random order. If `count` exceeds the number of elements, each
  /// element is used once before any element is used again.
  func drawn(_ count: Int, using generator: inout SeededGenerator) -> [Element] {
    precondition(!isEmpty, "Nothing to draw from")
    var drawn: [Element] = []
    while drawn.count < count {
      drawn += shuffled(using: &generator).prefix(count - drawn.count)
    }
    return drawn
  }
}
