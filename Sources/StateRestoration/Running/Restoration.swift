public import ResponderChain

/// An object that saves and restores the tree of one application, by kinds and names of contexts.
///
/// ```swift
/// let restoration = Restoration {
///   Kind("deck", DeckController.init)
///   Kind("card") { request in request.existing ?? CardController() }
///   ContextName.objects
/// }
/// application.launch(restoring: restoration, from: archive)
/// let archive = restoration.archive(of: application)
/// ```
///
/// A restoration is used in the tree's isolation only. It belongs to the first application with
/// which it is used. That application retains the restoration, so its closures must not capture the
/// application or its responders. A factory gets the application and the parent in its request.
public final class Restoration {
  let engine: Engine
  private let parts: RestorationParts

  /// Creates a restoration with kinds and names of contexts.
  public convenience init(@RestorationBuilder _ parts: () -> RestorationParts) {
    self.init(parts())
  }

  init(_ parts: RestorationParts) {
    self.parts = parts
    engine = Engine(parts)
  }

  /// The treatment of a responder for which code has declared other slots than those in the
  /// archive.
  public enum Parentage: Sendable {
    /// The responder is restored with the slots that code has declared, and the report says so.
    case nearest
    /// The responder and all below it are not restored, and their records are removed. The
    /// application itself is always restored.
    case strict
  }

  /// The part of an archive that an application wants.
  public enum Extent: Sendable {
    /// All records are restored.
    case all
    /// Only the application's own record is restored. The others are kept for the next launch.
    ///
    /// A screen that is opened later in this process begins anew. If it is there at the next save,
    /// the next launch restores the new one. The old record is kept as long as its place is taken;
    /// see ``RestorationLimits/carriedLaunches``.
    case minimum
    /// Nothing is restored. All is kept for the next launch, as with ``minimum``. This includes the
    /// application's own record, so saves in this process do not write the application's present
    /// state.
    case nothing
  }

  /// The treatment of a responder for which code has declared other slots than those in the
  /// archive.
  public var parentage: Parentage {
    get { engine.parentage }
    set { engine.parentage = newValue }
  }

  /// The limits on sizes. State beyond them is not kept or not read.
  public var limits: RestorationLimits {
    get { engine.limits }
    set { engine.limits = newValue }
  }

  /// The closure that decides how much is restored, before anything is restored. Without a closure,
  /// all is restored.
  public var ask: ((RestorationInfo) -> Extent)? {
    get { engine.ask }
    set { engine.ask = newValue }
  }

  /// The closure that makes responders for records of kinds that are not registered.
  ///
  /// If the closure returns nil, an existing responder with the archived path is restored. If no
  /// responder has that path, the record is kept for later.
  public var makeResponder: ((RestorationRequest) throws -> Responder?)? {
    get { engine.makeResponder }
    set { engine.makeResponder = newValue }
  }

  /// The closure that is called when all responders of an archive are decoded. None of them was
  /// told yet that it is restored.
  public var didDecode: ((Application) -> Void)? {
    get { engine.didDecode }
    set { engine.didDecode = newValue }
  }

  /// The closure that is called with the report when a restoration has ended. If responders still
  /// wait for a context then, it is called again when none waits any more.
  public var onReport: ((RestorationReport) -> Void)? {
    get { engine.onReport }
    set { engine.onReport = newValue }
  }

  /// The version of the app, for example "2.1". Set it before the launch.
  ///
  /// A record in which one version has crashed is tried again by another version. The stored
  /// reports of launches name the version. Only the first hundred bytes of its UTF-8 text are
  /// compared.
  public var appVersion: String {
    get { engine.appVersion }
    set { engine.appVersion = newValue }
  }

  /// The report on the last restoration and on the saves since.
  public var report: RestorationReport { engine.report }

  /// The number of responders and keys that searches have visited, for tests of the cost.
  package var steps: Int { engine.steps + engine.contexts.pathSteps }

  /// Returns an archive of the application's whole tree.
  ///
  /// Use the restoration with which the application was launched. Only that one has the records
  /// that wait or are kept for a later launch. It also has the values that nothing has read.
  ///
  /// If the archive would be beyond the ``limits``, the last archive is returned instead, and the
  /// report says so.
  ///
  /// - Complexity: O(*n*) for *n* responders and their values.
  public func archive(of application: Application) -> StateArchive {
    engine.bind(application)
    _ = engine.saveAll()
    engine.eraseLater()
    return engine.log.archive
  }

  /// Returns the last archive with the changed records appended. If there is no last archive,
  /// returns one of the whole tree.
  ///
  /// A responder has changed if a restorable property was set, or if `invalidateRestorableState()`
  /// was called. It has also changed if responders below it came, went or moved, or if it has other
  /// slots. After a launch, the differences between the tree and its archive are changes as well.
  /// If the tree has changed, the responders that refer to others are written again. Each save
  /// tries again to write what could not be written before.
  ///
  /// If the appended part is larger than the rest, a new archive of the whole tree is returned.
  /// ``StateArchive/change(from:)`` tells whether bytes were only appended.
  ///
  /// - Complexity: O(*c*) for *c* changed or new responders, amortized. A whole archive takes
  ///   O(*n*) for *n* responders, but is made only after many changes.
  public func archiveChanges(of application: Application) -> StateArchive {
    engine.bind(application)
    _ = engine.saveChanges()
    engine.eraseLater()
    return engine.log.archive
  }

