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

  /// Ends lookups of the key here, for this responder and all below it.
  public final func block<K: ContextKey>(_ key: K.Type) {
    if case .block = slot(key)?.state { return }
    replace(with: Slot(Erased<K>.self, owner: core, state: .block), for: Erased<K>.self)
  }

  /// The responder's own slots, by name of the key.
  public final var slotSummaries: [SlotSummary] {
    (contents?.slots ?? [])
      .map { SlotSummary(key: $0.key.key, kind: $0.kind) }
      .sorted { String(describing: $0.key) < String(describing: $1.key) }
  }
}

extension Responder {
  /// Provides a value, untyped.
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
    if let slot = contents?.slot(id), case .value(let cell) = slot.state {
      present = cell
      isReusable = slot.pending == nil && slot.contextListener == nil
    }
    cell.inspectClass(following: present)
    if present?.isEqual(to: cell, key) == true { return }
    guard isReusable, cell.mailboxContext(key) == nil else {
      present = nil
      return replace(with: Slot(key, owner: core, state: .value(consume cell)), for: key)
    }
    var new: Cell? = consume cell
    Round.perform { round in
      if let present = present.take() { round.keep(present) }
      guard let entry = core.ownEntry(id), let cell = new.take() else { return }
      entry.decider.state = .value(cell)
      entry.set(cell: cell)
      pushAndTell(id, in: round)
    }
  }

  /// Returns the responder's own slot for a key.
  final func slot<K: ContextKey>(_ key: K.Type) -> Slot? {
    contents?.slot(KeyID(key))
  }

  /// Puts a slot, or replaces one: with ``withdrawSlot(_:)`` the only function that does.
  final func replace(with slot: consuming Slot, for key: any ErasedKey.Type) {
    let id = key.id
    var new: Slot? = consume slot
    Round.perform { round in
      guard let slot = new.take() else { return }
      let contents = core.madeContents()
      let old = contents.slot(id)
      retire(old, in: round)
      // Audiences end at slots, but not at branches.
      if old == nil || old?.inherits != slot.inherits { core.outdateAudiences() }
      if core.flags & id.bit == 0 {
        core.validRoute?.tree.strategy.bitAdded(id.bit, at: self)
        core.set(id.bit, true)
      }
      contents.put(slot, cell: slot.settledCell, isOwn: true)
      core.ownRoute?.follow(contents)
      pushAndTell(id, in: round)
      old?.leaveMailbox()
      join(slot)
    }
  }

  /// Removes a slot.
  final func withdrawSlot(_ key: any ErasedKey.Type) {
    let id = key.id
    guard let contents, contents.slot(id) != nil else { return }
    Round.perform { round in
      // Here, so that only the round keeps it.
      guard let old = contents.slot(id) else { return }
      retire(old, in: round)
      contents.remove(id)
      core.outdateAudiences()
      let isShared = contents.ownSlots.contains { $0.id.bit == id.bit }
      if !isShared { core.set(id.bit, false) }
      pushAndTell(id, in: round)
      old.leaveMailbox()
    }
  }

  /// Tells the value its mailbox when the tree is whole again: the value may do anything then, also
  /// replace the slot.
  final func join(_ slot: Slot) {
    if contents?.slot(slot.id) === slot { slot.joinMailbox() }
  }

  /// Pushes a changed slot down, if the strategy does that, and tells the listeners concerned.
  final func pushAndTell(_ id: KeyID, in round: Round) {
    core.validRoute?.tree.strategy.slotChanged(id, at: self)
    round.slotChanged(id, at: self)
  }

  /// Ends the expectation or branch of a replaced slot, whose value is released after the
  /// notification.
  private func retire(_ old: Slot?, in round: Round) {
    guard let old else { return }
    round.keep(old)
    switch old.state {
    case .pending(let value, let listener):
      if let arrived = value.close() { round.keep(arrived) }
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
