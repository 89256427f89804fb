import Foundation
import ResponderChain

/// The object that saves and restores one application's tree. It has the records of the present
/// archive.
///
/// The application's mark retains the engine. The marks of other responders refer to the engine
/// weakly.
final class Engine: RecordKeeper {
  let kinds: KindTable
  var limits = RestorationLimits()
  private(set) weak var application: Application?
  /// Whether an application was ever bound to this engine. If so, ``application`` may still be nil,
  /// because that application may have ended.
  private var hasApplication = false
  /// The archive that was saved or restored last.
  var log = ArchivedTree(generation: 0)
  /// The number of ancestors and keys that saves have looked at, for tests of the cost.
  var steps = 0
  /// The responders and objects that have values waiting for a context, stored under their records.
  ///
  /// Exclusivity checking of this variable, and of the others below that are marked, is off for
  /// speed (`save` and `restore`). This is safe because no access to them runs code of an app.
  @exclusivity(unchecked) @safe var waiting: [ObjectIdentifier: WaitingOwner] = [:]
  /// Whether the report says that an owner in the tree waits.
  var hasWaits = false
  /// The sentence that was reported for the last waiting owner, and the contexts for which that
  /// owner waits. The sentence is used again, because most owners wait for the same contexts.
  @exclusivity(unchecked) @safe var waitReason: (needs: [String], text: String)?
  /// Whether a check of the waiting owners is due in the running round.
  var isCheckingWaiting = false
  /// The number of saves so far.
  var saveCount: UInt32 = 0
  /// The records that the last archive lacks, because their responders were not in the tree.
  var left: [LeftRecord] = []
  /// The added objects, which are not responders.
  var objects = AddedObjects()
  /// The responders and objects that code of the app has attached or added during the running
  /// restoration.
  var opened = OpenedOwners()
  /// The part of the archive that this launch restores.
  var extent = Restoration.Extent.all
  /// The prefetched objects. They are retained until the next turn of the main loop, so that values
  /// which are read before then need no fetch of their own.
  var prefetched: [AnyObject] = []
  /// Whether responders are being made and decoded. Meanwhile, no save is possible.
  var isRestoring = false
  /// Whether a save is running. Meanwhile, no other save is possible.
  var isSaving = false
  /// The responder that is getting its archived slots at present; nil if there is none. These slots
  /// do not count as changes.
  @exclusivity(unchecked) @safe var replayed: Responder?
  /// The responder that the restoration is linking at present; nil if there is none. The link does
  /// not count as a change.
  @exclusivity(unchecked) @safe var linked: Responder?
  /// The number of calls of `execute` that are running, one within another. A report is sent after
  /// each call. So none is sent when a wait ends during a call.
  var executions = 0
  /// The paths to erase when the running restoration or save has ended.
  var erasures: [[String]] = []
  /// The names of unregistered kinds that were set as ``Responder/restorationKind``. Each name is
  /// reported once.
  private var unknownKinds: Set<String> = []
  /// The report of the running restoration, or of the last one.
  @exclusivity(unchecked) @safe var report = RestorationReport()
  /// Whether a launch is a success only when the app confirms it; see
  /// ``Restoration/awaitsConfirmation``.
  var awaitsConfirmation = false
  /// The parts that this launch leaves out because earlier launches have ended in them; nil before
  /// the launch.
  var launchLimits: LaunchLimits?
  /// Whether the launch has restored all that it does not leave out. Values may still wait.
  var hasRestoredAll = false
  /// Whether the places of all records are those in the last archive.
  var arePlacesKnown = false
  /// The records for which the changes of the running round were made.
  private(set) lazy var strikeOrigins = StrikeOrigins(crashGuard)
  /// The problem of the crash guard that was reported last.
  var guardProblem: String?
  /// Whether the application's own record is left out because launches have ended in it.
  var isApplicationLeftOut = false
  /// The closure that renames the archive's files, so that no launch reads them. It returns whether
  /// the files were renamed.
  var keepArchives: (() -> Bool)?
  var parentage = Restoration.Parentage.nearest
  var ask: ((RestorationInfo) -> Restoration.Extent)?
  var makeResponder: ((RestorationRequest) throws -> Responder?)?
  var didDecode: ((Application) -> Void)?
  var onReport: ((RestorationReport) -> Void)?
  /// The object that stores the archives; nil if the app stores them itself.
  var follower: (any EngineFollower)?
  /// Whether the next change is to be reported to the ``follower``.
  var isChangeAwaited = false
  /// The greatest generation that a stored archive may have. The next save makes an archive
  /// with a greater generation, even if the restored archive has a smaller generation.
  var storedGeneration: UInt64 = 0
  /// The version of the app, as the app has set it.
  var appVersion = ""
  /// The closure that returns the time, in seconds since the reference date.
  var clock: () -> Double = { Date().timeIntervalSinceReferenceDate }
  /// The facts about classes of responders, as far as they were looked up.
  private var facts: [ObjectIdentifier: ClassFacts] = [:]
  /// The facts that were looked up last. They are remembered because siblings are usually of one
  /// class.
  @exclusivity(unchecked) @safe
  private var lastFacts: (type: ObjectIdentifier, facts: ClassFacts)?

