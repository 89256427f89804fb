import ResponderChain

/// The responders and added objects of one restoration whose values wait for contexts.
final class Waits {
  /// The waiting owners, stored under their records.
  ///
  /// Exclusivity is unchecked for speed (`save` and `restore`): no access runs code of an app.
  @exclusivity(unchecked) @safe private var owners: [ObjectIdentifier: WaitingOwner] = [:]
  /// The owners with parts that wait for another context than the one that is there. They count as
  /// restored.
  private var partOwners: [ObjectIdentifier: WaitingOwner] = [:]
  /// Whether the report says that an owner in the tree waits.
  private var areReported = false
  /// The sentence that was reported last, and its contexts. Most owners wait for the same contexts.
  private var reason: (needs: [String], text: String)?
  /// Whether a check of the waiting owners is due in the running round.
  private var isCheckDue = false

  var isEmpty: Bool { owners.isEmpty }

  /// All waiting owners, in no order.
  var all: some Collection<WaitingOwner> { owners.values }

  /// The waiting owner of a record; nil if none of its values waits.
  subscript(record: Record) -> WaitingOwner? { owners[ObjectIdentifier(record)] }

  /// Forgets the values and parts of a record that wait.
  func forget(_ record: Record) {
    remove(record)
    partOwners[ObjectIdentifier(record)] = nil
  }

  /// Forgets the values of a record that wait.
  private func remove(_ record: Record) { owners[ObjectIdentifier(record)] = nil }

  /// Forgets all values and parts that wait.
  func removeAll() { (owners, partOwners, areReported) = ([:], [:], false) }

  /// Lets later checks try again to apply the parts of an owner. Returns whether this is new.
  func addPart(of owner: WaitingOwner) -> Bool {
    partOwners.updateValue(owner, forKey: ObjectIdentifier(owner.record)) == nil
  }

  /// Applies the parts that have waited for another context, if they find it now.
  func applyLateParts(_ session: Session) {
    guard !partOwners.isEmpty else { return }
    partOwners = partOwners.filter { $1.livingResponder != nil && $1.record.hasWaitingPart }
    let here = partOwners.values.filter { $0.isInTree(of: session.application) }
    session.applyParts(of: here.sorted { $0.record.line < $1.record.line })
  }

  /// Returns whether a check of the waiting owners must be made due; false if there is nothing to
  /// check, or if it is due already.
  func beginCheck() -> Bool {
    guard !owners.isEmpty || !partOwners.isEmpty, !isCheckDue else { return false }
    isCheckDue = true
    return true
  }

  /// Adds an owner. If all contexts that it needs were provided while its record was decoded,
  /// decodes the values at once.
  func add(_ owner: WaitingOwner, _ session: Session) {
    guard let responder = owner.responder else { return }
    owners[ObjectIdentifier(owner.record)] = owner
    owner.earlierReason = session.report.reason(owner.record.line)
    if session.contexts.areFound(owner.needs, at: responder) {
      session.applyParts(of: [owner])
      decodeValues(of: owner, session)
    }
    if stillWaits(owner) { report(owner, .waiting, session) }
  }

  /// Sets the outcome in the report: whether an owner waits, was removed from the tree, or is restored.
  private func report(
    _ owner: WaitingOwner, _ outcome: RestorationReport.Outcome, _ session: Session
  ) {
    let earlier = owner.outcome
    owner.outcome = outcome
    // If values did not have to wait after all, the report says nothing of it.
    if earlier == outcome || earlier == nil && outcome == .restored { return }
    session.report.replace(owner.record.line, outcome, owner.earlierReason)
    if outcome == .dropped {
      let text = "Its responder was removed while its values waited."
      return session.report.set(owner.record.line, outcome, text)
    }
    areReported = true
    guard outcome == .waiting else { return }
    if reason?.needs != owner.needs {
      let names = owner.needs.joined(separator: ", ")
      reason = (owner.needs, "Values wait for \(names).")
    }
    session.report.set(owner.record.line, outcome, reason?.text)
  }

