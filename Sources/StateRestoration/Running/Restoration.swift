public import ResponderChain

/// An object that saves and restores the responder tree of one application. It is created with the
/// kinds and the names of contexts that archives may contain.
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
/// Use a restoration only in the isolation of the tree. It belongs to the first application with
/// which it is used. That application retains the restoration, so the restoration's closures must
/// not capture the application or its responders. The factory of a kind gets the application and
/// the parent responder in its request.
public final class Restoration {
  let keeper: Keeper
  private let parts: RestorationParts

  /// Creates a restoration with a list of kinds and context names.
  public convenience init(@RestorationBuilder _ parts: () -> RestorationParts) {
    self.init(parts())
  }

  init(_ parts: RestorationParts) {
    self.parts = parts
    keeper = Keeper(parts)
  }

  /// The treatment of a responder if the slots that code of the app has declared differ from the
  /// archived slots.
  public enum Parentage: Sendable {
    /// The responder is restored and keeps the slots that code has declared. The report mentions
    /// the difference.
    case nearest
    /// Neither the responder nor the responders below it are restored, and their records are
    /// removed. The application itself is always restored.
    case strict
  }

  /// The part of an archive that is to be restored.
  public typealias Extent = RestorationExtent

  var settings: Settings {
    get { keeper.session.settings }
    set { keeper.session.settings = newValue }
  }

  /// The treatment of a responder with other slots than the archived ones; at first
  /// ``Restoration/Parentage/nearest``.
  public var parentage: Parentage {
    get { settings.parentage }
    set { settings.parentage = newValue }
  }

  /// The limits on what is saved and restored, for example the greatest size of a value.
  public var limits: RestorationLimits {
    get { settings.limits }
    set { settings.limits = newValue }
  }

  /// The closure that decides which part of an archive is restored; nil to restore all. It is
  /// called before anything is restored.
  public var ask: ((RestorationInfo) -> Extent)? {
    get { settings.ask }
    set { settings.ask = newValue }
  }

  /// The closure that makes responders for records without a kind, or with a kind that is not
  /// registered.
  ///
  /// If the closure returns nil, the responder that already has the archived path gets the record.
  /// If none has, the record is kept for later.
  public var makeResponder: ((RestorationRequest) throws -> Responder?)? {
    get { settings.makeResponder }
    set { settings.makeResponder = newValue }
  }

  /// The closure that is called when all responders are decoded, before
  /// ``RestorationFinishing/didFinishRestoring()`` is called for any.
  public var didDecode: ((Application) -> Void)? {
    get { settings.didDecode }
    set { settings.didDecode = newValue }
  }

  /// The closure that is called with the report when a restoration has ended, and again when the
  /// last responder that waits has found its context.
  public var onReport: ((RestorationReport) -> Void)? {
    get { settings.onReport }
    set { settings.onReport = newValue }
  }

  /// The version of the app, for example "2.1". Set it before the launch.
  ///
  /// What is left out because launches of one version have ended is tried again by another version.
  /// Versions are compared by their first hundred Unicode scalars only.
  public var appVersion: String {
    get { settings.appVersion }
    set { settings.appVersion = newValue }
  }

  /// The report on the last restoration and on the saves since then.
  public var report: RestorationReport { keeper.session.report }

  /// The number of responders and keys that searches have visited, for tests of the cost.
  package var steps: Int { keeper.steps }

  /// Returns an archive of the application's whole tree.
  ///
  /// Use the restoration with which the application was launched. Only it has what is kept for a
  /// later launch, waits for a context, or was not read. If the archive would exceed the ``limits``,
  /// the last archive is returned instead, and the report says so.
  ///
  /// - Complexity: O(*n*) for *n* responders and their values.
  public func archive(of application: Application) -> StateArchive {
    archive(of: application, asksAll: true)
  }

  /// Returns an archive of the tree. If `asksAll` is false, it is as the saves after changes make it:
  /// the records of responders and objects without changes are copied. If none differs, returns the
  /// last archive.
  package func archive(of application: Application, asksAll: Bool) -> StateArchive {
    keeper.bind(application)
    keeper.save(asksAll: asksAll)
    return keeper.ledger.tree.archive
  }

  /// Adds an object that is not a responder to the archived state. Its record is below the record
  /// of the responder.
  ///
  /// The restoration does not retain the object. An object that is added before the launch is decoded
  /// by it. One that is added later is decoded at once, if there is a record for it. Of two objects
  /// with the same identifier under one responder, only the later one is saved.
  ///
  /// - Complexity: O(1), amortized, and that of restoring the object's record.
  public func add(
    _ object: any StateRestoring, as identifier: String, under responder: Responder
  ) {
    keeper.add(object, identifier, under: responder)
  }

  /// Notes that an added object has changed. The next save then calls its methods.
  public func invalidateRestorableState(of object: any StateRestoring) {
    keeper.session.objects.find(object)?.mark.noteChange()
  }