  init(_ parts: RestorationParts) {
    kinds = KindTable(parts.kinds)
    super.init(ContextTable(parts.contexts))
  }

  /// Returns the facts about a responder's class.
  func facts(of responder: Responder) -> ClassFacts {
    let type = type(of: responder)
    if let last = lastFacts, last.type == ObjectIdentifier(type) { return last.facts }
    if let known = facts[ObjectIdentifier(type)] {
      lastFacts = (ObjectIdentifier(type), known)
      return known
    }
    let made = ClassFacts(type, kind: kinds.index(of: type))
    facts[ObjectIdentifier(type)] = made
    return made
  }

  /// Returns the index of a responder's kind, plus one; zero if there is none.
  ///
  /// If ``Responder/restorationKind`` is set, only that kind counts. Otherwise the first of these
  /// that exists counts: the kind that made the responder, the kind with the identifier as its
  /// name, the kind of the class.
  func kind(of responder: Responder, _ mark: Mark) -> UInt16 {
    if let name = mark.kindName {
      return kinds.index(named: name) ?? noteUnknown(name, of: responder)
    }
    if mark.kind > 0, mark.isBound(to: self) || mark.keeper === self { return mark.kind }
    // The identifier of a responder of another class may equal the name of the kind by chance.
    if let named = kinds.index(named: mark.identifier),
      kinds[named]?.type?.includes(responder) != false
    {
      return named
    }
    return facts(of: responder).kind
  }

  /// Returns the name and version of a kind, as they are written into a responder's record; see
  /// ``RecordHeader/version``.
  func head(of mark: Mark, _ kind: UInt16) -> (name: String, version: Int) {
    guard kind == 0 else { return kinds.head(kind) }
    // The next process may register the kind that code has named.
    if let name = mark.kindName { return (name, 1) }
    return kinds.index(named: mark.identifier) == nil ? ("", 1) : ("", 0)
  }

  /// Reports that a responder's ``Responder/restorationKind`` is not registered. Each name is
  /// reported once. Returns zero, the index that stands for no kind.
  private func noteUnknown(_ kind: String, of responder: Responder) -> UInt16 {
    if unknownKinds.insert(kind).inserted {
      report.add(
        problem: "\(responder.restorationPath): the restorationKind \"\(kind)\" is not registered. "
          + "Only a launch that registers it can make the responder.")
    }
    return 0
  }

  /// Returns the record of a mark; nil if it has none, or if all records were forgotten since.
  func record(of mark: Mark) -> Record? { mark.isBound(to: self) ? mark.record : nil }

