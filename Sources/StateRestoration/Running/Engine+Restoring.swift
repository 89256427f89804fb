import LineageFiles
import ResponderChain

extension Engine {
  /// Returns a plan for a carried record and all records below it. The responder or object of the
  /// first record exists already.
  ///
  /// If the first record has a line in the report already, `line` is the index of that line. The
  /// records below then have lines, too.
  ///
  /// - Complexity: O(*n*) for *n* records in the plan.
  func plan(
    from root: Record, line: Int?
  ) -> RestorationPlan {
    makePlan(extent: .all) { $0.makePlan(from: root, isApplication: false, line: line) }
  }

  /// Returns a plan for the whole archive.
  ///
  /// - Complexity: O(*n*) for *n* records.
  func plan(extent: Restoration.Extent) -> RestorationPlan {
    let root = log.records(in: home)
    root.place = .application
    arePlacesKnown = true
    return makePlan(extent: extent) {
      $0.makePlan(from: root, isApplication: true, line: nil, room: log.items.count)
    }
  }

  private func makePlan(
    extent: Restoration.Extent, _ body: (inout Planner) -> Void
  ) -> RestorationPlan {
    var planner = Planner(
      kinds, launchLimits ?? LaunchLimits(), depthLimit: limits.depth, wantsAll: extent == .all,
      report)
    // The planner has the only copy of the report, which is therefore not copied when it grows.
    report = RestorationReport()
    body(&planner)
    report = planner.report
    return planner.plan
  }

  /// Restores an archive into an application. If the archive is nil, nothing is restored, but all
  /// earlier records are forgotten.
  func restore(_ archive: StateArchive?, into application: Application) {
    let log = archive.map { ArchivedTree($0, limits) } ?? ArchivedTree(generation: 0)
    // The storage may have a longer archive of the same generation. The next save must be newer
    // than that archive and this one.
    if follower != nil { storedGeneration = max(storedGeneration, log.generation + 1) }
    restore(log, into: application)
  }

  /// Restores an archive that was checked already. Adds the outcomes to the given report, which may
  /// have earlier findings.
  func restore(
    _ archive: ArchivedTree, into application: Application,
    _ report: RestorationReport = RestorationReport()
  ) {
    precondition(
      !isRestoring, "\(application.path) was asked to restore an archive while it restores another."
    )
    precondition(!isSaving, "\(application.path) was asked to restore an archive while it saves.")
    isRestoring = true
    defer { isRestoring = false }
    if follower != nil { storedGeneration = max(storedGeneration, log.generation) }
    self.report = report
    forgetRecords()
    log = archive
    restoreLog(into: application)
    noteUnsaved()
  }

  /// Restores the records of the present archive.
  private func restoreLog(into application: Application) {
    report.archive = log.findings
    if log.findings.damaged > 0 {
      report.add(
        problem: log.findings.damaged == 1
          ? "One record of the archive is damaged."
          : "\(log.findings.damaged) records of the archive are damaged.")
      let lost = log.findings.records - log.reachableCount
      if lost > 0 {
        report.add(
          problem: lost == 1
            ? "One record below a damaged one is not restored."
            : "\(lost) records below damaged ones are not restored.")
      }
    }
    if let problem = log.findings.fault { report.add(problem: "\(problem)") }
    guard let mark = application.mark else { return }
    mark.record = Record(home)
    mark.isDecoded = true
    mark.isKept = false
    extent = .all
    let launch = application.phase == .new ? recover() : nil
    var isGood = launch?.canBeGood ?? false
    guard !log.items.isEmpty else {
      isRestoring = false
      opened = OpenedOwners()
      return end(isGood)
    }
    extent = wantedExtent(launch?.limits)
    if extent != launch?.limits.greatest { isGood = false }
    var plan = plan(extent: extent)
    mark.record = plan.nodes.first?.record
    isApplicationLeftOut = plan.nodes.first?.isLeftOut == true
    mark.isDecoded = extent != .nothing && !isApplicationLeftOut
    mark.isKept = !mark.isDecoded
    migrate(&plan)
    isRestoring = false
    guard !plan.nodes.isEmpty else { return end(isGood) }
    execute(RestorationRun(self, application, plan, application), application, isLaunch: true)
    end(isGood)
  }

