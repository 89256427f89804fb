extension Responder {
  /// Provides a context to this responder and all below it.
  ///
  /// If the responder has a slot for the key already, the slot is replaced. But nothing changes if
  /// its value is equal or identical to the new one.
  ///
  /// - Complexity: That of ``provide(_:for:file:line:)``.
  @inlinable
  public final func provide<C: Context>(
    _ context: consuming C, file: StaticString = #fileID, line: Int = #line
  ) {
    provide(consume context, for: C.self, file: file, line: line)
  }

  /// Provides a value to this responder and all below it, under a key.
  ///
  /// If the responder has a slot for the key already, the slot is replaced. But nothing changes if
  /// its value is equal or identical to the new one.
  ///
  /// - Complexity: O(*m* + *depth*) for *m* listeners that the change concerns. If listeners or
  ///   responders were added or removed since the last change, also O(*w*) for *w* nodes on the way
  ///   to the listeners. Under ``Strategy/baton`` also O(*n*) for *n* responders below.
  @inlinable
  public final func provide<K: ContextKey>(
    _ value: consuming K.Value, for key: K.Type, file: StaticString = #fileID, line: Int = #line
  ) {
    provide(TypedCell(consume value), for: erased(key), file, line)
  }

  /// Blocks lookups of the key, for this responder and all below it.
  ///
  /// - Complexity: That of ``provide(_:for:file:line:)``.
  public final func block<K: ContextKey>(
    _ key: K.Type, file: StaticString = #fileID, line: Int = #line
  ) {
    block(key, .source(file, line))
  }

  /// Blocks lookups of the key, and keeps the block's origin.
  package final func block<K: ContextKey>(_ key: K.Type, _ origin: SlotOrigin) {
    note(origin, of: KeyID(key))
    if case .block = slot(key)?.state { return }
    replace(with: Slot(Erased<K>.self, owner: core, state: .block), for: Erased<K>.self)
  }

  /// The responder's own slots, sorted by the names of their keys.
  ///
  /// - Complexity: O(*s* log *s*) for *s* slots.
  public final var slotSummaries: [SlotSummary] {
    (contents?.slots ?? [])
      .map { SlotSummary(key: $0.key.key, kind: $0.kind) }
      .sorted { String(describing: $0.key) < String(describing: $1.key) }
  }
}

extension Responder {
  /// Provides the value in a cell.
  ///
  /// If the responder's slot for the key has a value already, the slot usually stays and gets the
  /// new cell. So a change allocates only a cell.
  ///
  /// The replaced cell is moved to the round, and the new cell is moved to the slot. So no function
  /// on the stack has the last reference to the replaced value. If that value's deinit provides
  /// another value, the releases are not nested on the stack.
  @usableFromInline
  final func provide(
    _ cell: consuming Cell, for key: any ErasedKey.Type, _ file: StaticString, _ line: Int
  ) {
    let id = key.id
    note(.source(file, line), of: id)
    var present: Cell?
    // A slot that was pending may still hold its load, and a value joins a mailbox together with
    // its slot. Slots of both kinds are not reused.
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
      ownAttachment?.valueDidChange(key.key, of: self)
    }
  }

  /// Returns the responder's own slot for a key; nil if there is none.
  final func slot<K: ContextKey>(_ key: K.Type) -> Slot? {
    contents?.slot(KeyID(key))
  }

  /// Adds a slot, or replaces the responder's slot for the key. Only this function and
  /// ``withdrawSlot(_:)`` add and remove the slots of a node.
  final func replace(with slot: consuming Slot, for key: any ErasedKey.Type) {
    let id = key.id
    var new: Slot? = consume slot
    Round.perform { round in
      guard let slot = new.take() else { return }
      let contents = core.makeContentsIfNeeded()
      let old = contents.slot(id)
      retire(old, in: round)
      // A slot that is not a branch cuts off the listeners below from the audiences above.
      if old == nil || old?.inherits != slot.inherits { core.outdateAudiences() }
      if core.flags & id.bit == 0 {
        core.validRoute?.tree.strategy.bitAdded(id.bit, at: self)
        core.set(id.bit, true)
      }
      contents.put(slot, cell: slot.readableCell, isOwn: true)
      core.ownRoute?.follow(contents)
      pushAndTell(id, in: round)
      old?.leaveMailbox()
      ownAttachment?.slotsDidChange(of: self)
      join(slot)
    }
  }

  /// Removes the responder's own slot for a key. Does nothing if there is none.
  final func withdrawSlot(_ key: any ErasedKey.Type) {
    let id = key.id
    guard let contents, contents.slot(id) != nil else { return }
    Round.perform { round in
      // The slot is found inside the round, so that only the round keeps it.
      guard let old = contents.slot(id) else { return }
      retire(old, in: round)
      contents.remove(id)
      core.outdateAudiences()
      let isShared = contents.ownSlots.contains { $0.id.bit == id.bit }
      if !isShared { core.set(id.bit, false) }
      pushAndTell(id, in: round)
      old.leaveMailbox()
      ownAttachment?.slotsDidChange(of: self)
    }
  }

  /// Joins a slot's value to the mailbox of its tree, if the value is a ``MailboxContext``. Callers
  /// must do this last, because the value may change the tree and even replace the slot.
  final func join(_ slot: Slot) {
    if contents?.slot(slot.id) === slot { slot.joinMailbox() }
  }

  /// Updates the answers that the tree's strategy has stored in nodes, after a slot was changed.
  /// Then queues the listeners that the change concerns.
  final func pushAndTell(_ id: KeyID, in round: Round) {
    core.validRoute?.tree.strategy.slotChanged(id, at: self)
    round.slotChanged(id, at: self)
  }

  /// Ends the expectation or branch of a slot that is replaced or withdrawn. The slot's value is
  /// released after the round. If a branch has unsaved changes, a drift is reported, because this
  /// function cannot throw an error as `withdraw` can.
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
