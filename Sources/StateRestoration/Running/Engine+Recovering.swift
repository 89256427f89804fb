import ResponderChain

extension Engine {
  /// Begins the launch of the crash guard, unless it has begun already. No code of the app runs.
  @discardableResult
  func beginGuard() -> LaunchLimits {
    if let launchLimits { return launchLimits }
    let limits = crashGuard.begin(version: appVersion, awaitsConfirmation: awaitsConfirmation)
    launchLimits = limits
    return limits
  }

  /// Finds out what the launch leaves out, and adds sentences about it to the report. If the launch
  /// restores nothing, the archives are kept under other names.
  ///
  /// - Returns: what the launch leaves out, and whether it can be a good launch. It cannot be one if
  ///   the archives could not be kept.
  func recover() -> (limits: LaunchLimits, canBeGood: Bool) {
    let limits = beginGuard()
    reportGuardProblem()
    if let crash = crash(of: limits) { report.add(problem: "\(crash)") }
    switch limits.extent {
    case .all: break
    case .application where !limits.isCertain:
      report.add(
        problem: "Only the application's own record is restored, because the end of the last "
          + "launch could not be counted.")
    case .application:
      report.add(
        problem: "Only the application's own record is restored, because launches have ended.")
    case .nothing:
      report.add(problem: "Nothing is restored, because six launches in a row have ended.")
      guard let keepArchives else { break }
      guard keepArchives() else { return (limits, false) }
      log = ArchivedTree(generation: log.generation)
    }
    return (limits, true)
  }

  /// Returns how the last launch has ended; nil if it has ended well.
  private func crash(of limits: LaunchLimits) -> RestorationCrash? {
    guard let place = limits.lastEnd else { return nil }
    let path = place.isRecord ? log.paths(of: [place])[place] : nil
    return RestorationCrash(path: path, activity: place.work, appVersion: limits.lastVersion)
  }

  /// Adds a sentence to the report if the crash guard has gone off.
  func reportGuardProblem() {
    let problem = crashGuard.offReason
    guard problem != guardProblem else { return }
    guardProblem = problem
    if let problem { report.add(problem: "The crash guard is off: \(problem)") }
  }

  /// Keeps a record that is left out. Only the first launch that keeps the record is counted, so the
  /// record does not expire.
  func keep(_ record: Record, _ header: RecordHeader) {
    record.carry?.launches = max(header.extras.carriedLaunches, 1)
    record.carry?.since = header.extras.carriedSince
  }

  /// Returns the part of the archive to restore: the part that the application wants, or a smaller
  /// part after several ends of launches. The limits are nil if this is no launch.
  func wantedExtent(_ limits: LaunchLimits?) -> Restoration.Extent {
    let greatest = limits?.greatest ?? .all
    guard let ask, !isLeftOut(.asking) else { return greatest }
    let crash = limits.flatMap { self.crash(of: $0) }
    let isRecovery = crash != nil || greatest != .all
    let reason: RestorationInfo.Reason = isRecovery ? .recover : .launch
    let info = RestorationInfo(
      reason: limits == nil ? .running : reason, archive: log.findings, crash: crash)
    let wanted = crashGuard.during(.asking) { ask(info) }
    return switch (wanted, greatest) {
    case (.nothing, _), (_, .nothing): .nothing
    case (.minimum, _), (_, .minimum): .minimum
    case (.all, .all): .all
    }
  }

  /// Returns whether a record or a phase is left out because of its strikes.
  func isLeftOut(_ place: StrikePlace) -> Bool {
    launchLimits?.leftOut.contains(place) ?? false
  }
}

extension LaunchLimits {
  /// The greatest part of an archive that the launch restores.
  var greatest: Restoration.Extent {
    switch extent {
    case .all: .all
    case .application: .minimum
    case .nothing: .nothing
    }
  }
}

extension Engine {
  /// Tells a responder or object, by `didFinishRestoring()`, that it is restored.
  func tell(_ owner: FinishedOwner) { owner.tell(by: self) }

  /// Calls ``Restoration/onReport`` with the report.
  func sendReport() {
    if let onReport { crashGuard.during(.reported) { onReport(report) } }
  }

  /// Sends the report, and tells the follower and the crash guard that no owner in the tree waits
  /// any more.
  func endOfWait() {
    sendReport()
    follower?.waitDidEnd()
    noteRestored()
  }
}
