import ResponderChain

/// The crash guard of one restoration. It knows what a launch leaves out, which records with strikes
/// are complete, and whether the launch is good.
final class LaunchGuard {
  let page: StrikePage
  /// The parts that this launch leaves out because earlier launches have ended in them; nil before
  /// the launch.
  private(set) var limits: LaunchLimits?
  /// The records for which the changes of the running round were made.
  let origins: StrikeOrigins
  /// The problem of the page that was reported last.
  private var reportedProblem: String?
  /// Whether the launch has restored all that it does not leave out. Values may still wait.
  var hasRestoredAll = false
  /// The closure that renames the archive's files, so that no launch reads them. It returns whether
  /// the files were renamed.
  var keepArchives: (() -> Bool)?

  init(_ page: StrikePage) {
    self.page = page
    origins = StrikeOrigins(page)
  }

  /// Begins the launch of the crash guard, unless it has begun already. No code of the app runs.
  @discardableResult
  func begin(_ settings: Settings) -> LaunchLimits {
    if let limits { return limits }
    let begun = page.begin(
      version: settings.appVersion, awaitsConfirmation: settings.awaitsConfirmation)
    limits = begun
    return begun
  }

  /// Returns whether a record or a phase is left out because of its strikes.
  func isLeftOut(_ place: StrikePlace) -> Bool { limits?.leftOut.contains(place) ?? false }

  /// Adds a sentence to the report if the crash guard has gone off.
  func reportProblem(_ report: inout RestorationReport) {
    let problem = page.offReason
    guard problem != reportedProblem else { return }
    reportedProblem = problem
    if let problem { report.add(problem: "The crash guard is off: \(problem)") }
  }

  /// The limits of a launch after earlier launches have ended.
  struct Recovery {
    var greatest = Restoration.Extent.all
    /// The end of the last launch; nil if it has ended well.
    var crash: RestorationCrash?
    /// Whether the launch can be a good one. It cannot if the archives could not be kept.
    var canBeGood = true
  }

  /// Finds out what the launch leaves out, and adds sentences about it to the report. If the launch
  /// restores nothing, the archives are kept under other names.
  func recover(_ tree: ArchivedTree, _ session: Session) -> Recovery {
    let limits = begin(session.settings)
    reportProblem(&session.report)
    var recovery = Recovery()
    if let place = limits.lastEnd {
      let path = place.isRecord ? tree.paths(of: [place])[place] : nil
      let crash = RestorationCrash(
        path: path, activity: place.work, appVersion: limits.lastVersion)
      session.report.add(problem: "\(crash)")
      recovery.crash = crash
    }
    switch limits.extent {
    case .all: break
    case .application:
      recovery.greatest = .minimum
      session.report.add(
        problem: "Only the application's own record is restored, because "
          + (limits.isCertain
            ? "launches have ended." : "the end of the last launch could not be counted."))
    case .nothing:
      recovery.greatest = .nothing
      session.report.add(
        problem: "Nothing is restored, because six launches in a row have ended.")
      if let keepArchives { recovery.canBeGood = keepArchives() }
    }
    return recovery
  }
}

extension LaunchGuard {
  /// Tells the crash guard which records with strikes are complete, and whether the launch is good.
  /// This is called when the launch has restored all, and whenever a record with strikes may have
  /// become complete.
  ///
  /// - Complexity: O(*n*) for *n* records if a record has strikes, and O(1) otherwise.
  func noteRestored(_ session: Session) {
    guard hasRestoredAll else { return }
    let pending = page.hasStrikes ? pendingPlaces(session) : []
    page.noteRestored { pending.contains($0) }
  }

  /// Does the same as ``noteRestored(_:)``, if at least one of the places has strikes.
  func noteProgress(in places: some Sequence<StrikePlace>, _ session: Session) {
    guard page.hasStrikes else { return }
    let struck = Set(page.book.strikes.map(\.place))
    if places.contains(where: { struck.contains($0) }) { noteRestored(session) }
  }

  /// Returns the records with strikes that this launch restores, but of which not all is restored
  /// yet. A record that waits for its screen is one of them, and so is a record of which a value was
  /// not read.
  private func pendingPlaces(_ session: Session) -> Set<StrikePlace> {
    guard let application = session.application, let root = application.mark?.record else {
      return []
    }
    let struck = Set(page.book.strikes.map(\.place))
    var pending: Set<StrikePlace> = []
    var level = [root]
    while !level.isEmpty {
      // The records below one that is left out are left out, too.
      level = level.flatMap(\.below).filter { $0.state != .gone && !isLeftOut($0.place) }
      for record in level where record.state == .carried && struck.contains(record.place) {
        pending.insert(record.place)
      }
    }
    func look(at mark: Mark?) {
      guard let record = mark?.record(in: root.home), let mark, struck.contains(record.place)
      else { return }
      if session.waits[record] != nil || record.hasUnread(mark) { pending.insert(record.place) }
    }
    for responder in [application] + Array(application.descendants) {
      look(at: responder.mark)
      for object in session.objects.below(responder) { look(at: object.mark) }
    }
    return pending
  }
}

extension Record {
  /// Returns whether the record, which belongs to a mark, has a value that nothing has tried to read.
  fileprivate func hasUnread(_ mark: Mark) -> Bool {
    guard let values else { return false }
    var hasUnread = false
    try? values.forEach { entry in
      if used.contains(entry.index) { return }
      let property = mark.properties.first { property in
        property.key.withText { values.hasKey(entry, $0) }
      }
      switch property?.phase {
      case nil, .initial, .known: hasUnread = true
      case .unreadable, .absent, .present: break
      }
    }
    return hasUnread
  }
}
