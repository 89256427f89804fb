import ResponderChain

/// The crash guard of one restoration. It knows which records with strikes are complete, and
/// whether the launch is good.
final class LaunchGuard {
  let page: StrikePage
  /// The records for which the changes of the running round were made.
  let origins: StrikeOrigins
  /// The problem of the page that was reported last.
  private var reportedProblem: String?
  /// The closure that renames the archive's files, so that no launch reads them. It returns whether
  /// the files were renamed.
  var keepArchives: (() -> Bool)?

  init(_ page: StrikePage) {
    self.page = page
    origins = StrikeOrigins(page)
  }

  /// The parts that this launch leaves out because earlier launches have ended in them.
  var limits: LaunchLimits { page.book.limits }

  /// Returns whether a record or a phase is left out because of its strikes.
  func isLeftOut(_ place: StrikePlace) -> Bool { limits.leftOut.contains(place) }

  /// Begins the launch of the crash guard, unless it has begun already. No code of the app runs.
  @discardableResult
  func begin(_ settings: Settings) -> LaunchLimits {
    page.begin(version: settings.appVersion, awaitsConfirmation: settings.awaitsConfirmation)
  }

  /// Adds a sentence to the report if the crash guard has gone off.
  func reportProblem(_ report: inout RestorationReport) {
    let problem = page.problem
    guard problem != reportedProblem else { return }
    reportedProblem = problem
    if let problem { report.add(problem: "The crash guard is off: \(problem)") }
  }

  /// Finds out what the launch leaves out, and adds sentences about it to the report.
  ///
  /// - Returns: the end of the last launch; nil if it has ended well.
  func recover(_ tree: ArchivedTree, _ session: Session) -> RestorationCrash? {
    let limits = begin(session.settings)
    reportProblem(&session.report)
    let crash = limits.lastEnd.map { place in
      RestorationCrash(
        path: place.isRecord ? tree.path(of: RecordID(place.number)) : nil, activity: place.work,
        appVersion: limits.lastVersion)
    }
    if let crash { session.report.add(problem: "\(crash)") }
    switch limits.extent {
    case .all: break
    case .minimum:
      session.report.add(
        problem: "Only the application's own record is restored, because "
          + (limits.isCertain
            ? "launches have ended." : "the end of the last launch could not be counted."))
    case .nothing:
      session.report.add(
        problem: "Nothing is restored, because six launches in a row have ended.")
    }
    return crash
  }
}

extension LaunchGuard {
  /// Tells the page which records with strikes are complete. This is called when the launch has
  /// restored all, and when one may have become complete.
  ///
  /// - Complexity: O(*n*) for *n* records if a record has strikes, and O(1) otherwise.
  func noteRestored(_ session: Session) {
    guard page.hasRestoredAll else { return }
    let pending = page.hasStrikes ? pendingPlaces(session) : []
    page.noteRestored { pending.contains($0) }
  }

  /// Does the same as ``noteRestored(_:)``, if at least one of the places has strikes.
  func noteProgress(in places: some Sequence<StrikePlace>, _ session: Session) {
    guard page.hasStrikes else { return }
    let struck = Set(page.book.strikes.map(\.place))
    if places.contains(where: { struck.contains($0) }) { noteRestored(session) }
  }

  /// Returns the records that this launch restores, but of which not all is restored yet. Records
  /// that wait for their screens are among them, and so are records with strikes of which a value
  /// was not read.
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
      pending.formUnion(level.lazy.filter { $0.state == .carried }.map(\.place))
    }
    for responder in [application] + Array(application.descendants) {
      for mark in [responder.mark].compactMap(\.self) + session.objects.below(responder).map(\.mark)
      {
        guard let record = mark.record(in: root.home), struck.contains(record.place) else {
          continue
        }
        if session.waits[record] != nil || record.hasUnread(mark) { pending.insert(record.place) }
      }
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
      let phase = property?.phase ?? .initial
      if phase == .initial || phase == .known { hasUnread = true }
    }
    return hasUnread
  }
}

extension ArchivedTree {
  /// Returns the identifiers on the way from the application to a record; nil if there is no such
  /// record.
  ///
  /// - Complexity: O(*n*) for *n* records.
  fileprivate func path(of id: RecordID) -> [String]? {
    let index = items.indices.first { ($0 == 0 ? .application : header($0)?.id) == id }
    guard var next = index else { return nil }
    var path: [String] = []
    while next > 0 {
      path.append(header(next)?.identifier ?? "?")
      next = Int(items[next].parent)
    }
    return path.reversed()
  }
}
