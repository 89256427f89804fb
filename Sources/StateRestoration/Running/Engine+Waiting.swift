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

  private func reportWait(_ owner: WaitingOwner) {
    owner.progress = .waiting
    report.replace(owner.line, .waiting, owner.earlierReason)
    report.set(owner.line, .waiting, "Values wait for \(owner.needs.joined(separator: ", ")).")
  }

  /// Notes that a responder finds another context. Its values are decoded when all responders that
  /// hear of the same change have been noted.
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

  /// Returns whether a responder finds all contexts that are needed.
  func isReady(_ needs: [String], at responder: Responder) -> Bool {
    needs.allSatisfy { name in
      guard let context = contexts.registrations[name] else { return true }
      if case .value = context.inherited(at: responder) { return true }
      return false
    }
  }

  /// Decodes the values that have waited. Those that still find no context go on waiting.
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
  /// Looks at the end of the running round whether a responder waits that is in the tree.
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

  /// Returns whether a responder waits that is in the tree. The report then says of the others,
  /// as far as they were looked at, that they were removed.
  ///
  /// - Complexity: O(*depth*), and as much for each owner that waits no more, once.
  private func isWaiting() -> Bool {
    while let owner = witnesses.last {
      if owner.progress == .waiting {
        if waiting[owner.record] === owner, owner.isInTree(of: application) { return true }
        owner.progress = .removed
        report.replace(owner.line, .dropped, owner.earlierReason)
        report.set(owner.line, .dropped, "Its responder was removed while its values waited.")
        // One that was only detached may come back, and hears of its context then.
        if owner.livingResponder == nil, waiting[owner.record] === owner {
          waiting[owner.record] = nil
        }
      }
      witnesses.removeLast()
    }
    return false
  }
}
