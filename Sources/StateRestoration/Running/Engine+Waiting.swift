import ResponderChain

extension Engine {
  /// Adds an owner to the waiting owners, and observes the contexts that it needs. If all these
  /// contexts were provided while the owner's record was decoded, decodes the values at once.
  func wait(_ owner: WaitingOwner) {
    guard owner.responder != nil else { return }
    waiting[ObjectIdentifier(owner.record)] = owner
    waitingInTree.append(owner)
    owner.earlierReason = report.reason(owner.line)
    watch(owner)
    if isReady(owner) {
      decodeLateValues(of: owner)
      if owner.progress == .decoded { return }
    }
    reportWait(owner)
  }

  /// Returns whether an attached owner finds all contexts that it needs. Unregistered names are
  /// ignored.
  private func isReady(_ owner: WaitingOwner) -> Bool {
    !owner.groups.contains { !$0.isFound }
  }

  /// Returns whether an owner has values to decode, and finds at least one of the contexts that it
  /// needs.
  private func isPartlyReady(_ owner: WaitingOwner) -> Bool {
    !owner.values.isEmpty && owner.groups.contains { $0.isFound }
  }

  /// Notes in the report that an owner's values wait.
  private func reportWait(_ owner: WaitingOwner) {
    owner.progress = .waiting
    if waitReason?.needs != owner.needs {
      let names = owner.needs.joined(separator: ", ")
      waitReason = (owner.needs, "Values wait for \(names).")
    }
    report.replace(owner.line, .waiting, owner.earlierReason)
    report.set(owner.line, .waiting, waitReason?.text)
  }

  /// Observes the contexts that a waiting responder or object needs. Siblings that inherit a
  /// context share one observation, which is made at their parent.
  private func watch(_ owner: WaitingOwner) {
    guard let responder = owner.livingResponder else { return }
    for name in owner.needs {
      guard let context = contexts.registration(named: name) else { continue }
      let observed =
        context.isInherited(at: responder) ? responder.nextResponder ?? responder : responder
      waitGroups.join(owner, observed, name, context, self)
    }
  }

  /// Replaces the observations of the contexts for which a responder and its added objects wait.
  /// This is called after the responder was linked or its slots have changed. The owners are also
  /// queued, because the responder may find the contexts already.
  func watchAgain(_ responder: Responder, _ mark: Mark) {
    for owner in waitingOwners(at: responder, mark) {
      waitGroups.leave(owner)
      watch(owner)
      queue(owner)
    }
  }

  /// Ends the observations for a detached responder and its added objects.
  func unwatch(_ responder: Responder, _ mark: Mark) {
    for owner in waitingOwners(at: responder, mark) { waitGroups.leave(owner) }
  }

  /// Returns the waiting owners among a responder and the objects that were added below it.
  private func waitingOwners(at responder: Responder, _ mark: Mark) -> [WaitingOwner] {
    ([mark] + objects.below(responder).map(\.mark)).compactMap { waiting(of: $0) }
  }

  /// Returns the responder or object of a mark if its values wait; nil otherwise.
  func waiting(of mark: Mark) -> WaitingOwner? {
    record(of: mark).flatMap { waiting[ObjectIdentifier($0)] }
  }

  /// Queues a waiting owner, because one of its contexts has changed. All queued owners are decoded
  /// together, at the end of the running round's first stage.
  func queue(_ owner: WaitingOwner) {
    guard !owner.isHeard else { return }
    owner.isHeard = true
    heard.append(owner)
    if heard.count == 1 { RoundStage.first.atEnd { [weak self] in self?.decodeQueuedOwners() } }
  }

  /// Queues all owners of a group, because the context of the group has changed.
  func queue(_ group: WaitGroup) {
    group.forEachMember { queue($0) }
  }

