/// The behaviour of a branch when the context it inherits is replaced, or when its subtree moves.
public enum BranchPolicy: String, Sendable, Codable, CaseIterable {
  /// The branch makes a new child of the new context. A child with unsaved changes stays until
  /// these are saved or discarded.
  case follow
  /// The branch keeps its child from its first use on, and reports the drift.
  case keep
}

/// The state of a branch, whose child is made at its first use.
final class Branch {
  let key: any ErasedBranchingKey.Type
  var policy: BranchPolicy
  /// The child, and the cell of the context of which it was made.
  var child: (cell: Cell, parent: Cell, listener: BranchListener)?
  /// The child's cell, if nothing above has changed since it was last checked.
  var settled: Cell?
  /// Whether the branch keeps its child although it now inherits another context than the child's
  /// parent.
  var isDrifting = false
  /// The tree that checks repeatedly whether the drifting branch may drop its child.
  weak var watcher: TreeState?
  /// Whether the drift was reported.
  var isReported = false
  /// Whether `makeChild()` is running for the branch.
  var isBeingMade = false
  /// Whether the branch was replaced or withdrawn.
  var isRetired = false

  init(_ key: any ErasedBranchingKey.Type, _ policy: BranchPolicy) {
    self.key = key
    self.policy = policy
  }

  /// Whether there is a child that stays even if another context is inherited. Responders below
  /// then find that child, because the unsaved changes of a context below it could be saved nowhere
  /// else.
  var mustKeepChild: Bool { child != nil && (policy == .keep || hasUnsavedChanges) }

  /// Whether the child, or a context made of it, has unsaved changes.
  var hasUnsavedChanges: Bool { child.map { key.isDirty($0.cell) } ?? false }
}

extension Branch {
  /// Returns the child if the next read will keep it; nil otherwise. `inherited` is the answer that
  /// the branch inherits.
  func childToKeep(_ inherited: Answer) -> Cell? {
    guard let child else { return nil }
    if mustKeepChild { return child.cell }
    guard case .value(let parent) = inherited, key.isIdentical(parent, child.parent) else {
      return nil
    }
    return child.cell
  }

  /// Returns the child if it stays, and updates `isDrifting`. The branch drifts if `inherited`, the
  /// answer that it inherits, is another context than the child was made of.
  func keptChild(_ inherited: Answer) -> Cell? {
    guard let child else { return nil }
    if case .value(let parent) = inherited, key.isIdentical(parent, child.parent) {
      isDrifting = false
      isReported = false
      return child.cell
    }
    guard mustKeepChild else { return nil }
    isDrifting = true
    return child.cell
  }
}

/// A listener that makes a branch check its child when something above changes.
final class BranchListener: Listener {
  /// The slot of the branch. The node's table holds it until the listener is unregistered.
  unowned let slot: Slot

  init(_ slot: Slot) {
    self.slot = slot
    super.init(.branch, slot.key)
  }

  override func unsettle() { slot.unsettle() }
}
