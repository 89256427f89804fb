extension Responder {
  /// Gives a context to this responder and all below it.
  ///
  /// Replaces whatever the responder said about the key. A value equal to the present one, or the
  /// identical reference, is no change.
  @inlinable
  public final func provide<C: Context>(_ context: consuming C) {
    provide(consume context, for: C.self)
  }

  /// Gives a value to this responder and all below it, under a key of its own.
  @inlinable
  public final func provide<K: ContextKey>(_ value: consuming K.Value, for key: K.Type) {
    provide(TypedCell(consume value), for: erased(key))
  }

  /// Announces a value that will arrive, from whatever thread, through the returned delivery.
  public final func expect<K: ContextKey>(_ key: K.Type) -> Delivery<K.Value> {
    Delivery(promise: becomePending(key) { _ in nil })
  }

  /// Starts to make a value elsewhere; the responder says `pending` until it is there or failed.
  ///
  /// The task does not keep the responder alive. It is cancelled by whatever replaces the slot and
  /// by the responder's end. Loading again is the retry.
  public final func load<K: ContextKey>(
    _ key: K.Type, _ make: @escaping @concurrent @Sendable () async throws -> sending K.Value
  ) {
    _ = becomePending(key) { promise in
      let delivery = Delivery<K.Value>(promise: promise)
      return LoadTask(
        Task {
          do {
            delivery.deliver(try await make())
          } catch {
            delivery.fail(error)
          }
        })
    }
  }

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

  /// Ends lookups of the key here, for this responder and all below it.
  public final func block<K: ContextKey>(_ key: K.Type) {
    if case .block = slot(key)?.state { return }
    replace(with: Slot(Erased<K>.self, owner: core, state: .block), for: Erased<K>.self)
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

  /// What happens to a branch's unsaved changes when it is withdrawn.
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
    try slot(key)?.branch?.settleUnsaved(decision)
    withdrawSlot(Erased<K>.self)
  }

  /// Withdraws all branches of the responder after saving or discarding their children's changes.
  ///
  /// - Throws: what the first of them throws that cannot be saved; then all branches stay.
  public final func withdrawBranches(unsaved decision: UnsavedDecision) throws {
    let branches = (contents?.ownSlots ?? []).filter { $0.branch != nil }
      .sorted { String(describing: $0.key.key) < String(describing: $1.key.key) }
    for slot in branches { try slot.branch?.settleUnsaved(decision) }
    for slot in branches where contents?.ownSlot(slot.id) === slot { withdrawSlot(slot.key) }
  }

  /// What the responder itself says, by name of the key.
  public final var slots: [SlotSummary] {
    (contents?.ownSlots ?? [])
      .map { SlotSummary(key: $0.key.key, kind: $0.kind) }
      .sorted { String(describing: $0.key) < String(describing: $1.key) }
  }
}

extension Responder {
  /// The untyped form of providing a value.
  ///
  /// Values are given away, the present one to the round and the new one to the slot: if a deinit
  /// provides the next value, no function on the way is the last to have the one that it replaces,
  /// and would release it further down the stack.
  @usableFromInline
  final func provide(_ cell: consuming Cell, for key: any ErasedKey.Type) {
    let id = key.id
    var present: Cell?
    // One that was pending may still hold its load, and one that joins a mailbox does it with its
    // slot.
    var isReusable = false
    if let slot = contents?.ownSlot(id), case .value(let cell) = slot.state {
      present = cell
      isReusable = slot.promise == nil && slot.listener == nil
    }
    cell.learn(from: present)
    if present?.isEqual(to: cell, key) == true { return }
    guard isReusable, cell.mailboxContext(key) == nil else {
      present = nil
      return replace(with: Slot(key, owner: core, state: .value(consume cell)), for: key)
    }
    var new: Cell? = consume cell
    Round.perform { round in
      if let present = present.take() { round.keep(present) }
      guard let entry = core.ownEntry(id), let slot = entry.pointee.slot?.takeUnretainedValue(),
        let cell = new.take()
      else { return }
      slot.state = .value(cell)
      entry.pointee.set(cell: cell)
      pushAndTell(id, in: round)
    }
  }

