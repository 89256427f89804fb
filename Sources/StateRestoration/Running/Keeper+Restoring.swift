import ResponderChain

extension Keeper {
  /// Restores an archive into an application. If the archive is nil, nothing is restored, but all
  /// earlier records are forgotten.
  func restore(_ archive: StateArchive?, into application: Application) {
    let tree =
      archive.map { ArchivedTree($0, session.settings.limits) } ?? ArchivedTree(generation: 0)
    // The folder may have another archive of the same generation. The next save must be newer.
    ledger.storedGeneration = ledger.storedGeneration.map { $0 + 1 }
    restore(tree, into: application)
  }

  /// Restores an archive that was checked already. Adds the outcomes to the given report, which may
  /// have earlier findings.
  func restore(
    _ tree: ArchivedTree, into application: Application,
    _ report: RestorationReport = RestorationReport()
  ) {
    precondition(
      activity != .restoring,
      "\(application.path) was asked to restore an archive while it restores another.")
    precondition(
      activity != .saving, "\(application.path) was asked to restore an archive while it saves.")
    session.report = report
    leaveRecords()
    ledger.tree = tree
    session.report.note(tree)
    if let mark = application.mark {
      mark.restore(Record(home, id: .application))
      (mark.isDecoded, mark.isKept) = (true, false)
      if application.phase != .new { mark.isPartChanged = true }
    }
    session.extent = .all
    activity = .restoring
    let isGood = restore(application)
    activity = .none
    session.sendReport()
    if isGood { session.guarding.page.hasRestoredAll = true }
    session.guarding.noteRestored(session)
    noteUnsaved()
  }

  /// Restores the records of the present archive.
  ///
  /// - Returns: whether this is a launch that has restored all that it does not leave out.
  private func restore(_ application: Application) -> Bool {
    let isLaunch = application.phase == .new
    let guarding = session.guarding
    let crash = isLaunch ? guarding.recover(ledger.tree, session) : nil
    let greatest = isLaunch ? guarding.limits.extent : .all
    // A launch that restores nothing keeps the archives under other names. If it cannot, it is not
    // good.
    let hasKept = greatest == .nothing ? guarding.keepArchives?() : nil
    if hasKept == true { ledger.forgetArchive() }
    let isWhole = isLaunch && hasKept != false
    let tree = ledger.tree
    guard let mark = application.mark, !tree.items.isEmpty else {
      session.opened.removeAll()
      return isWhole
    }
    session.extent = wantedExtent(greatest, crash, isLaunch)
    let root = tree.records(in: home)
    let nodes = session.plan(from: root, isApplication: true, tree.items.count)
    noteReferences(in: nodes)
    mark.record = root
    mark.isDecoded = session.extent != .nothing && !guarding.isLeftOut(.application)
    mark.isKept = !mark.isDecoded
    if !nodes.isEmpty {
      execute(Launch(session, application, nodes, application), isLaunch: true)
    }
    return isWhole && session.extent == greatest
  }

  /// Notes to which responders the values of the records refer.
  private func noteReferences(in nodes: [PlanNode]) {
    for part in nodes.first?.header.parts ?? [] where part.name == FirstResponderPart.partName {
      contexts.responders[RecordID(part.bytes[...])] = ReferredResponder(nil)
    }
    for node in nodes where node.header.needs.contains("") {
      node.record.forEachReference { _, name, reference in
        if name.isEmpty { contexts.responders[RecordID(reference)] = ReferredResponder(nil) }
      }
    }
  }

  /// Returns the part of the archive to restore: the part that the application wants, or the
  /// greatest part that the crash guard allows.
  private func wantedExtent(
    _ greatest: RestorationExtent, _ crash: RestorationCrash?, _ isLaunch: Bool
  ) -> RestorationExtent {
    guard let ask = session.settings.ask, !session.guarding.isLeftOut(.asking) else {
      return greatest
    }
    let isRecovery = crash != nil || greatest != .all
    let info = RestorationInfo(
      reason: isRecovery ? .recover : isLaunch ? .launch : .running,
      archive: ledger.tree.findings, crash: crash)
    return max(greatest, session.guarding.page.during(.asking) { ask(info) })
  }

  /// Leaves the records of earlier archives. Responders and objects have no record until a restoration
  /// or save gives them a new one.
  func leaveRecords() {
    leaveHome()
    session.waits.removeAll()
    ledger.left = []
    session.prefetched = []
  }

  /// Executes a launch, and then a launch for each responder or object that code of the app opens
  /// meanwhile. Each begins after the one before has ended.
  func execute(_ first: Launch, isLaunch: Bool = false) {
    let application = first.application
    var launches: [Launch] = []
    var next: Launch? = first
    session.guarding.page.check()
    activity = .restoring
    executions += 1
    defer { executions -= 1 }
    repeat {
      application.batch {
        let count = launches.count
        while let launch = next {
          launch.restore()
          launches.append(launch)
          next = nextAdoption()
        }
        launches[count...].forEach { $0.readFollowedProperties() }
      }
      // The observers that are called at the end of the batch may have opened more screens.
      next = nextAdoption()
    } while next != nil
    // The first responder may have come back late.
    session.waits.applyLateParts(session)
    activity = .none
    // The tree may differ from the archive.
    noteUnsaved()
    if isLaunch, let didDecode = session.settings.didDecode {
      session.guarding.page.during(.decoded) { didDecode(application) }
    }
    // All owners are collected before the first one is told that it is restored. The code of that
    // owner may save, which gives the records other places.
    for (owner, record) in launches.flatMap({ $0.takeFinishedOwners() }) {
      session.finish(owner, record)
    }
    releasePrefetchedSoon()
    eraseLater()
  }
}

extension Session {
  /// Returns a plan for a record and all records below it, with migrated values. If the record is not
  /// the application's, its responder or object exists already. `count` is the number of records, if
  /// that is known.
  ///
  /// - Complexity: O(*n*) for *n* records in the plan.
  func plan(from root: Record, isApplication: Bool, _ count: Int = 0) -> [PlanNode] {
    var planner = Planner(
      kinds, guarding.limits, depthLimit: settings.limits.depth,
      wantsAll: extent == .all, report)
    // The planner has the only copy of the report, which is therefore not copied when it grows.
    report = RestorationReport()
    planner.makePlan(from: root, isApplication: isApplication, count: count)
    report = planner.report
    var nodes = planner.nodes
    Migration(session: self).migrate(&nodes)
    return nodes
  }
}

extension RestorationReport {
  /// Adds the findings about an archive.
  fileprivate mutating func note(_ tree: ArchivedTree) {
    archive = tree.findings
    if let fault = archive.fault { add(problem: "\(fault)") }
    guard archive.damaged > 0 else { return }
    add(problem: "Damaged records of the archive: \(archive.damaged).")
    let lost = archive.records - tree.reachableCount
    if lost > 0 { add(problem: "Records below damaged ones, which are not restored: \(lost).") }
  }
}
