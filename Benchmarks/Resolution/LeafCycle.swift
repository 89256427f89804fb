/// An endless cycle through leaves.
///
/// The cycle does not count its references to the leaves, so that only the lookup is measured, and
/// not the array. The unretained references are safe because the cycle retains all nodes.
final class LeafCycle<Node: AnyObject> {
  private let leaves: ContiguousArray<Unmanaged<Node>>
  private let kept: [Node]
  private var index = 0

  init(_ leaves: [Node], keeping nodes: [Node]) {
    self.leaves = ContiguousArray(leaves.map { .passUnretained($0) })
    kept = nodes
  }

  var count: Int { leaves.count }

  @inline(__always)
  func withNext<Result>(_ body: (Node) -> Result) -> Result {
    let leaf = leaves[index]
    index += 1
    if index == leaves.count { index = 0 }
    return leaf._withUnsafeGuaranteedRef { body($0) }
  }
}
