/// What a branch does when the context it was made of is replaced, or the subtree moves.
public enum BranchPolicy: String, Sendable, Codable, CaseIterable {
  /// Makes a new child of the new context; a child with unsaved changes stays until they are saved
  /// or discarded.
  case follow
  /// Keeps its child, once it was used, and reports the drift.
  case keep
}

/// The state of a branch: a child that is made at its first use.
final class Branch {
  let key: any ErasedBranchingKey.Type
  var policy: BranchPolicy
  /// The child and the cell of the context it was made of.
  var child: (cell: Cell, parent: Cell, listener: BranchListener)?
  /// The child's cell, while nothing changed above since it was last checked.
  var settled: Cell?
  /// Whether the child no longer belongs to what is inherited.
  var isDrifting = false
  /// The tree that checks from time to time whether it may follow.
  weak var watcher: TreeState?
  /// Whether that was reported.
  var isReported = false
  var isBeingMade = false
  /// Whether another slot took its place.
  var isRetired = false

  init(_ key: any ErasedBranchingKey.Type, _ policy: BranchPolicy) {
    self.key = key
    self.policy = policy
  }

  /// Whether there is a child that stays, whatever is inherited.
  var mustKeepChild: Bool { child != nil && (policy == .keep || hasUnsavedChanges) }

  /// Whether its child, or a context made of it, has unsaved changes.
  var hasUnsavedChanges: Bool { child.map { key.isDirty($0.cell) } ?? false }
}

extension Branch {
  /// Returns the child, if it remains although `inherited` may be another context than it was made
  /// of; then `isDrifting` says whether it is.
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

/// Rechecks a branch when what is above it changes.
final class BranchListener: Listener {
  /// The slot of the branch, which the node's table holds until the listener is unregistered.
  unowned let slot: Slot

  init(_ slot: Slot) {
    self.slot = slot
    super.init(.branch, slot.key)
  }

  override func unsettle() { slot.unsettle() }
}
