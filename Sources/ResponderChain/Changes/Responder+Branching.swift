extension Responder {
  /// Hands a child of the inherited context to this responder and all below it.
  ///
  /// The child is made when somebody first reads, observes or waits for it. Saying it again keeps
  /// the child; another policy changes only the policy.
  public final func branch<K: ContextKey>(_ key: K.Type, _ policy: BranchPolicy = .follow)
  where K.Value: BranchingContext {
    if let branch = slot(key)?.branch {
      guard branch.policy != policy else { return }
      branch.policy = policy
      guard branch.child != nil else { return }
      // Its own listener is among those concerned.
      Round.perform { $0.slotChanged(KeyID(key), at: self) }
      return
    }
    core.responder = self
    let branch = Branch(ErasedBranching<K>.self, policy)
    replace(with: Slot(Erased<K>.self, owner: core, state: .branch(branch)), for: Erased<K>.self)
  }

  /// Says nothing about the key any more, so that the next ancestor's word counts again.
  ///
  /// - Throws: ``UnsavedChanges`` if the slot is a branch whose child, or a context below it, has
  ///   unsaved changes.
  public final func withdraw<K: ContextKey>(_ key: K.Type) throws {
    if let branch = slot(key)?.branch, branch.hasUnsavedChanges {
      throw UnsavedChanges(path: path, key: String(describing: key))
    }
    withdrawSlot(Erased<K>.self)
  }

  /// The fate of a branch's unsaved changes when it is withdrawn.
  public enum UnsavedDecision: Sendable {
    /// They are saved into the parent; all the way, if the branch drifts.
    case save
    /// They are forgotten.
    case discard
  }

  /// Withdraws a branch after saving or discarding its child's changes.
  ///
  /// - Throws: what saving throws; the branch then stays as it is.
  public final func withdraw<K: ContextKey>(_ key: K.Type, unsaved decision: UnsavedDecision) throws
  {
    try slot(key)?.branch?.decide(decision)
    withdrawSlot(Erased<K>.self)
  }

  /// Withdraws all branches of the responder after saving or discarding their children's changes.
  ///
  /// - Throws: what the first of them throws that cannot be saved; then all branches stay.
  public final func withdrawBranches(unsaved decision: UnsavedDecision) throws {
    let branches = (contents?.slots ?? []).filter { $0.branch != nil }
      .sorted { String(describing: $0.key.key) < String(describing: $1.key.key) }
    for slot in branches { try slot.branch?.decide(decision) }
    for slot in branches where contents?.slot(slot.id) === slot { withdrawSlot(slot.key) }
  }
}

extension Branch {
  /// Saves or discards the child's changes.
  fileprivate func decide(_ decision: Responder.UnsavedDecision) throws {
    guard let child else { return }
    switch decision {
    case .save where isDrifting: try key.saveAll(child.cell)
    case .save: try key.save(child.cell)
    case .discard: key.discard(child.cell)
    }
  }
}

/// A branch was to be withdrawn, but its child has unsaved changes.
public struct UnsavedChanges: Error, Equatable, CustomStringConvertible {
  /// The responder that has the branch.
  public let path: String
  /// The key of the branch.
  public let key: String

  /// What was attempted, and the way out.
  public var description: String {
    "Cannot withdraw the branch \(key) of \(path): its context has unsaved changes. "
      + "Withdraw it with unsaved: .save or .discard."
  }
}
