import ResponderChain

extension Engine {
  /// Adds an owner to the waiting owners. If all contexts that it needs were provided while its
  /// record was decoded, decodes the values at once.
  func wait(_ owner: WaitingOwner) {
    guard let responder = owner.responder else { return }
    waiting[ObjectIdentifier(owner.record)] = owner
    owner.earlierReason = report.reason(owner.line)
    if isReady(owner.needs, at: responder) {
      decodeLateValues(of: owner)
      if owner.progress == .decoded { return }
    }
    reportWait(owner)
  }

  /// Notes in the report that an owner's values wait.
  private func reportWait(_ owner: WaitingOwner) {
    owner.progress = .waiting
    hasWaits = true
    if waitReason?.needs != owner.needs {
      let names = owner.needs.joined(separator: ", ")
      waitReason = (owner.needs, "Values wait for \(names).")
    }
    report.replace(owner.line, .waiting, owner.earlierReason)
    report.set(owner.line, .waiting, waitReason?.text)
  }

  /// Returns whether a responder finds each of the named contexts. Unregistered names are ignored.
  func isReady(_ needs: [String], at responder: Responder) -> Bool {
    needs.allSatisfy { contexts.registration(named: $0)?.isFound(at: responder) ?? true }
  }

  /// Returns the responder or object of a mark if its values wait; nil otherwise.
  func waiting(of mark: Mark) -> WaitingOwner? {
    record(of: mark).flatMap { waiting[ObjectIdentifier($0)] }
  }

  /// Checks the waiting owners at the end of the running round's first stage, because a slot or a
  /// link has changed. All owners that are ready by then are decoded together.
  func checkWaitingSoon() {
    guard !waiting.isEmpty, !isCheckingWaiting else { return }
    isCheckingWaiting = true
    RoundStage.first.atEnd { [weak self] in self?.checkWaiting() }
  }

  private func checkWaiting() {
    isCheckingWaiting = false
    // Owners have the order of their lines in the report, which is that of the archive.
    let ready = waiting.values.filter { check($0) }.sorted { $0.line < $1.line }
    if !ready.isEmpty { decode(ready) }
    let finished = ready.compactMap { owner -> FinishedOwner? in
      guard owner.progress == .decoded, !owner.isToldByRun else { return nil }
      if let added = owner.object {
        return FinishedOwner(added.object as? any RestorationFinishing, added.mark)
      }
      guard let responder = owner.responder, facts(of: responder).isFinishing else { return nil }
      return FinishedOwner(responder as? any RestorationFinishing, responder.mark)
    }
    RoundStage.last.atEnd { [weak self] in
      for owner in finished { owner.tell(by: self) }
      guard let self else { return }
      guard hasWaits, !isWaiting() else {
        if executions == 0 { noteProgress(in: ready.map { self.place(of: $0.record) }) }
        return
      }
      hasWaits = false
      if executions == 0 { endOfWait() }
    }
  }

  /// Decodes the waiting values of some owners.
  private func decode(_ owners: [WaitingOwner]) {
    crashGuard.check()
    strikeOrigins.followRound()
    prefetch(
      owners.compactMap { owner in
        owner.responder.map { responder in
          ReferringRecord(
            record: owner.record, responder: responder, object: owner.object, needs: owner.needs)
        }
      })
    for owner in owners { decodeLateValues(of: owner) }
    releasePrefetchedSoon()
  }

  /// Counts the contexts that an owner finds, and reports that it waits again if it has come back to
  /// the tree.
  ///
  /// - Returns: whether the owner is in the tree and finds all contexts that it needs, or others than
  ///   at the last check.
  private func check(_ owner: WaitingOwner) -> Bool {
    guard let responder = owner.livingResponder else { return false }
    let isBack = owner.progress == .removed && owner.isInTree(of: application)
    if isBack { reportWait(owner) }
    let found = owner.needs.count {
      contexts.registration(named: $0)?.isFound(at: responder) ?? true
    }
    defer { owner.foundCount = found }
    let isMore = found != owner.foundCount && found > 0 && !owner.values.isEmpty
    return (found == owner.needs.count || isMore) && (isBack || owner.isInTree(of: application))
  }

  /// Returns whether an owner still waits. Code of the app may have erased its values meanwhile.
  private func stillWaits(_ owner: WaitingOwner) -> Bool {
    waiting[ObjectIdentifier(owner.record)] === owner
  }

  /// Returns whether a responder or object in the tree still waits. If an owner waits outside the
  /// tree, the report says that its responder was removed.
  ///
  /// - Complexity: O(*n* · *depth*) for *n* waiting owners.
  private func isWaiting() -> Bool {
    var isWaiting = false
    for owner in waiting.values where owner.progress == .waiting {
      if owner.isInTree(of: application) {
        isWaiting = true
        continue
      }
      owner.progress = .removed
      report.replace(owner.line, .dropped, owner.earlierReason)
      report.set(owner.line, .dropped, "Its responder was removed while its values waited.")
      // A responder that still exists keeps waiting. It may be attached again.
      if owner.livingResponder == nil { waiting[ObjectIdentifier(owner.record)] = nil }
    }
    return isWaiting
  }

  /// Decodes the values of a waiting owner. Values with a context that is still not there keep
  /// waiting.
  private func decodeLateValues(of owner: WaitingOwner) {
    guard let responder = owner.livingResponder, stillWaits(owner) else { return }
    guard let values = owner.record.values else { return }
    let outer = crashGuard.enter(place(of: owner.record))
    defer { crashGuard.leave(to: outer) }
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
          owner.record.kept.append(WaitingValue(value.key, before: value.bytes(scope)))
        }
      } catch {
        note(error, key: value.key, of: responder)
      }
    }
    owner.values = late
    guard late.isEmpty, isReady(owner.needs, at: responder), stillWaits(owner) else { return }
    waiting[ObjectIdentifier(owner.record)] = nil
    owner.progress = .decoded
    noteUnsaved()
    report.replace(owner.line, .restored, owner.earlierReason)
  }
}