  /// Binds the engine to its application.
  func bind(_ application: Application) {
    precondition(
      hasApplication ? self.application === application : true,
      "A Restoration belongs to one application; make another one for \(application.path).")
    if let root = application.attachment as? RootMark {
      precondition(
        root.keeperOfTree === self,
        "\(application.path) has a Restoration; use the one with which it was launched or saved.")
    } else {
      application.attachment = RootMark(self, application.properties)
    }
    self.application = application
    hasApplication = true
    guard let mark = application.mark, !mark.isBound(to: self) else { return }
    mark.record = Record(home)
  }

  override func noteUnsaved() {
    guard isChangeAwaited else { return }
    isChangeAwaited = false
    follower?.stateDidChange()
  }

  override func pathsDidChange() { noteUnsaved() }

  override func ownedDidChange(of responder: Responder, _ mark: Mark) {
    noteUnsaved()
    if !contexts.siblings.isEmpty { contexts.siblings[ObjectIdentifier(responder)] = nil }
  }

  override func note(_ error: any Error, key: String, of responder: Responder) {
    report.add(problem: "\(responder.restorationPath): the value \"\(key)\" was not read: \(error)")
  }

  override func note(missing: [String], key: String, of responder: Responder) {
    note(missing: missing, key: key, of: responder, nil)
  }

  /// Reports that references in a value led to nothing. The value belongs to `added`; if `added` is
  /// nil, the value belongs to the responder.
  func note(missing: [String], key: String, of responder: Responder, _ added: AddedObject?) {
    // Prefetching may have noted the same reasons already, before the value was read.
    guard let mark = added?.mark ?? responder.mark, let record = record(of: mark),
      record[missing: key] != missing
    else { return }
    record[missing: key] = missing
    mark.hasMissing = true
    let name = added.map { "\($0.identifier) under " } ?? ""
    for reason in missing {
      report.note("\(name)\(responder.restorationPath): \"\(key)\" misses \(reason)")
    }
  }

  /// Returns the place by which the crash guard names a record.
  ///
  /// - Complexity: O(1), or O(*n*) for *n* records at the first call after a save.
  override func place(of record: Record) -> StrikePlace {
    guard crashGuard.isOn else { return .none }
    if !arePlacesKnown, let root = application?.mark?.record {
      arePlacesKnown = true
      root.setPlaces()
    }
    return record.place
  }

  override func didReadWithStrikes(_ record: Record) {
    if !isRestoring { noteProgress(in: CollectionOfOne(place(of: record))) }
  }

  override func didLink(_ responder: Responder, _ mark: Mark) {
    guard responder !== linked else { return }
    didMove(responder, mark)
    if let parent = responder.nextResponder, !contexts.siblings.isEmpty {
      contexts.siblings[ObjectIdentifier(parent)] = nil
    }
  }

  override func didAttach(_ responder: Responder, _ mark: Mark) {
    guard responder !== linked, !mark.isBound(to: self) else { return }
    open(.responder(responder, mark))
  }

  override func didMove(_ responder: Responder, _ mark: Mark) {
    checkWaitingSoon()
  }

  override func didUnlink(_ responder: Responder, _ mark: Mark) { checkWaitingSoon() }

  override func valueDidChange(
    _ key: any ContextKey.Type, of responder: Responder, _ mark: Mark
  ) {
    // The new value may be a child of the inherited context, or the old one may have been.
    if contexts.registrations.values.contains(where: { $0.key == key }) {
      slotsDidChange(of: responder, mark)
    }
  }

  override func slotsDidChange(of responder: Responder, _ mark: Mark) {
    guard responder !== replayed else { return }
    noteUnsaved()
    checkWaitingSoon()
  }
}

/// A record that the last archive lacks, because its responder was not in the tree.
struct LeftRecord {
  private(set) weak var record: Record?
  /// The identifiers on the way to the record, without its own.
  let path: [String]
}