  private func decodeQueuedOwners() {
    let owners = heard
    heard = []
    var ready: [WaitingOwner] = []
    for owner in owners {
      owner.isHeard = false
      guard stillWaits(owner), owner.livingResponder != nil else { continue }
      if owner.progress == .removed, owner.isInTree(of: application) {
        reportWait(owner)
        waitingInTree.append(owner)
      }
      if owner.groups.isEmpty { watch(owner) }
      if isReady(owner) || isPartlyReady(owner) { ready.append(owner) }
    }
    guard !ready.isEmpty else { return }
    crashGuard.checkRoom()
    crashGuard.followRound()
    prefetch(
      ready.compactMap { owner in
        owner.responder.map { responder in
          ReferringRecord(
            record: owner.record, responder: responder, object: owner.object, needs: owner.needs)
        }
      })
    for owner in ready { decodeLateValues(of: owner) }
    releasePrefetchedSoon()
    let finished = ready.compactMap { owner -> FinishedOwner? in
      guard owner.progress == .decoded, !owner.isToldByRun else { return nil }
      if let added = owner.object {
        return FinishedOwner(
          added.object as? any RestorationFinishing, added.mark, owner.responder)
      }
      guard let responder = owner.responder, facts(of: responder).isFinishing else { return nil }
      return FinishedOwner(responder as? any RestorationFinishing, responder.mark, responder)
    }
    let hasEnded = !isWaiting()
    RoundStage.last.atEnd { [weak self] in
      for owner in finished { owner.tell(by: self) }
      if hasEnded, let self, executions == 0 { endOfWait() }
    }
  }

  /// Returns whether an owner still waits. Code of the app may have erased its values meanwhile.
  private func stillWaits(_ owner: WaitingOwner) -> Bool {
    waiting[ObjectIdentifier(owner.record)] === owner
  }

  /// Returns whether a responder finds each of the named contexts. Unregistered names are ignored.
  func isReady(_ needs: [String], at responder: Responder) -> Bool {
    needs.allSatisfy { contexts.registration(named: $0)?.isFound(at: responder) ?? true }
  }

  /// Decodes the values of a waiting owner. Values with a context that is still not there keep
  /// waiting.
  private func decodeLateValues(of owner: WaitingOwner) {
    guard let responder = owner.livingResponder, stillWaits(owner) else { return }
    guard let values = owner.record.values else { return }
    let place = crashGuard.place
    crashGuard.enter(
      .lateDecoding, owner.record.number, path: guardPath(of: responder, owner.object))
    defer { crashGuard.leave(to: place) }
    let scope = scope(of: responder)
    var cursor = values.first
    var late: [WaitingValue] = []
    for value in owner.values {
      contexts.forgetMissing()
      do {
        guard let entry = try values.find(value.key, from: &cursor) else { continue }
        guard try value.decode(values.reader(entry, scope), scope) else {
          late.append(value)
          continue
        }
        owner.record.used.insert(entry.index)
        if !contexts.missing.isEmpty {
          note(missing: contexts.missing, key: value.key, of: responder, owner.object)
        }
      } catch {
        note(error, key: value.key, of: responder)
      }
    }
    owner.values = late
    guard late.isEmpty, isReady(owner), stillWaits(owner) else { return }
    waiting[ObjectIdentifier(owner.record)] = nil
    owner.progress = .decoded
    waitGroups.leave(owner)
    noteUnsaved()
    report.replace(owner.line, .restored, owner.earlierReason)
  }
}

extension Engine {
  /// Checks, at the end of the running round, whether an owner in the tree still waits. If no owner
  /// does, the report is sent.
  func checkWaitingSoon() {
    guard !waitingInTree.isEmpty, !isCheckingWaiting else { return }
    isCheckingWaiting = true
    RoundStage.last.atEnd { [weak self] in
      guard let self else { return }
      isCheckingWaiting = false
      let count = waitingInTree.count
      if !isWaiting(), count > 0, executions == 0 { endOfWait() }
    }
  }

  /// Returns whether a responder or object in the tree still waits.
  ///
  /// Removes owners from the end of ``waitingInTree`` until its last owner is one that waits in the
  /// tree. If a removed owner still waits, but outside the tree, the report says that its responder
  /// was removed.
  ///
  /// - Complexity: O(*depth*) for the owner that is found, and for each owner that is removed.
  private func isWaiting() -> Bool {
    while let owner = waitingInTree.last {
      if owner.progress == .waiting {
        if stillWaits(owner), owner.isInTree(of: application) { return true }
        owner.progress = .removed
        report.replace(owner.line, .dropped, owner.earlierReason)
        report.set(owner.line, .dropped, "Its responder was removed while its values waited.")
        // A responder that still exists keeps waiting. If it is attached again, its contexts are
        // observed again.
        if owner.livingResponder == nil, stillWaits(owner) {
          waiting[ObjectIdentifier(owner.record)] = nil
          waitGroups.leave(owner)
        }
      }
      waitingInTree.removeLast()
    }
    return false
  }
}
