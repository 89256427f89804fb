/// The behaviour of a branch when the context it inherits is replaced, or when its subtree moves.
public enum BranchPolicy: String, Sendable, Codable, CaseIterable {
  /// If the branch inherits another context, it makes a new child of that context. A child with
  /// unsaved changes stays until its changes are saved or discarded.
  case follow
  /// If the branch inherits another context, it keeps the child that it made at its first use, and
  /// the drift is reported.
  case keep
}

/// The state of a branch. A branch makes its child at its first use.
final class Branch {
  let key: any ErasedBranchingKey.Type
  var policy: BranchPolicy
  /// Whether the unsaved changes of the child outlive the process. Each child is told when it is made.
  var isKept = false
  /// The child's cell, the cell of the parent that made the child, and the listener of the branch;
  /// nil if the branch has no child.
  var child: (cell: Cell, parent: Cell, listener: BranchListener)?
  /// The child's cell if lookups may read it without evaluating the branch. It is nil if the child
  /// must first be made, or be checked after a change above.
  var published: Cell?
  /// Whether the branch keeps its child although the context that it inherits is no longer the
  /// child's parent.
  var isDrifting = false
  /// The tree that checks repeatedly whether the drifting branch may drop its child; nil if no tree
  /// does.
  weak var watcher: TreeState?
  /// Whether the present drift was reported.
  var isReported = false
  /// Whether `makeChild()` is running for the branch.
  var isBeingMade = false
  /// Whether the branch was replaced or withdrawn.
  var isRetired = false

  init(_ key: any ErasedBranchingKey.Type, _ policy: BranchPolicy) {
    self.key = key
    self.policy = policy
  }

  /// Whether the branch has a child that it keeps even if it inherits another context.
  ///
  /// Responders below find this child. Otherwise, a context below the child could not save its
  /// changes.
  var mustKeepChild: Bool { child != nil && (policy == .keep || hasUnsavedChanges) }

  /// Whether the child, or a context below the child, has unsaved changes.
  var hasUnsavedChanges: Bool { child.map { key.isDirty($0.cell) } ?? false }
}

extension Branch {
  /// Lets the child know that its unsaved changes are kept for a responder.
  func beginKeeping(at responder: Responder) {
    (child?.cell.object?.strong as? any KeepableContext)?.beginKeeping(at: responder)
  }

  /// Returns the child's cell if the next read of the branch would keep the child; nil otherwise.
  /// `inherited` is the answer that the branch inherits.
  func childToKeep(_ inherited: Answer) -> Cell? {
    guard let child else { return nil }
    if mustKeepChild { return child.cell }
    guard case .value(let parent) = inherited, key.isIdentical(parent, child.parent) else {
      return nil
    }
    return child.cell
  }

  /// Returns the child's cell if the branch keeps the child, and updates ``isDrifting``.
  /// `inherited` is the answer that the branch inherits. The branch drifts if it keeps the child
  /// although `inherited` is not the child's parent.
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

/// A context whose unsaved changes can outlive the process.
package protocol KeepableContext: AnyObject {
  /// Notes that the unsaved changes are kept for a responder. From now on, the context calls
  /// ``Responder/noteKeptChanges()`` when they may be others.
  func beginKeeping(at responder: Responder)
}

/// A listener that makes a branch check its child when the inherited answer may have changed.
final class BranchListener: Listener {
  /// The slot of the branch. The node's table retains the slot until the listener is unregistered.
  unowned let slot: Slot

  init(_ slot: Slot) {
    self.slot = slot
    super.init(.branch, slot.key)
  }

  override func unpublish() { slot.unpublish() }
}
