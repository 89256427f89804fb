import ResponderChain

/// The object that saves and restores one application's tree. It has the records of the present
/// archive, hears from the marks what changes, and runs one operation at a time.
///
/// The application's mark retains the keeper. The marks of other responders refer to it weakly.
final class Keeper: RecordKeeper {
  /// The facts that the operations share.
  let session: Session
  let ledger = Ledger()
  /// Whether an application was bound to this keeper, even if it has ended.
  private var hasApplication = false
  /// The operation that is running. Meanwhile, no save is possible.
  var activity = Activity.none
  /// The number of calls of `execute` that are running. Each sends a report, so the end of a wait
  /// sends none meanwhile.
  var executions = 0
  /// The paths to erase when the running restoration or save has ended.
  var erasures: [[String]] = []
  /// The object that stores the archives; nil if the app stores them itself.
  var follower: (any StateFollower)?
  /// The closure that is called for the next change; nil after that call.
  var onChange: (() -> Void)?
  /// The number of ancestors and keys that saves have looked at, for tests of the cost.
  private(set) var steps = 0

  /// An operation of the keeper.
  enum Activity {
    case none
    /// Responders are being made and decoded.
    case restoring
    case saving
  }

  override var isRestoring: Bool { activity == .restoring }

  init(_ parts: RestorationParts) {
    let contexts = ContextTable(parts.contexts)
    let page = StrikePage()
    session = Session(parts.kinds, contexts, page)
    super.init(contexts, page)
  }

  /// Binds the keeper to its application.
  func bind(_ application: Application) {
    precondition(
      !hasApplication || session.application === application,
      "A Restoration belongs to one application; make another one for \(application.path).")
    if let root = application.attachment as? RootMark {
      precondition(
        root.keeperOfTree === self,
        "\(application.path) has a Restoration; use the one with which it was launched or saved.")
    } else {
      application.attachment = RootMark(self, of: application)
    }
    session.application = application
    hasApplication = true
    if let mark = application.mark, mark.record(in: home) == nil { mark.begin(in: home) }
  }

  /// Encodes the whole tree as a new archive; see ``Save``. If the save is refused, the last archive is
  /// kept.
  func save(asksAll: Bool) {
    if let refusal = write(asksAll: asksAll) {
      session.report.add(
        problem: "The state was not saved: \(refusal) The last archive is kept.")
    }
    eraseLater()
  }

  /// Encodes the whole tree, unless a restoration or another save is running. Returns a sentence that
  /// says why the save was refused; nil if it was not refused.
  func write(asksAll: Bool) -> String? {
    guard let application = session.application, activity == .none else { return nil }
    activity = .saving
    var save = Save(session, ledger, home, asksAll: asksAll)
    save.writeTree(from: application)
    steps += save.encoder.record.comparisons
    activity = .none
    return save.finish()
  }

  override func noteUnsaved() {
    onChange.take()?()
  }

  override var nextGeneration: UInt64 { ledger.nextGeneration }

  override func kind(of record: Record) -> UInt16 {
    record.header.map { session.kinds.index(of: $0) } ?? 0
  }

  override func note(_ error: any Error, key: String, of responder: Responder) {
    session.note(error, key: key, of: responder)
  }

  override func note(missing: [String], key: String, of responder: Responder) {
    session.note(missing: missing, key: key, of: responder, nil)
  }

  override func didLose(_ record: Record) { session.waits.forget(record) }

  override func didReadWithStrikes(_ record: Record) {
    guard activity != .restoring else { return }
    session.guarding.noteProgress(in: CollectionOfOne(record.place), session)
  }

  override func linkDidChange(of responder: Responder) {
    if responder !== session.touched { checkWaitingSoon() }
  }

  override func didAttach(_ responder: Responder, _ mark: Mark) {
    guard responder !== session.touched, mark.record(in: home) == nil else { return }
    open(OpenedOwner(responder: responder, object: nil, mark: mark))
  }

  override func slotsDidChange(of responder: Responder) {
    guard responder !== session.touched else { return }
    noteUnsaved()
    checkWaitingSoon()
  }

  /// Checks the waiting owners at the end of the running round's first stage, because a slot or a
  /// link has changed. All that are ready by then are decoded together.
  private func checkWaitingSoon() {
    guard session.waits.beginCheck() else { return }
    RoundStage.first.atEnd { [weak self] in self?.checkWaiting() }
  }

  private func checkWaiting() {
    let session = session
    let ready = session.waits.decodeReady(session)
    if !ready.isEmpty { releasePrefetchedSoon() }
    let decoded = ready.filter { $0.outcome == .restored }
    if !decoded.isEmpty { noteUnsaved() }
    let finished = decoded.filter { !$0.isToldByLaunch }.map { ($0.owner, $0.record) }
    RoundStage.last.atEnd { [weak self] in
      for owner in ready { owner.livingResponder?.readFollowedProperties() }
      for (owner, record) in finished { session.finish(owner, record) }
      guard let self else { return }
      let isOver = session.waits.endReport(session)
      guard executions == 0 else { return }
      if isOver {
        session.sendReport()
        follower?.waitDidEnd()
        session.guarding.noteRestored(session)
      } else {
        session.guarding.noteProgress(in: ready.map(\.record.place), session)
      }
    }
  }

  /// Releases the prefetched objects at the next turn of the main loop.
  func releasePrefetchedSoon() {
    guard !session.prefetched.isEmpty else { return }
    session.application?.mailbox.post { application in
      let mark = application.attachment as? RootMark
      (mark?.keeperOfTree as? Keeper)?.session.prefetched = []
    }
  }
}

/// An object that stores the archives of an application. Its keeper retains it.
protocol StateFollower: AnyObject {
  /// Tells the follower that the records at a path and below it were erased. The archive no longer
  /// has them.
  func stateWasErased(at path: [String])

  /// Tells the follower that no owner in the tree waits any more. This has changed the report.
  func waitDidEnd()
}