  /// Decodes the values of all owners that find their contexts now, and returns these owners. They
  /// have the order of the archive. Other values keep waiting.
  func decodeReady(_ session: Session) -> [WaitingOwner] {
    isCheckDue = false
    applyLateParts(session)
    // The lines of the report have the order of the archive.
    let ready = owners.values.filter { isReady($0, session) }
      .sorted { $0.record.line < $1.record.line }
    guard !ready.isEmpty else { return [] }
    session.guarding.page.check()
    session.guarding.origins.followRound()
    session.applyParts(of: ready.filter { $0.object == nil && stillWaits($0) })
    Prefetch(session).fetch(
      ready.compactMap { owner in
        owner.responder.map {
          ReferringRecord(
            record: owner.record, responder: $0, object: owner.object, needs: owner.needs)
        }
      })
    for owner in ready { decodeValues(of: owner, session) }
    return ready
  }

  /// Brings the report up to date. Returns true when no owner in the tree waits any more, though the
  /// report has said so.
  ///
  /// - Complexity: O(*n* · *depth*) for *n* waiting owners.
  func endReport(_ session: Session) -> Bool {
    let wereReported = areReported
    var isWaiting = false
    for owner in owners.values {
      let isHere = owner.isInTree(of: session.application)
      isWaiting = isWaiting || isHere
      report(owner, isHere ? .waiting : .dropped, session)
      if owner.livingResponder == nil { remove(owner.record) }
    }
    areReported = isWaiting
    return wereReported && !isWaiting
  }
}

extension Waits {
  /// Returns whether an owner is in the tree and finds all contexts that it needs, or others than at
  /// the last check.
  private func isReady(_ owner: WaitingOwner, _ session: Session) -> Bool {
    guard let responder = owner.livingResponder else { return false }
    if session.contexts.areFound(owner.needs, at: responder) {
      return owner.isInTree(of: session.application)
    }
    let found = owner.needs.filter {
      session.contexts.registration(named: $0)?.isFound(at: responder) ?? true
    }
    defer { owner.found = found }
    guard found != owner.found, !found.isEmpty else { return false }
    let waits = !owner.values.isEmpty || owner.record.hasWaitingPart
    return waits && owner.isInTree(of: session.application)
  }

  /// Returns whether an owner still waits. Code of the app may have erased its values meanwhile.
  private func stillWaits(_ owner: WaitingOwner) -> Bool { self[owner.record] === owner }

  /// Decodes the values of a waiting owner. Values with a context that is still not there keep
  /// waiting.
  private func decodeValues(of owner: WaitingOwner, _ session: Session) {
    let record = owner.record
    guard let responder = owner.livingResponder, stillWaits(owner), let values = record.values
    else { return }
    let page = session.guarding.page
    let outer = page.enter(record.place)
    defer { page.leave(to: outer) }
    let contexts = session.contexts
    let scope = ValueScope(responder, contexts)
    var cursor = values.first
    var late: [WaitingValue] = []
    for value in owner.values {
      guard stillWaits(owner) else { return }
      contexts.forgetNotes()
      do {
        guard let entry = try values.find(value.key, from: &cursor) else { continue }
        guard try value.decode(values.reader(entry, scope), scope) else {
          late.append(value)
          continue
        }
        record.used.insert(entry.index)
        if !contexts.missing.isEmpty {
          session.note(missing: contexts.missing, key: value.key, of: responder, owner.object)
          record.kept.append(WaitingValue(value.key, before: value.bytes(scope)))
        }
      } catch {
        session.note(error, key: value.key, of: responder)
      }
    }
    owner.values = late
    guard late.isEmpty, contexts.areFound(owner.needs, at: responder), stillWaits(owner) else {
      return
    }
    remove(record)
    report(owner, .restored, session)
  }
}

extension ContextTable {
  /// Returns whether a responder finds each of the named contexts. Unregistered names are ignored.
  func areFound(_ needs: [String], at responder: Responder) -> Bool {
    needs.allSatisfy { registration(named: $0)?.isFound(at: responder) ?? true }
  }
}
