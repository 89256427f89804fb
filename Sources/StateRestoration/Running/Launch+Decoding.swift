import ResponderChain

extension Launch {
  /// Decodes all records that have a responder or object in the tree.
  func decode() {
    // Values may refer to new objects that the parts bring.
    applyParts()
    Prefetch(session).fetch(
      nodes.indices.compactMap { index in
        let needs = nodes[index].header.contexts
        guard owners[index].isAlive, !needs.isEmpty,
          let responder = owners[index].responder ?? owners[above(index)].responder
        else { return nil }
        return ReferringRecord(
          record: nodes[index].record, responder: responder, object: owners[index].object,
          needs: needs)
      })
    for index in nodes.indices where isStillAlive(index) && !isDeclined(index) {
      enter(index)
      if let added = owners[index].object, let parent = owners[above(index)].responder {
        owners[index].isFinishing = true
        decode(added.object, index, at: parent, added)
        continue
      }
      guard let responder = owners[index].responder, let mark = responder.mark else { continue }
      // If the responder is still below its restored parent, it is in the tree, too. No walk is
      // needed.
      guard
        responder === application || index == 0
          || responder.nextResponder === owners[above(index)].responder
          || responder.application === application
      else {
        stop(index, .dropped, "It was removed while others were linked.")
        continue
      }
      mark.isDecoded = true
      let facts = session.kinds.facts(of: responder)
      owners[index].isFinishing = facts.isFinishing
      if !owners[index].isNew {
        for property in responder.properties { property.forget() }
      }
      decode(facts.restoring?(responder), index, at: responder)
    }
    countLaunches()
  }

  /// Reads the restored properties that are followed, so that their followers hear of the values.
  func readFollowedProperties() {
    for owner in owners where owner.isAlive && owner.object == nil {
      owner.responder?.readFollowedProperties()
    }
  }

  /// Applies the parts of all records.
  private func applyParts() {
    var owned: [WaitingOwner] = []
    for index in nodes.indices where !nodes[index].header.parts.isEmpty {
      guard isStillAlive(index), !isDeclined(index), let responder = owners[index].responder else {
        continue
      }
      nodes[index].record.parts = nodes[index].header.parts
      owned.append(WaitingOwner(responder, nil, nodes[index].record, [], []))
    }
    session.applyParts(of: owned)
  }

  /// Decodes one record: calls the decoding method of its responder or object, and notes the values
  /// that wait for a context.
  private func decode(
    _ object: (any StateRestoring)?, _ index: Int, at responder: Responder,
    _ added: AddedObject? = nil
  ) {
    let record = nodes[index].record
    // If there is no reader, the plan has reported the record as damaged.
    guard record.reader != nil else { return }
    guard let values = record.values else {
      return session.report.set(record.line, .damaged, "Its values are damaged.")
    }
    session.report.set(record.line, .restored)
    var late: [WaitingValue] = []
    if let object {
      late = decode(object, values, index, at: responder, added)
    }
    let needs = nodes[index].header.contexts
    guard !late.isEmpty || !session.contexts.areFound(needs, at: responder) else { return }
    session.waits.add(WaitingOwner(responder, added, record, needs, late), session)
  }

  /// Calls the decoding method of a responder or object. Returns the values that wait.
  private func decode(
    _ object: any StateRestoring, _ values: RecordValues, _ index: Int, at responder: Responder,
    _ added: AddedObject?
  ) -> [WaitingValue] {
    let (record, contexts) = (nodes[index].record, session.contexts)
    contexts.forgetNotes()
    let decoder = StateDecoder(
      values, ValueScope(responder, contexts),
      version: nodes[index].header.version)
    do {
      try object.decodeRestorableState(with: decoder)
    } catch {
      session.report.set(record.line, .restored, "Not all of it was read: \(error)")
      session.report.add(
        problem: "\(session.name(of: responder, added)) was not wholly decoded: \(error)")
    }
    for (key, reasons) in decoder.missing {
      session.note(missing: reasons, key: key, of: responder, added)
    }
    (record.used, record.kept) = (decoder.used, decoder.kept)
    return decoder.waiting
  }

  /// Counts this launch for the carried records, and removes the records that were kept for too
  /// long.
  private func countLaunches() {
    let hasRestored = owners.indices.dropFirst().contains { owners[$0].isAlive }
    for index in nodes.indices where owners[index].outcome?.isKept == true {
      if index == 0 { continue }
      let outcome = owners[above(index)].outcome
      if outcome?.isKept == false, outcome != .restored {
        stop(index, .dropped, nil)
      } else if outcome == .restored || nodes[index].isLeftOut {
        count(index, hasRestored)
      }
    }
  }

  /// Counts this launch for a carried record.
  private func count(_ index: Int, _ hasRestored: Bool) {
    let node = nodes[index]
    guard var carry = node.record.carry else { return }
    carry.count(from: node.header.carry, hasRestored && !node.isLeftOut, session.settings)
    let length = carry.excess(hasRestored, session.settings)
    // A launch that does not want the record removes nothing.
    let isWanted = session.extent == .all && !node.isLeftOut
    if isWanted { carry.isExpiring = length != nil }
    node.record.carry = carry
    guard let length, isWanted else { return }
    if node.header.carry?.isExpiring == true {
      return stop(index, .dropped, "Nothing has restored it in \(length).")
    }
    session.report.note(
      "\(pathLine(index)) will be removed by the next launch, because nothing has restored it in "
        + "\(length).")
  }

  /// Returns the responders and objects whose `didFinishRestoring()` can now be called. For those
  /// that wait, it is called when their wait ends.
  func takeFinishedOwners() -> [(owner: AnyObject?, record: Record)] {
    nodes.indices.compactMap { index in
      let (owner, record) = (owners[index], nodes[index].record)
      guard owner.isFinishing, owner.isAlive, !isDeclined(index) else { return nil }
      if let wait = session.waits[record] {
        wait.isToldByLaunch = false
        return nil
      }
      return (owner.object?.object ?? owner.responder, record)
    }
  }
}

extension Carry {
  /// Counts a launch that keeps a record. The first such launch always counts. A later one counts
  /// only if it has restored something, and wants the record.
  fileprivate mutating func count(from archived: Carry?, _ counts: Bool, _ settings: Settings) {
    launches = max((archived?.launches ?? 0) + (counts ? 1 : 0), 1)
    (since, isExpiring) = (archived?.since ?? settings.clock(), archived?.isExpiring ?? false)
  }

  /// Returns how long the record was kept, as words, if that is too long; nil otherwise. Such a record
  /// is reported by one launch, and removed by the next. So a clock that was wrong once removes
  /// nothing.
  fileprivate func excess(_ hasRestored: Bool, _ settings: Settings) -> String? {
    let seconds = max(0, settings.clock() - since)
    let days = Int(seconds / 86_400)
    guard
      hasRestored && launches >= settings.limits.carriedLaunches
        || seconds >= settings.limits.carriedDays * 86_400
    else { return nil }
    return "\(launches) \(launches == 1 ? "launch" : "launches") and \(days) "
      + "\(days == 1 ? "day" : "days")"
  }
}
