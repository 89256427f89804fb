/// The observers of one tree, at random nodes and registered in random order, and what they hear.
final class Audience {
  private(set) var calls = 0
  private(set) var sum = 0
  private var tokens: [AnyObject] = []

  /// Registers observers at these nodes, each with its place in the list as its number.
  @inline(__always)
  func observe<Tree: ObservedTree>(_ nodes: [Tree.Node], of tree: Tree) {
    for (number, node) in nodes.enumerated() {
      let token = tree.observe(node, for: self, number)
      if let token { tokens.append(token) }
    }
    reset()
  }

  /// Forgets what was heard so far; being told the present state at once is not everybody's way.
  func reset() { (calls, sum) = (0, 0) }

  var answer: Answer { ["calls": calls, "sum": sum] }

  /// What every observer does, in whichever way it is reached.
  @inline(__always)
  func hear(_ token: Token?, _ number: Int) {
    calls += 1
    sum &+= token.figure &* (number + 1)
  }
}

extension Array {
  /// So many of the elements, each as often as the others or once more, in random order.
  func drawn(_ count: Int, using generator: inout SeededGenerator) -> [Element] {
    precondition(!isEmpty, "Nothing to draw from")
    var drawn: [Element] = []
    while drawn.count < count {
      drawn += shuffled(using: &generator).prefix(count - drawn.count)
    }
    return drawn
  }
}
