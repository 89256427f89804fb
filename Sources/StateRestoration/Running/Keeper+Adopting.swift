import ResponderChain

extension Keeper {
  /// Adds an object that is not a responder, and decodes its record if there is one.
  func add(_ object: any StateRestoring, _ identifier: String, under parent: Responder) {
    if let known = session.objects.find(object), known.parent === parent,
      known.identifier == identifier
    {
      return
    }
    let added = AddedObject(object, identifier, under: parent)
    if session.objects.insert(added) != nil {
      session.report.add(
        problem: "Two objects were added as \"\(identifier)\" under \(parent.restorationPath). "
          + "Only the state of the last one is kept.")
    }
    parent.mark?.ownedDidChange(of: parent)
    open(.object(added))
  }

  /// Restores the carried record of a responder that was attached, or of an object that was added,
  /// if there is such a record. If a restoration is running, only queues the responder or object,
  /// which then gets its record later.
  func open(_ owner: OpenedOwners.OpenedOwner) {
    if activity == .restoring { return session.opened.append(owner) }
    guard let launch = adoption(of: owner) else { return }
    execute(launch)
    session.sendReport()
    session.guarding.noteProgress(in: launch.plan.nodes.lazy.map(\.record.place), session)
  }

  /// Returns the launch for the next opened responder or object that has a carried record; nil if
  /// there is none.
  func nextAdoption() -> Launch? {
    while let owner = session.opened.popFirst() {
      if let launch = adoption(of: owner) { return launch }
    }
    return nil
  }

  /// Returns the launch that restores the carried record of a responder or object, and the records
  /// below it; nil if there is no such record, or if it must not be restored.
  private func adoption(of owner: OpenedOwners.OpenedOwner) -> Launch? {
    let (identifier, mark): (String, Mark)
    let parent: Responder?
    switch owner {
    case .responder(let responder, let own):
      guard responder.mark === own else { return nil }
      (identifier, mark, parent) = (own.identifier, own, responder.nextResponder)
    case .object(let added):
      guard added.isAlive else { return nil }
      (identifier, mark, parent) = (added.identifier, added.mark, added.parent)
    }
    let guarding = session.guarding
    guard let application = session.application, let parent, let above = parent.mark,
      let record = above.record(in: home)?.nextCarried(identifier), let header = record.header,
      mark.record(in: home) == nil
    else { return nil }
    guard session.extent == .all, above.isDecoded || guarding.isLeftOut(.application),
      !guarding.isLeftOut(record.place), fits(owner, header)
    else {
      // Another responder or object has taken the place of the carried record. So the next launch
      // makes no second responder for that place.
      record.carry = record.carry ?? Carry()
      record.carry?.isDisplaced = true
      noteUnsaved()
      return nil
    }
    let plan = session.plan(from: record, isApplication: false)
    record.state = .live
    record.carry = nil
    guard !plan.nodes.isEmpty else { return nil }
    mark.record = record
    if plan.nodes[0].kind > 0 { mark.setKind(ofFactory: plan.nodes[0].kind) }
    switch owner {
    case .responder(let responder, _): return Launch(session, application, plan, responder)
    case .object(let added): return Launch(session, application, plan, parent, added)
    }
  }

  /// Returns whether a record's role, version and kind fit a responder or object.
  private func fits(_ owner: OpenedOwners.OpenedOwner, _ header: RecordHeader) -> Bool {
    guard case .responder(let responder, _) = owner else { return header.role == .object }
    guard header.role != .object else { return false }
    guard let kind = session.kinds[session.kinds.index(of: header)] else { return true }
    return header.version <= kind.version && kind.type?.includes(responder) != false
  }
}