  /// Adds a sort of parts to records, before the launch. Those of contexts are added by their names.
  package func add(_ part: any RecordPart) { keeper.session.parts.append(part) }

  /// Restores an archive into an application that is running already.
  ///
  /// Responders without a record in the archive stay as they are.
  ///
  /// - Complexity: O(*n*) for *n* bytes of the archive, without the work of the app's code.
  public func restore(_ archive: StateArchive, into application: Application) {
    keeper.bind(application)
    keeper.restore(archive, into: application)
  }

  /// Returns the plan for an archive, for benchmarks. No code of the app runs.
  package func plan(for archive: StoredArchive) -> Any {
    let other = Keeper(parts)
    let (root, count) = (archive.tree.records(in: other.home), archive.tree.items.count)
    return (other, other.session.plan(from: root, isApplication: true, count))
  }

  /// Forgets the archived state at a path and below it, for example the state of one account when
  /// its user logs out. The empty path means all state.
  ///
  /// ```swift
  /// restoration.erase(at: ["accounts", "anna"])
  /// ```
  ///
  /// The path leads to the screens that are there now, even if they were moved since the last save.
  /// What waits for a context, was not read, or is kept for later is forgotten too. The next
  /// archive has only what the responders in the tree hold. So first remove the screens that show
  /// what must not be kept. Earlier archives still have the erased state.
  ///
  /// - Parameter path: the restoration identifiers of the responders on the way down from the
  ///   application, without the application. If several siblings have the same identifier, the path
  ///   leads to all of them.
  /// - Complexity: That of ``archive(of:)``, because the whole tree is saved.
  public func erase(at path: [String] = []) { keeper.erase(at: path) }

  /// Saves an application's tree, and restores it into a new application, without writing a file.
  ///
  /// ```swift
  /// let again = try restoration.rehearse(from: application) { FlashCards() }
  /// #expect(again.deck?.selection == 3)
  /// ```
  ///
  /// Use it in a test, which then fails if a kind is missing, or if a factory refuses a record. Records
  /// of screens that are restored when they are opened are no failure, and neither are records that
  /// the launch of the given application has not restored.
  ///
  /// - Throws: ``RehearsalError`` if a part of the state could not be saved or read, or if a
  ///   responder of the tree was not restored.
  /// - Complexity: That of ``archive(of:)`` and of ``restore(_:into:)``.
  public func rehearse<App: Application>(
    from application: App, _ make: () throws -> App
  ) throws -> App {
    let earlier = report.problemLines
    let archive = archive(of: application)
    let rehearsal = Restoration(parts)
    rehearsal.settings = settings
    (rehearsal.onReport, rehearsal.awaitsConfirmation) = (nil, false)
    let again = try make()
    again.launch(restoring: rehearsal, from: archive)
    var problems = report.problemLines.lines(since: earlier) + rehearsal.report.problems
    problems += keeper.session.partProblems(of: application, again)
    if rehearsal.keeper.session.extent == .all { problems += rehearsal.report.unrestored }
    for responder in application.descendants
    where responder.mark == nil && !responder.properties.isEmpty {
      problems.append(
        "\(responder.path) has restorable values that were set, but no restorationIdentifier.")
    }
    if !problems.isEmpty {
      throw RehearsalError(report: rehearsal.report, problems: problems)
    }
    return again
  }
}

/// The error of a rehearsal in which a part of the state could not be saved or restored.
public struct RehearsalError: Error, CustomStringConvertible {
  /// The report on the restoration into the new application.
  public let report: RestorationReport
  /// A sentence for each problem: first the problems of the save, then the problems of the
  /// restoration.
  public let problems: [String]

  /// The problems, one in each line.
  public var description: String { problems.joined(separator: "\n") }
}

/// The facts with which ``Restoration/ask`` decides which part of an archive is restored.
public struct RestorationInfo: Sendable {
  /// A reason why state is restored.
  public enum Reason: String, Sendable {
    /// The application is launched.
    case launch
    /// The application runs already.
    case running
    /// The application is launched, and the last launch has ended while it restored state, or most
    /// state is left out for that reason. It stays so, whatever ``Restoration/ask`` returns.
    case recover
  }

  /// The reason why state is restored.
  public let reason: Reason
  /// The findings about the archive's bytes.
  public let archive: ArchiveFindings
  /// The end of the last launch, if it has ended while it restored state; nil otherwise.
  public let crash: RestorationCrash?
}

extension Application {
  /// Launches the application, and restores the state of an archive between
  /// `willFinishLaunching()` and `didFinishLaunching()`.
  ///
  /// The report says what was not restored. If the application was launched before, nothing happens.
  ///
  /// - Complexity: O(*n*) for *n* bytes of the archive, without the work of the app's code.
  public final func launch(restoring restoration: Restoration, from archive: StateArchive?) {
    launch { application in
      restoration.keeper.bind(application)
      restoration.keeper.restore(archive, into: application)
    }
  }
}
