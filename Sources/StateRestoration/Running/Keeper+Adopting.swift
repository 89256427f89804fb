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
    open(OpenedOwner(responder: parent, object: added, mark: added.mark))
  }

  /// Restores the carried record of a responder or object, if there is such a record. While a
  /// restoration is running, only queues it.
  func open(_ owner: OpenedOwner) {
    if activity == .restoring { return session.opened.append(owner) }
    guard let launch = adoption(of: owner) else { return }
    execute(launch)
    session.sendReport()
    session.guarding.noteProgress(in: launch.nodes.lazy.map(\.record.place), session)
  }

  /// Returns the launch for the next opened responder or object that has a carried record; nil if
  /// none.
  func nextAdoption() -> Launch? {
    while let owner = session.opened.popFirst() {
      if let launch = adoption(of: owner) { return launch }
    }
    return nil
  }

  /// Returns the launch that restores the carried record of a responder or object, and those below;
  /// nil if there is none, or if it must not be restored.
  private func adoption(of owner: OpenedOwner) -> Launch? {
    let (guarding, mark) = (session.guarding, owner.mark)
    guard owner.isAlive, mark.record(in: home) == nil, let application = session.application,
      let above = owner.parent?.mark,
      let record = above.record(in: home)?
        .nextCarried(mark.identifier, isObject: owner.object != nil),
      let header = record.header
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
    let nodes = session.plan(from: record, isApplication: false)
    record.state = .live
    record.carry = nil
    guard !nodes.isEmpty else { return nil }
    mark.record = record
    mark.isPartChanged = true
    if nodes[0].kind > 0 { mark.setKind(ofFactory: nodes[0].kind) }
    return Launch(session, application, nodes, owner.responder, owner.object)
  }

  /// Returns whether a record's version and kind fit a responder. Any record of an object fits.
  private func fits(_ owner: OpenedOwner, _ header: RecordHeader) -> Bool {
    let index = session.kinds.index(of: header)
    guard owner.object == nil, index > 0 else { return true }
    let kind = session.kinds[index]
    return header.version <= kind.version && kind.type?.includes(owner.responder) != false
  }
}
