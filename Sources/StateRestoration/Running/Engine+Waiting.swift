import ResponderChain

extension Engine {
  /// Notes that a record's values wait for contexts. If the contexts came while the record was
  /// decoded, the values are decoded at once.
  func wait(_ owner: WaitingOwner) {
    guard let responder = owner.responder else { return }
    waiting[owner.record] = owner
    witnesses.append(owner)
    owner.earlierReason = report.reason(owner.line)
    if isReady(owner.needs, at: responder) {
      settle(owner)
      if owner.progress == .settled { return }
    }
    reportWait(owner)
    owner.observations = owner.needs.compactMap { name in
      contexts.registrations[name]?.observeFirst(responder) { [weak self, weak owner] _ in
        if let owner { self?.hear(owner) }
      }
    }
  }

  /// Notes in the report that an owner's values wait.
  private func reportWait(_ owner: WaitingOwner) {
    owner.progress = .waiting
    report.replace(owner.line, .waiting, owner.earlierReason)
    report.set(owner.line, .waiting, "Values wait for \(owner.needs.joined(separator: ", ")).")
  }

  /// Notes that a context of a waiting owner has changed. Its values are decoded at the end of the
  /// round's first stage, together with those of all other owners that were noted until then.
  func hear(_ owner: WaitingOwner) {
    heard.append(owner)
    if heard.count == 1 { RoundStage.first.atEnd { [weak self] in self?.settleHeard() } }
  }

  private func settleHeard() {
    let owners = heard
    heard = []
    var ready: [WaitingOwner] = []
    var seen: Set<UInt32> = []
    for owner in owners where waiting[owner.record] === owner {
      guard let responder = owner.livingResponder else { continue }
      if owner.progress == .removed, owner.isInTree(of: application) {
        reportWait(owner)
        witnesses.append(owner)
      }
      if isReady(owner.needs, at: responder), seen.insert(owner.record).inserted {
        ready.append(owner)
      }
    }
    guard !ready.isEmpty else { return }
    prefetch(ready.compactMap { owner in owner.responder.map { (owner.record, $0) } })
    for owner in ready { settle(owner) }
    releasePrefetchedSoon()
    let finished = ready.compactMap { owner -> (any RestorationFinishing)? in
      guard owner.progress == .settled, !owner.isToldByRun else { return nil }
      if let added = owner.object { return added.object as? any RestorationFinishing }
      return owner.responder as? any RestorationFinishing
    }
    let hasEnded = !isWaiting()
    RoundStage.last.atEnd { [weak self] in
      for owner in finished { owner.didFinishRestoring() }
      if hasEnded, let self, executions == 0 { onReport?(report) }
    }
  }

  /// Returns whether a responder finds a value for each needed context. Names that are not
  /// registered do not count.
  func isReady(_ needs: [String], at responder: Responder) -> Bool {
    needs.allSatisfy { name in
      guard let context = contexts.registrations[name] else { return true }
      if case .value = context.inherited(at: responder) { return true }
      return false
    }
  }

  /// Decodes the values of a waiting owner. Values that still find no context go on waiting.
  private func settle(_ owner: WaitingOwner) {
    guard let responder = owner.livingResponder, let record = log.reader(of: owner.record),
      let values = try? RecordValues(record)
    else { return }
    var late: [WaitingValue] = []
    for value in owner.values {
      do {
        guard try value.settle(values, scope(of: responder)) else {
          late.append(value)
          continue
        }
        if let entry = try? values.find(value.key) { used[owner.record].insert(entry.index) }
        if !contexts.missing.isEmpty {
          note(missing: contexts.missing, key: value.key, of: responder, owner.object)
        }
      } catch {
        note(error, key: value.key, of: responder)
      }
    }
    owner.values = late
    guard late.isEmpty else { return }
    waiting[owner.record] = nil
    owner.progress = .settled
    owner.observations = []
    report.replace(owner.line, .restored, owner.earlierReason)
  }
}

extension Engine {
  /// Checks at the end of the running round whether an owner in the tree still waits. If none does
  /// any more, the report is sent.
  func checkWaitingSoon() {
    guard !witnesses.isEmpty, !isCheckingWaiting else { return }
    isCheckingWaiting = true
    RoundStage.last.atEnd { [weak self] in
      guard let self else { return }
      isCheckingWaiting = false
      let count = witnesses.count
      if !isWaiting(), count > 0, executions == 0 { onReport?(report) }
    }
  }

  /// Returns whether an owner in the tree waits.
  ///
  /// Removes the witnesses that wait no more, or that are not in the tree, until it finds one that
  /// waits there. If one waits outside the tree, the report says that it was removed.
  ///
  /// - Complexity: O(*depth*) for the witness that is found, and for each that is removed.
  private func isWaiting() -> Bool {
    while let owner = witnesses.last {
      if owner.progress == .waiting {
        if waiting[owner.record] === owner, owner.isInTree(of: application) { return true }
        owner.progress = .removed
        report.replace(owner.line, .dropped, owner.earlierReason)
        report.set(owner.line, .dropped, "Its responder was removed while its values waited.")
        // A responder that was only detached goes on waiting. If it is attached again, it hears of
        // its context.
        if owner.livingResponder == nil, waiting[owner.record] === owner {
          waiting[owner.record] = nil
        }
      }
      witnesses.removeLast()
    }
    return false
  }
}
