extension Responder {
  /// Provides a child of the inherited context to this responder and all below it.
  ///
  /// The child is made when it is first read, observed or waited for. Another call for the same key
  /// keeps the child, and changes only the policy.
  ///
  /// - Complexity: That of ``provide(_:for:file:line:)``.
  public final func branch<K: ContextKey>(
    _ key: K.Type, _ policy: BranchPolicy = .follow,
    file: StaticString = #fileID, line: Int = #line
  ) where K.Value: BranchingContext {
    branch(BranchKey(key), policy, origin: .source(file, line))
  }

  /// Provides a child of the inherited context to this responder and all below it, like
  /// ``branch(_:_:file:line:)``, but with a ``BranchKey`` instead of the key's type.
  ///
  /// If `isKept` is true, the unsaved changes of the branch's child outlive the process. If it is nil, a
  /// branch that is there stays as it is.
  package final func branch(
    _ key: BranchKey, _ policy: BranchPolicy, isKept: Bool? = nil, origin: SlotOrigin
  ) {
    note(origin, of: key.id)
    if let branch = contents?.slot(key.id)?.branch {
      if let isKept, isKept != branch.isKept {
        branch.isKept = isKept
        if isKept { branch.beginKeeping(at: self) }
        noteKeptChanges()
      }
      guard branch.policy != policy else { return }
      branch.policy = policy
      ownAttachment?.slotsDidChange(of: self)
      guard branch.child != nil else { return }
      // This also makes the branch check its child again.
      Round.perform { $0.slotChanged(key.id, at: self) }
      return
    }
    core.refer(to: self)
    let branch = Branch(key.branching, policy)
    branch.isKept = isKept ?? false
    replace(with: Slot(key.erased, owner: core, state: .branch(branch)), for: key.erased)
    if branch.isKept { noteKeptChanges() }
  }

  /// Drops the child of the responder's own branch. The next read makes another child, of the
  /// context that the branch then inherits. Does nothing if there is no child, or if the child or a
  /// context below it has unsaved changes.
  ///
  /// State restoration calls this function after it has restored the slots above. If there are
  /// observers below, the new child is made at once, and they are called with it.
  ///
  /// - Returns: whether a child was dropped.
  /// - Complexity: That of ``provide(_:for:file:line:)``.
  @discardableResult
  package final func remakeCleanBranchChild<K: ContextKey>(_ key: K.Type) -> Bool {
    guard let slot = slot(key), let branch = slot.branch, let child = branch.child,
      !branch.hasUnsavedChanges
    else { return false }
    Round.perform { round in
      round.keep(child.cell)
      slot.dropChild()
      round.slotChanged(KeyID(key), at: self)
    }
    return true
  }

  /// Removes this responder's slot for the key. Lookups then continue at the next ancestor.
  ///
  /// - Throws: ``UnsavedChanges`` if the slot is a branch whose child, or a context below it, has
  ///   unsaved changes, or whose restored changes wait for their context.
  /// - Complexity: That of ``provide(_:for:file:line:)``. For a branch, also a check of its child and of all
  ///   contexts below the child for unsaved changes.
  public final func withdraw<K: ContextKey>(_ key: K.Type) throws {
    if let branch = slot(key)?.branch {
      try refuseWaitingChanges(of: branch)
      if branch.hasUnsavedChanges {
        throw UnsavedChanges(path: path, key: String(describing: key), isWaiting: false)
      }
    }
    withdrawSlot(Erased<K>.self)
  }

  /// The choice between saving and discarding a branch's unsaved changes when the branch is
  /// withdrawn.
  public enum UnsavedDecision: Sendable {
    /// The unsaved changes of the branch's child are saved to the child's parent. If the branch
    /// drifts, they are then saved to the parent's parent, and so on.
    case save
    /// The unsaved changes of the branch's child, and of all contexts above it, are saved up to the
    /// context without a parent, and into its store. If that fails, nothing is saved.
    case saveAll
    /// The unsaved changes of the branch's child are discarded.
    case discard
  }

  /// Removes this responder's slot for the key, after saving or discarding the unsaved changes of a
  /// branch's child.
  ///
  /// - Throws: the error of saving, or ``UnsavedChanges`` if restored changes wait for their context and
  ///   are not discarded. The branch then stays as it is.
  /// - Complexity: That of ``provide(_:for:file:line:)``, and of saving or discarding the unsaved changes.
  public final func withdraw<K: ContextKey>(_ key: K.Type, unsaved decision: UnsavedDecision) throws
  {
    if let branch = slot(key)?.branch { try decide(decision, about: branch) }
    withdrawSlot(Erased<K>.self)
  }

  /// Removes all branches of the responder, after saving or discarding their children's unsaved
  /// changes.
  ///
  /// - Throws: the error of the first child that cannot be saved. Then all branches stay, although
  ///   the changes of other children may be saved already.
  /// - Complexity: O(*s*) for *s* slots, a sort of the branches by name, and that of
  ///   ``withdraw(_:unsaved:)`` for each branch.
  public final func withdrawBranches(unsaved decision: UnsavedDecision) throws {
    let branches = (contents?.slots ?? []).filter { $0.branch != nil }
      .sorted { String(describing: $0.key.key) < String(describing: $1.key.key) }
    for case let branch? in branches.map(\.branch) { try decide(decision, about: branch) }
    for slot in branches where contents?.slot(slot.id) === slot { withdrawSlot(slot.key) }
  }

  /// Saves or discards the unsaved changes of a branch's child.
  private func decide(_ decision: UnsavedDecision, about branch: Branch) throws {
    if decision == .discard {
      ownAttachment?.dropWaitingChanges(branch.key.key)
    } else {
      try refuseWaitingChanges(of: branch)
    }
    try branch.decide(decision)
  }

  private func refuseWaitingChanges(of branch: Branch) throws {
    guard branch.isKept, ownAttachment?.hasWaitingChanges(branch.key.key) == true else { return }
    throw UnsavedChanges(path: path, key: String(describing: branch.key.key), isWaiting: true)
  }
}

extension Branch {
  /// Saves or discards the child's unsaved changes.
  fileprivate func decide(_ decision: Responder.UnsavedDecision) throws {
    guard let child else { return }
    switch decision {
    case .saveAll: try key.saveAll(child.cell)
    case .save where isDrifting: try key.saveAll(child.cell)
    case .save: try key.save(child.cell)
    case .discard: key.discard(child.cell)
    }
  }
}

/// The error of withdrawing a branch whose child has unsaved changes.
public struct UnsavedChanges: Error, Equatable, CustomStringConvertible {
  /// The path of the responder that has the branch.
  public let path: String
  /// The name of the branch's key.
  public let key: String
  /// Whether the changes are those of an earlier process that were not restored, so that they cannot be
  /// saved now. They may wait for their context.
  public let isWaiting: Bool

  /// A sentence about the refused withdrawal, and one about the remedy.
  public var description: String {
    let subject = "Cannot withdraw the branch \(key) of \(path): "
    return isWaiting
      ? subject + "changes of an earlier process wait for their context, or could not be "
        + "restored. Withdraw the branch with unsaved: .discard to drop them."
      : subject + "its context has unsaved changes. Withdraw it with unsaved: .save, .saveAll or "
        + ".discard."
  }
}
