import Synchronization

/// One state of one tree, in which nodes may remember where the next slots are.
///
/// Invalidating it makes all of them stale at once. An object instead of a counter: it cannot wrap,
/// and one pointer tells both the tree and whether it is still the same.
final class Epoch {
  let strategy: Strategy
  let tree: Tree
  private let valid = Atomic<Bool>(true)

  init(_ tree: Tree) {
    self.strategy = tree.strategy
    self.tree = tree
  }

  var isValid: Bool { valid.load(ordering: .relaxed) }

  func invalidate() { valid.store(false, ordering: .releasing) }
}
