import LineageFiles
import ResponderChain

extension Engine {
  /// Binds the restoration to its application.
  func bind(_ application: Application) {
    precondition(
      self.application == nil || self.application === application,
      "A Restoration belongs to one application; make another one for \(application.path).")
    bindRoot(application)
  }

  /// Restores an archive.
  func restore(_ archive: StateArchive?, into application: Application) {
    report = RestorationReport()
    forgetRecords()
    replaceLog(
      with: archive.map { ArchiveLog.open($0, limits: limits) } ?? ArchiveLog(generation: 0))
    report.archive = log.findings
    if log.findings.damaged > 0 {
      report.add(problem: "\(log.findings.damaged) items of the archive are damaged.")
    }
    if let problem = log.findings.problem { report.add(problem: "\(problem)") }
    used = UsedTable(count: log.records.count)
    guard let mark = application.mark else { return }
    mark.bind(to: self, record: 0)
    mark.isDecoded = true
    guard log.reader(of: 0) != nil else { return end() }
    let reason: RestorationInfo.Reason = application.phase == .new ? .launch : .running
    // A save by the closures that are called here would replace the archive before it was read.
    isRestoring = true
    let extent = ask?(RestorationInfo(reason: reason, archive: log.findings)) ?? .all
    mark.isDecoded = extent != .nothing
    var plan = plan(from: 0, extent: extent)
    migrate(&plan)
    isRestoring = false
    guard !plan.nodes.isEmpty else { return end() }
    RestorationRun(self, application, plan)
      .run(into: application, mark: mark, isWanted: extent != .nothing)
    end()
  }

  /// Forgets the records of an earlier archive. Their owners are bound anew.
  func forgetRecords() {
    beginEra()
    for mark in changed {
      mark.isChanged = false
      mark.isOwnedChanged = false
    }
    waiting = [:]
    carried = [:]
    carries = [:]
    changed = []
    referring = []
    prefetched = []
    missingReferences = [:]
  }

  private func end() {
    onReport?(report)
  }

  /// Returns whether a record's bytes can be read.
  func isReadable(_ id: UInt32) -> Bool {
    log.reader(of: id).flatMap { try? RecordHeader($0) } != nil
  }

  /// Keeps a record for a later launch, or tells that it has been kept for too long.
  ///
  /// A record is removed by the launch after the one that has reported it. So a clock that was
  /// wrong once removes nothing.
  ///
  /// - Returns: false if the record is to be removed.
  func carry(_ id: UInt32, _ header: RecordHeader, _ path: [String], counts: Bool) -> Bool {
    let now = clock()
    var carry = Carry(
      launches: header.carriedLaunches, since: header.carriedSince, isExpiring: header.isExpiring)
    if carry.launches == 0 || carry.since > now { carry.since = now }
    if counts { carry.launches += 1 }
    let isOver =
      carry.launches >= limits.carriedLaunches
      || now - carry.since >= limits.carriedDays * 86_400
    if isOver, carry.isExpiring { return false }
    carry.isExpiring = isOver
    if isOver {
      report.note(
        "\(path.joined(separator: " › ")) will be removed by the next launch, because nothing has "
          + "restored it for so long.")
    }
    carry.launches = max(carry.launches, 1)
    carries[id] = carry
    return true
  }

  /// Decodes one record: calls the owner's method, and notes what has to wait.
  func decode(
    _ object: (any StateRestoring)?, _ node: borrowing RestorationPlan.Node,
    at responder: Responder
  ) {
    decode(
      object, node.id, version: node.header.version, needs: node.header.needs, at: responder,
      node.reportIndex)
  }

  /// Decodes one record, of which only some of the header is needed.
  func decode(
    _ object: (any StateRestoring)?, _ id: UInt32, version: Int, needs: [String],
    at responder: Responder, _ reportIndex: Int
  ) {
    guard let record = log.reader(of: id), let values = try? RecordValues(record) else {
      return report.set(reportIndex, .damaged, "Its values are damaged.")
    }
    report.set(reportIndex, .restored)
    var late: [WaitingValue] = []
    if let object {
      let decoder = StateDecoder(values, scope(of: responder), version: version)
      do {
        try object.decodeRestorableState(with: decoder)
      } catch {
        report.set(reportIndex, .restored, "Not all of it was read: \(error)")
        report.add(problem: "\(responder.restorationPath) was not wholly decoded: \(error)")
      }
      used[id] = decoder.used
      late = decoder.waiting
      if contexts.hasReadPaths {
        contexts.hasReadPaths = false
        if let mark = responder.mark, object === responder { notePaths(in: responder, mark) }
      }
    }
    let missing = needs.filter { name in
      guard let context = contexts.registrations[name] else { return false }
      if case .value = context.inherited(at: responder) { return false }
      return true
    }
    guard !missing.isEmpty else { return }
    wait(id, responder, needs, late, reportIndex)
  }

  /// Removes the note that responders below another have changed, if they are those of the archive.
  ///
  /// Linking them has caused the note. Code of the app may have linked others meanwhile.
  func checkOwned(of responder: Responder, _ mark: Mark) {
    guard mark.isOwnedChanged else { return }
    let kept = Set(carried[mark.record] ?? [])
    let archived = ((try? log.childIDs(of: mark.record)) ?? []).filter { !kept.contains($0) }
    var present: [UInt32] = []
    responder.forEachOwned { child, _ in
      guard let childMark = child.mark else { return }
      present.append(childMark.isBound(to: self) ? childMark.record : .max)
    }
    for added in objects where added.parent === responder {
      present.append(added.mark.isBound(to: self) ? added.mark.record : .max)
    }
    guard present == archived else { return }
    mark.isOwnedChanged = false
  }

  /// Forgets the marks that have not changed after all.
  func forgetUnchanged() { changed.removeAll { !$0.isChanged && !$0.isOwnedChanged } }
}
