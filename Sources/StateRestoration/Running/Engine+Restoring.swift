import LineageFiles
import ResponderChain

extension Engine {
  /// Restores an archive into an application. Without an archive, all earlier records are
  /// forgotten.
  func restore(_ archive: StateArchive?, into application: Application) {
    precondition(
      !isRestoring, "\(application.path) was asked to restore an archive while it restores another."
    )
    isRestoring = true
    defer { isRestoring = false }
    report = RestorationReport()
    forgetRecords()
    replaceLog(
      with: archive.map { ArchiveLog.open($0, limits: limits) } ?? ArchiveLog(generation: 0))
    report.archive = log.findings
    if log.findings.damaged > 0 {
      report.add(
        problem: log.findings.damaged == 1
          ? "One item of the archive is damaged."
          : "\(log.findings.damaged) items of the archive are damaged.")
    }
    if let problem = log.findings.problem { report.add(problem: "\(problem)") }
    used = UsedTable(count: log.records.count)
    guard let mark = application.mark else { return }
    mark.bind(to: self, record: 0)
    mark.isDecoded = true
    mark.isKept = false
    extent = .all
    guard !log.records.isEmpty else { return end() }
    let reason: RestorationInfo.Reason = application.phase == .new ? .launch : .running
    extent = ask?(RestorationInfo(reason: reason, archive: log.findings)) ?? .all
    mark.isDecoded = extent != .nothing
    mark.isKept = extent == .nothing
    var plan = plan(from: 0, extent: extent)
    migrate(&plan)
    isRestoring = false
    guard !plan.nodes.isEmpty else { return end() }
    execute(RestorationRun(self, application, plan, application), application, isLaunch: true)
    end()
  }

  /// Forgets all records of earlier archives. Their owners have none until a restoration or save
  /// gives them new ones.
  func forgetRecords() {
    beginEra()
    for mark in changed {
      mark.isChanged = false
      mark.isOwnedChanged = false
    }
    for mark in changedObjects { mark.isChanged = false }
    waiting = [:]
    witnesses = []
    carried = CarriedRecords()
    carries = [:]
    changed = []
    changedObjects = []
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

  /// Counts a launch for a carried record, and finds out whether the record was kept for too long.
  ///
  /// The first launch is always counted, and a later one if it has restored something, which
  /// `counts` tells. One launch reports that the next one will remove the record, and the next one
  /// removes it. So a clock that was wrong once removes nothing.
  ///
  /// - Returns: a sentence that says why the record is to be removed; nil if it is kept.
  func countLaunch(
    _ id: UInt32, _ header: RecordHeader, _ path: [String], counts: Bool
  ) -> String? {
    let now = clock()
    var carry = carries[id] ?? Carry()
    (carry.launches, carry.since) = (header.carriedLaunches, header.carriedSince)
    carry.isExpiring = header.isExpiring
    if carry.launches == 0 || carry.since > now { carry.since = now }
    if counts { carry.launches += 1 }
    let isOver =
      carry.launches >= limits.carriedLaunches
      || now - carry.since >= limits.carriedDays * 86_400
    let days = Int((now - carry.since) / 86_400)
    let length =
      "\(carry.launches) \(carry.launches == 1 ? "launch" : "launches") and \(days) "
      + "\(days == 1 ? "day" : "days")"
    if isOver, carry.isExpiring { return "Nothing has restored it in \(length)." }
    carry.isExpiring = isOver
    if isOver {
      report.note(
        "\(path.joined(separator: " › ")) will be removed by the next launch, because nothing has "
          + "restored it in \(length).")
    }
    carry.launches = max(carry.launches, 1)
    carries[id] = carry
    return nil
  }

  /// Decodes one record. The owner's method is called, and the values that wait are noted.
  func decode(
    _ object: (any StateRestoring)?, _ plan: RestorationPlan, _ index: Int,
    at responder: Responder, _ added: AddedObject? = nil
  ) {
    let (id, line) = (plan.nodes[index].id, plan.nodes[index].reportIndex)
    // If there is no reader, the plan has reported the record as damaged.
    guard let record = log.reader(of: id) else { return }
    guard let values = try? RecordValues(record) else {
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
      used[id] = decoder.used
      late = decoder.waiting
      if contexts.hasReadPaths {
        contexts.hasReadPaths = false
        if let mark = responder.mark, object === responder { notePaths(in: responder, mark) }
      }
    }
    let needs = plan.nodes[index].header.needs
    guard !late.isEmpty || !isReady(needs, at: responder) else { return }
    wait(WaitingOwner(responder, added, id, needs, late, line))
  }

  /// Notes whether the list of the records below a responder has changed.
  ///
  /// When responders are linked, a change is noted, even if the list is that of the archive
  /// afterwards. For responders that were there before, and for removed records, none is noted. So
  /// the lists are compared here.
  func checkOwned(of responder: Responder, _ mark: Mark) {
    guard mark.isBound(to: self) else { return }
    guard let ids = try? log.childIDs(of: mark.record) else {
      return mark.ownedDidChange(of: responder)
    }
    let added = objects.below(responder)
    if ids.isEmpty, responder.ownedCount == 0, added.isEmpty {
      mark.isOwnedChanged = false
      return
    }
    let kept = carried[mark.record]
    let archived = kept.isEmpty ? ids : ids.filter { !kept.contains($0) }
    var present: [UInt32] = []
    present.reserveCapacity(archived.count)
    responder.forEachOwned { child, _ in
      guard let childMark = child.mark else { return }
      present.append(childMark.isBound(to: self) ? childMark.record : .max)
    }
    for added in added {
      present.append(added.mark.isBound(to: self) ? added.mark.record : .max)
    }
    if present == archived, !kept.contains(where: { carries[$0]?.isChanged == true }) {
      mark.isOwnedChanged = false
    } else if !mark.isOwnedChanged {
      mark.ownedDidChange(of: responder)
    }
  }

  /// Returns whether a restored responder has another kind or other slots than its record.
  func differs(
    _ responder: Responder, _ mark: Mark, from plan: RestorationPlan, _ index: Int
  ) -> Bool {
    if !(mark is RootMark) {
      let kind = kind(of: responder, mark)
      if kind != plan.nodes[index].kind { return true }
      if kind == 0, head(of: mark, 0).name != plan.nodes[index].header.kind { return true }
    }
    // The values of slots are not compared, because code sets them, perhaps later.
    let slots = archivedSlots(of: responder)
    if slots.isEmpty, plan.nodes[index].header.slots.isEmpty { return false }
    return slots.filter { $0.code != .value }
      != plan.nodes[index].header.slots.filter { $0.code != .value }
  }

  /// Removes those marks from `changed` that have not changed after all. Only the marks from an
  /// index on are checked.
  func forgetUnchanged(from start: Int) {
    let changes = changed[min(start, changed.count)...].filter { $0.isChanged || $0.isOwnedChanged }
    changed.replaceSubrange(min(start, changed.count)..., with: changes)
  }
}