  /// The responder's own slot for a key.
  final func slot<K: ContextKey>(_ key: K.Type) -> Slot? {
    contents?.ownSlot(KeyID(key))
  }

  private func becomePending<K: ContextKey>(
    _ key: K.Type, _ start: (Promise) -> LoadTask?
  ) -> Promise {
    core.responder = self
    let promise = Promise(self, KeyID(key), mailbox: attachedTree?.mailbox)
    let listener = PromiseListener(promise, Erased<K>.self)
    let load = start(promise)
    let slot = Slot(
      Erased<K>.self, owner: core, state: .pending(promise, listener), load: load)
    // In one round: a callback may replace the slot, which must be complete by then.
    Round.perform { _ in
      replace(with: slot, for: Erased<K>.self)
      core.set(NodeBits.farewell, true)
      listener.register(at: core)
    }
    return promise
  }

  /// The one place where a slot is put, replaced or removed.
  private func replace(with slot: consuming Slot, for key: any ErasedKey.Type) {
    let id = key.id
    var new: Slot? = consume slot
    Round.perform { round in
      guard let slot = new.take() else { return }
      let contents = core.madeContents()
      let old = contents.ownSlot(id)
      retire(old, in: round)
      // Audiences end at slots, but not at branches.
      if old == nil || (old?.branch == nil) != (slot.branch == nil) { core.outdateAudiences() }
      if core.flags & id.bit == 0 {
        core.validRoute?.takeUnretainedValue().epoch.tree.strategy.bitAdded(id.bit, at: self)
        core.set(id.bit, true)
      }
      contents.put(id, slot: slot, cell: slot.settledCell, isOwn: true)
      core.ownRoute?.follow(contents)
      pushAndTell(id, in: round)
      old?.leaveMailbox()
      join(slot)
    }
  }

  final func withdrawSlot(_ key: any ErasedKey.Type) {
    let id = key.id
    guard let contents, contents.ownSlot(id) != nil else { return }
    Round.perform { round in
      // Here, so that only the round keeps it.
      guard let old = contents.ownSlot(id) else { return }
      retire(old, in: round)
      contents.remove(id)
      core.outdateAudiences()
      let isShared = contents.ownSlots.contains { $0.id.bit == id.bit }
      if !isShared { core.set(id.bit, false) }
      pushAndTell(id, in: round)
      old.leaveMailbox()
    }
  }

  /// A pending slot has its outcome.
  final func settle(_ slot: Slot, _ outcome: Promise.Outcome) {
    guard case .pending(_, let listener) = slot.state else { return }
    Round.perform { round in
      listener.unregister()
      switch outcome {
      case .value(let cell):
        cell.learn()
        slot.state = .value(cell)
      case .failure(let error): slot.state = .failed(Failure(error))
      }
      core.ownEntry(slot.id)?.pointee.set(cell: slot.settledCell)
      pushAndTell(slot.id, in: round)
      join(slot)
    }
  }

  /// Tells the value its mailbox when the tree is whole again: the value may do anything then, also
  /// replace the slot.
  private func join(_ slot: Slot) {
    if contents?.ownSlot(slot.id) === slot { slot.joinMailbox() }
  }

  private func pushAndTell(_ id: KeyID, in round: Round) {
    core.validRoute?.takeUnretainedValue().epoch.tree.strategy.slotChanged(id, at: self)
    round.slotChanged(id, at: self)
  }

  /// Ends what a replaced slot was in the middle of. Its value is released after the notification.
  private func retire(_ old: Slot?, in round: Round) {
    guard let old else { return }
    round.keep(old)
    switch old.state {
    case .pending(let promise, let listener):
      if let arrived = promise.close() { round.keep(arrived) }
      old.load?.cancel()
      listener.unregister()
    case .branch(let branch):
      if branch.hasUnsavedChanges, let child = branch.child {
        round.report(
          Drift(
            responder: self, key: old.key.key, policy: branch.policy, hasUnsavedChanges: true,
            hasEnded: true, context: branch.key.describe(child.cell)))
      }
      old.retireBranch()
    case .value, .failed, .block: break
    }
  }
}

extension Branch {
  fileprivate func settleUnsaved(_ decision: Responder.UnsavedDecision) throws {
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