  /// Forgets all records of earlier archives. Responders and objects have no record until a
  /// restoration or save gives them a new one.
  func forgetRecords() {
    forgetHome()
    (waiting, hasWaits) = ([:], false)
    left = []
    prefetched = []
    isApplicationLeftOut = false
  }

  /// Ends a restoration. `isGood` is true if it was a launch that has restored all that it does not
  /// leave out.
  private func end(_ isGood: Bool) {
    sendReport()
    if isGood { hasRestoredAll = true }
    noteRestored()
  }

  /// Counts this launch for a carried record, and decides whether the record is to be removed.
  ///
  /// The first launch that keeps a record always counts. A later launch counts only if `counts` is
  /// true, which means that it has restored something. A record that was kept for too long is
  /// reported by one launch, and removed by the next. So a clock that was wrong once removes
  /// nothing. A launch that does not want the record removes nothing either.
  ///
  /// - Returns: a sentence that says why the record is to be removed; nil if it is kept.
  func countLaunch(
    _ record: Record, _ header: RecordHeader, _ path: @autoclosure () -> String, counts: Bool
  ) -> String? {
    let now = clock()
    var carry = record.carry ?? Carry()
    (carry.launches, carry.since) = (header.extras.carriedLaunches, header.extras.carriedSince)
    carry.isExpiring = header.extras.isExpiring
    if carry.launches == 0 { carry.since = now }
    if counts { carry.launches += 1 }
    guard extent == .all else {
      carry.launches = max(carry.launches, 1)
      record.carry = carry
      return nil
    }
    let seconds = max(0, now - carry.since)
    let isOver =
      counts && carry.launches >= limits.carriedLaunches
      || seconds >= limits.carriedDays * 86_400
    let days = Int(seconds / 86_400)
    let length =
      "\(carry.launches) \(carry.launches == 1 ? "launch" : "launches") and \(days) "
      + "\(days == 1 ? "day" : "days")"
    if isOver, carry.isExpiring { return "Nothing has restored it in \(length)." }
    carry.isExpiring = isOver
    if isOver {
      report.note(
        "\(path()) will be removed by the next launch, because nothing has "
          + "restored it in \(length).")
    }
    carry.launches = max(carry.launches, 1)
    record.carry = carry
    return nil
  }

  /// Decodes one record: calls the decoding method of its responder or object, and notes the values
  /// that wait for a context.
  func decode(
    _ object: (any StateRestoring)?, _ plan: RestorationPlan, _ index: Int,
    at responder: Responder, _ added: AddedObject? = nil
  ) {
    let (record, line) = (plan.nodes[index].record, plan.nodes[index].reportIndex)
    // If there is no reader, the plan has reported the record as damaged.
    guard record.reader != nil else { return }
    guard let values = record.values else {
      return report.set(line, .damaged, "Its values are damaged.")
    }
    report.set(line, .restored)
    var late: [WaitingValue] = []
    if let object {
      contexts.forgetMissing()
      let scope = ValueScope(responder, contexts)
      let decoder = StateDecoder(values, scope, version: plan.nodes[index].header.version)
      do {
        try object.decodeRestorableState(with: decoder)
      } catch {
        report.set(line, .restored, "Not all of it was read: \(error)")
        let name = added.map { "\($0.identifier) under " } ?? ""
        report.add(
          problem: "\(name)\(responder.restorationPath) was not wholly decoded: \(error)")
      }
      for (key, reasons) in decoder.missing {
        note(missing: reasons, key: key, of: responder, added)
      }
      (record.used, record.kept) = (decoder.used, decoder.kept)
      late = decoder.waiting
      if contexts.hasReadPaths {
        contexts.hasReadPaths = false
        if object === responder { responder.mark?.hasPaths = true }
      }
    }
    let needs = plan.nodes[index].header.extras.needs
    guard !late.isEmpty || !isReady(needs, at: responder) else { return }
    wait(WaitingOwner(responder, added, record, needs, late, line))
  }
}
