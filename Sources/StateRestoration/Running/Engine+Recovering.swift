import LineageFiles
import ResponderChain

extension Engine {
  /// Starts the crash guard at the launch, and puts the records in which the last launches have
  /// crashed into quarantine. No code of the app runs.
  ///
  /// - Returns: the state that the launch leaves out; nil if an earlier restoration of this process
  ///   has started the guard.
  func recover() -> Recovery? {
    culprits = []
    guard !crashGuard.hasBegun else { return nil }
    let recovery = crashGuard.begin(
      log, version: appVersion, awaitsConfirmation: awaitsConfirmation,
      retriesQuarantined: retriesQuarantined)
    if let problem = crashGuard.problem {
      report.add(problem: "The crash guard is off: \(problem)")
    }
    if let crash = recovery.crash { report.add(problem: "\(crash)") }
    switch recovery.policy.step {
    case .all, .withoutCulprit, .withoutCulprits: break
    case .minimum:
      report.add(
        problem: "Only the application's own record is restored, after several crashes.")
    case .nothing:
      report.add(problem: "Nothing is restored, after several crashes.")
      // Without an archive, the next launches restore what this launch saves.
      if let setArchiveAside {
        if setArchiveAside() {
          crashGuard.forgetCulprits()
          log = ArchiveLog(generation: log.generation)
        } else {
          crashGuard.keepStep()
        }
        return recovery
      }
    }
    culprits = Set(recovery.culprits.map(\.id))
    quarantine(recovery.culprits)
    return recovery
  }

  /// Puts records into quarantine. The header of each record gets the version of the app that has
  /// crashed in it. Then the archive is written to the disk.
  private func quarantine(_ records: [(id: UInt32, version: String)]) {
    guard !records.isEmpty else { return }
    let encoder = StateEncoder(
      ArchiveWriter(appendingTo: log.generation, after: log.itemCount), limits, contexts)
    var written: [(id: UInt32, range: Range<Int>)] = []
    for (id, version) in records {
      guard let record = log.reader(of: id), var header = try? RecordHeader(record) else {
        continue
      }
      if header.extras.carriedLaunches == 0 { header.extras.carriedSince = clock() }
      header.extras.quarantine = version
      encoder.record.items.beginItem()
      encoder.record.items.values.bytes.append(varint: UInt64(id))
      RecordValues.copyAll(of: record, to: &encoder.record.items.values)
      header.write(to: &encoder.record.items.values, needs: header.extras.needs)
      written.append((id, encoder.record.items.endItem(.record)))
    }
    guard !written.isEmpty else { return }
    encoder.record.items.commit()
    log.append(
      encoder.record.items.values.bytes.bytes(from: 0), itemCount: encoder.record.items.index,
      written)
    // The guard's page names the crashed records until the archive is on the disk.
    if writeAtOnce?(log.archive) == true { crashGuard.forgetCulprits() }
  }

  /// The rule that decides which records the launch leaves out.
  var leftOut: LeftOutRecords {
    LeftOutRecords(
      culprits: culprits, retriesQuarantined: retriesQuarantined, appVersion: appVersion)
  }

  /// Keeps a record in quarantine. Only the first launch that keeps the record is counted, so the
  /// record does not expire.
  func keep(_ record: Record, _ header: RecordHeader) {
    record.carry?.launches = max(header.extras.carriedLaunches, 1)
    record.carry?.since = header.extras.carriedSince
  }

  /// Returns the part of the archive to restore: the part that the application wants, or a smaller
  /// part after several crashes.
  func wantedExtent(
    after recovery: Recovery?, isLaunch: Bool
  ) -> Restoration.Extent {
    let policy = recovery?.policy ?? RecoveryPolicy()
    let greatest: Restoration.Extent =
      switch policy.step {
      case .all, .withoutCulprit, .withoutCulprits: .all
      case .minimum: .minimum
      case .nothing: .nothing
      }
    guard let ask, policy.asks else { return greatest }
    let isRecovery = recovery?.crash != nil || policy.step != .all
    let info = RestorationInfo(
      reason: !isLaunch ? .running : isRecovery ? .recover : .launch, archive: log.findings,
      crash: recovery?.crash)
    let wanted = guarded(.asking) { ask(info) }
    return switch (wanted, greatest) {
    case (.nothing, _), (_, .nothing): .nothing
    case (.minimum, _), (_, .minimum): .minimum
    case (.all, .all): .all
    }
  }
}

extension Engine {
  /// Calls a closure that runs code of the app for no particular record. During the call, the crash
  /// guard's page names the phase.
  func guarded<Result>(_ phase: RestorationPhase, _ body: () -> Result) -> Result {
    let place = crashGuard.place
    crashGuard.enter(phase)
    defer { crashGuard.leave(to: place) }
    return body()
  }

  /// Tells a responder or object, by `didFinishRestoring()`, that it is restored.
  func tell(_ owner: FinishedOwner) { owner.tell(by: self) }

  /// Calls ``Restoration/onReport`` with the report.
  func sendReport() {
    if let onReport { guarded(.telling) { onReport(report) } }
  }

  /// Sends the report, and tells the follower and the crash guard that no owner in the tree waits
  /// any more.
  func endOfWait() {
    sendReport()
    follower?.waitDidEnd()
    crashGuard.noteSuccess()
  }

  /// Returns the hash of the path of a responder, or of an object added below the responder; zero
  /// if the crash guard needs no paths.
  func guardPath(of responder: Responder, _ added: AddedObject?) -> UInt64 {
    let path = guardPath(of: responder)
    guard path != 0, let added else { return path }
    return PathHash.hash(added.identifier, below: path)
  }
}
