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
  /// The tree that looks whether it may follow meanwhile.
  weak var watcher: Tree?
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

  /// Whether its child, or a context made of it, has what would be lost.
  var hasUnsavedChanges: Bool { child.map { key.isDirty($0.cell) } ?? false }
}

extension Slot {
  var branch: Branch? {
    if case .branch(let branch) = state { branch } else { nil }
  }

  /// What the branch resolves to, given what it inherits; makes the child if there is none.
  func settle(_ inherited: Answer) -> Answer {
    guard let branch else { return answer() }
    if let kept = branch.keptChild(inherited) {
      if mayPublish { publish(kept) }
      return .value(kept)
    }
    // It ends when the next child is in its place: its deinit may read the branch.
    let dropped = branch.child?.cell
    defer { withExtendedLifetime(dropped) {} }
    dropChild()
    guard case .value(let parent) = inherited else { return inherited }
    // Whoever is told what makeChild() changes may read the branch, so they are told afterwards.
    return Round.perform { _ in make(branch, of: parent) }
  }

  private func make(_ branch: Branch, of parent: Cell) -> Answer {
    precondition(
      !branch.isBeingMade, "makeChild() of \(branch.key.key) read the branch it was made for")
    branch.isBeingMade = true
    let cell = branch.key.makeChild(of: parent)
    cell.learn()
    branch.isBeingMade = false
    if branch.isRetired { return .value(cell) }
    let listener = BranchListener(self)
    branch.child = (cell, parent, listener)
    listener.register(at: owner)
    // While it was made, the parent may have been replaced: then the next reader looks again.
    if case .value(let now) = inheritedWithoutMaking(), branch.key.isIdentical(now, parent),
      inheritsSettled || branch.policy == .keep
    {
      publish(cell)
    }
    return .value(cell)
  }

  /// Checks the child against what is inherited now, and lets it go if the branch follows.
  ///
  /// - Returns: what differs, if the child stays although its parent is no longer inherited.
  func recheck() -> Drift? {
    guard let branch, let child = branch.child else { return nil }
    guard let kept = branch.keptChild(inheritedWithoutMaking()) else {
      dropChild()
      return nil
    }
    if mayPublish { publish(kept) }
    guard branch.isDrifting, !branch.isReported, let responder = owner.responder,
      responder.application != nil
    else { return nil }
    branch.isReported = true
    return Drift(
      responder: responder, key: key.key, policy: branch.policy,
      hasUnsavedChanges: branch.key.isDirty(child.cell), hasEnded: false,
      context: branch.key.describe(child.cell))
  }

  /// Whether the child stays until something above says that it changed: not below a branch that may
  /// follow at its next read.
  private var mayPublish: Bool {
    guard let branch else { return false }
    return branch.policy == .keep || !branch.isDrifting && inheritsSettled
  }

  private var inheritsSettled: Bool { owner.liveParent?.locate(id)?.pointee.cell != nil }

  /// Forgets that the child was checked, since something above changed.
  func unsettle() {
    guard let branch, branch.settled != nil else { return }
    branch.settled = nil
    updateEntry(nil)
  }

  /// Lets every reader below read the child without evaluating the branch again.
  private func publish(_ cell: Cell) {
    guard let branch, branch.settled !== cell else { return }
    branch.settled = cell
    updateEntry(cell)
  }

  private func updateEntry(_ cell: Cell?) {
    guard let entry = owner.ownEntry(id) else { return }
    entry.pointee.set(cell: cell)
    // A dying owner's children see its end instead.
    guard let route = owner.validRoute, let responder = owner.responder else { return }
    route.takeUnretainedValue().epoch.tree.strategy.slotChanged(id, at: responder)
  }

  private func dropChild() {
    guard let branch, let child = branch.child else { return }
    branch.child = nil
    branch.isDrifting = false
    branch.isReported = false
    child.listener.unregister()
    unsettle()
  }

  /// Ends a branch that was replaced or withdrawn.
  func retireBranch() {
    guard let branch else { return }
    branch.isRetired = true
    branch.child?.listener.unregister()
  }
}

extension Branch {
  /// The child, if it remains although `inherited` may be another than it was made of; says in
  /// `isDrifting` whether it is.
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

/// A branch's child that stayed although what it was made of is no longer what is inherited, or that
/// has unsaved changes although its branch has ended.
public struct Drift {
  /// The responder whose branch it is.
  public let responder: Responder
  /// The key of the branch.
  public let key: any ContextKey.Type
  /// The branch's policy.
  public let policy: BranchPolicy
  /// Whether the child, or a context below it, has unsaved changes, which are why a following branch
  /// stays.
  public let hasUnsavedChanges: Bool
  /// Whether the branch was withdrawn, or another slot took its place: who still has the child is
  /// the last who can save it.
  public let hasEnded: Bool
  /// The child's description.
  public let context: String
}

extension Drift: CustomStringConvertible {
  /// One sentence that names the branch and why its child stays, or what is lost with it.
  public var description: String {
    let unsaved = "there are unsaved changes in it or below it"
    if hasEnded {
      return
        "The branch \(key) of \(responder.path) has ended with \(context), although \(unsaved)."
    }
    let why = hasUnsavedChanges ? unsaved : "its policy is .\(policy.rawValue)"
    return "The branch \(key) of \(responder.path) keeps \(context), because \(why), "
      + "although another context is inherited now."
  }
}
