import ResponderChain

extension Engine {
  /// Adds an object that is not a responder, and decodes its record if there is one.
  func add(_ object: any StateRestoring, _ identifier: String, under parent: Responder) {
    if let known = objects.find(object), known.parent === parent, known.identifier == identifier {
      return
    }
    let added = AddedObject(object, identifier, under: parent)
    if objects.insert(added) != nil {
      report.add(
        problem: "Two objects were added as \"\(identifier)\" under \(parent.restorationPath). "
          + "Only the state of the last one is kept.")
    }
    parent.mark?.ownedDidChange(of: parent)
    open(.object(added))
  }

  /// Notes that an added object has changed.
  func noteChange(of object: any StateRestoring) {
    objects.find(object)?.mark.noteChange()
  }

  /// Restores the carried record of a responder that was attached, or of an object that was added,
  /// if there is such a record. If a restoration is running, only queues the responder or object,
  /// which then gets its record later.
  func open(_ owner: OpenedOwners.OpenedOwner) {
    if isRestoring { return opened.append(owner) }
    guard let application, let run = adoption(of: owner) else { return }
    execute(run, application)
    sendReport()
    noteProgress(in: run.plan.nodes.lazy.map(\.record.place))
  }

  /// Executes a run, and then a run for each responder or object that code of the app opens during
  /// these runs. Each run begins after the one before has ended.
  func execute(_ first: RestorationRun, _ application: Application, isLaunch: Bool = false) {
    var runs: [RestorationRun] = []
    var next: RestorationRun? = first
    crashGuard.check()
    isRestoring = true
    executions += 1
    defer { executions -= 1 }
    repeat {
      application.batch {
        while let run = next {
          run.restore()
          runs.append(run)
          next = nextAdoption()
        }
      }
      // The observers that are called at the end of the batch may have opened more screens.
      next = nextAdoption()
    } while next != nil
    isRestoring = false
    // The tree may differ from the archive.
    noteUnsaved()
    if isLaunch, let didDecode { crashGuard.during(.decoded) { didDecode(application) } }
    // All owners are collected before the first one is told that it is restored. The code of that
    // owner may save, which gives the records other numbers.
    for owner in runs.flatMap({ $0.takeFinishedOwners() }) { tell(owner) }
    releasePrefetchedSoon()
    eraseLater()
  }

  /// Returns the run for the next opened responder or object that has a carried record; nil if
  /// there is none.
  private func nextAdoption() -> RestorationRun? {
    while let owner = opened.popFirst() {
      if let run = adoption(of: owner) { return run }
    }
    return nil
  }

  /// Returns the run that restores the carried record of a responder or object, and the records
  /// below it; nil if there is no such record, or if it must not be restored.
  private func adoption(of owner: OpenedOwners.OpenedOwner) -> RestorationRun? {
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
    guard let application, let parent, let above = parent.mark, above.isBound(to: self),
      !mark.isBound(to: self),
      let record = above.record?.nextCarried(identifier), let header = record.header
    else { return nil }
    guard extent == .all, above.isDecoded || isApplicationLeftOut,
      !isLeftOut(place(of: record)), fits(owner, header)
    else {
      // Another responder or object has taken the place of the carried record. So the next launch
      // makes no second responder for that place.
      record.carry = record.carry ?? Carry()
      record.carry?.isDisplaced = true
      noteUnsaved()
      return nil
    }
    var plan = plan(from: record, line: record.carry?.line)
    record.state = .live
    record.carry = nil
    migrate(&plan)
    guard !plan.nodes.isEmpty else { return nil }
    mark.record = record
    if plan.nodes[0].kind > 0 { mark.setKind(ofFactory: plan.nodes[0].kind) }
    switch owner {
    case .responder(let responder, _): return RestorationRun(self, application, plan, responder)
    case .object(let added): return RestorationRun(self, application, plan, parent, added)
    }
  }

  /// Returns whether a record's role, version and kind fit a responder or object.
  private func fits(_ owner: OpenedOwners.OpenedOwner, _ header: RecordHeader) -> Bool {
    guard case .responder(let responder, _) = owner else { return header.role == .object }
    guard header.role != .object else { return false }
    guard let kind = kinds[kinds.index(of: header)] else { return true }
    return header.version <= kind.version && kind.type?.includes(responder) != false
  }
}
