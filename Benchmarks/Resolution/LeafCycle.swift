/// An endless cycle through leaves that does not count references to them.
///
/// It counts no references because the lookup is to be measured, not the array. The unretained
/// references are safe because the cycle keeps its nodes alive.
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