  /// Adds an object that is not a responder. Its record is below that of a responder.
  ///
  /// The object is not retained. An object that is added before the launch is decoded during the
  /// launch. An object that is added later is decoded at once, if there is a record for it. Of two
  /// objects with one name under one responder, only the last one is kept, and the report says so.
  public func add(
    _ object: any StateRestoring, as identifier: String, under responder: Responder
  ) {
    engine.add(object, identifier, under: responder)
  }

  /// Notes that an added object has changed. The next save of changes then includes it.
  public func invalidateRestorableState(of object: any StateRestoring) {
    engine.noteChange(of: object)
  }

  /// Restores an archive into an application that is running already.
  ///
  /// Present responders that have a record get the archived values. The others stay as they are.
  public func restore(_ archive: StateArchive, into application: Application) {
    engine.bind(application)
    engine.restore(archive, into: application)
  }

  /// Returns what a launch with an archive would do with each record. No code of the app runs.
  public func plan(for archive: StateArchive) -> RestorationPlan {
    plan(for: ArchiveLog.open(archive, limits: limits))
  }

  /// Returns what a launch would do with each record of an archive that was checked already.
  func plan(for log: ArchiveLog) -> RestorationPlan {
    let engine = Engine(parts)
    engine.limits = limits
    engine.appVersion = appVersion
    engine.retriesQuarantined = retriesQuarantined
    engine.replaceLog(with: log)
    return engine.plan(from: 0, extent: .all)
  }

  /// Forgets the archived state at a path and below it, for example that of one account when its
  /// user logs out. The empty path means all state.
  ///
  /// ```swift
  /// restoration.erase(at: ["accounts", "anna"])
  /// ```
  ///
  /// Values that wait for a context are forgotten too, and so are the records that are kept for
  /// later, for example of a screen that was not opened. The next archive has only the state of the
  /// responders that are in the tree at that time. So first remove the screens that show what must
  /// not be kept. Archives that were made before still have the state, so replace them.
  ///
  /// - Parameter path: the restoration identifiers from below the application. If several siblings
  ///   have one of them, all are meant.
  /// - Complexity: that of ``archive(of:)``, because the whole tree is saved.
  public func erase(at path: [String] = []) { engine.erase(at: path) }

  /// Saves an application's tree, and restores it into a new application, without a disk.
  ///
  /// ```swift
  /// let again = try restoration.rehearse(from: application) { FlashCards() }
  /// #expect(again.deck?.selection == 3)
  /// ```
  ///
  /// Use it in a test. The test then fails if a kind is missing, or if a factory refuses a record.
  /// Two sorts of records are no failure: those of screens that are restored when they are opened,
  /// and those that the tree's own launch did not restore.
  ///
  /// - Throws: ``RehearsalError`` if something could not be kept, or if a responder of the tree was
  ///   not restored.
  public func rehearse<App: Application>(
    from application: App, _ make: () throws -> App
  ) throws -> App {
    let earlier = engine.report.problemLines
    let archive = archive(of: application)
    let rehearsal = Restoration(parts)
    rehearsal.parentage = parentage
    rehearsal.limits = limits
    rehearsal.appVersion = appVersion
    rehearsal.ask = ask
    rehearsal.makeResponder = makeResponder
    rehearsal.didDecode = didDecode
    let again = try make()
    again.launch(restoring: rehearsal, from: archive)
    var problems = engine.report.problemLines.lines(since: earlier) + rehearsal.report.problems
    if rehearsal.engine.extent == .all {
      problems += rehearsal.plan(for: archive).unrestored(in: rehearsal.report)
    }
    if !problems.isEmpty {
      throw RehearsalError(report: rehearsal.report, problems: problems)
    }
    return again
  }
}

/// The error of a rehearsal in which something could not be kept or restored.
public struct RehearsalError: Error, CustomStringConvertible {
  /// The report on the restoration.
  public let report: RestorationReport
  /// A sentence for each problem of the save and the restoration.
  public let problems: [String]

  /// The problems, one in each line.
  public var description: String { problems.joined(separator: "\n") }
}

/// The facts on which an application decides what to restore.
public struct RestorationInfo: Sendable {
  /// A reason why state is restored.
  public enum Reason: String, Sendable {
    /// The application is launched.
    case launch
    /// The application runs already.
    case running
    /// The application is launched, and state is left out because earlier launches have crashed
    /// while they restored it. If ``Restoration/Extent/all`` is returned, that state is still left
    /// out.
    case recover
  }

  /// The reason why state is restored.
  public let reason: Reason
  /// The findings about the archive's bytes.
  public let archive: ArchiveFindings
  /// The crash of the last launch; nil if it has not crashed while it restored state.
  public let crash: RestorationCrash?
}

extension Application {
  /// Launches the application, and restores the state of an archive between
  /// `willFinishLaunching()` and `didFinishLaunching()`.
  ///
  /// The call never fails. The restoration's report says what could not be restored. If the
  /// application was launched before, nothing happens.
  public final func launch(restoring restoration: Restoration, from archive: StateArchive?) {
    launch { application in
      restoration.engine.bind(application)
      restoration.engine.restore(archive, into: application)
    }
  }
}
