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
  var log: ArchiveLog { source.log }
  /// For each record, the values that encoding and decoding methods have used; see ``UsedValues``.
  ///
  /// Exclusivity checking is off for speed (`save` and `restore`). This is safe because no access
  /// runs code of an app.
  @exclusivity(unchecked) @safe var used = UsedTable()
  /// The number of ancestors and keys that saves have looked at, for tests of the cost.
  var steps = 0
  /// The responders and objects that have values waiting for a context, stored under the numbers of
  /// their records.
  ///
  /// Exclusivity checking of this variable, and of the others below that are marked, is off for
  /// speed (`save` and `restore`). This is safe because no access to them runs code of an app.
  @exclusivity(unchecked) @safe var waiting = WaitingOwners()
  /// A list for finding out whether an owner in the tree still waits. It has all waiting owners in
  /// the tree, and may also have owners that are outside the tree or no longer wait. Its last owner
  /// is checked first.
  var waitingInTree: [WaitingOwner] = []
  /// The groups of waiting owners. The owners of a group share one observation of a context.
  @exclusivity(unchecked) @safe var waitGroups = WaitGroups()
  /// The sentence that was reported for the last waiting owner, and the contexts for which that
  /// owner waits. The sentence is used again, because most owners wait for the same contexts.
  @exclusivity(unchecked) @safe var waitReason: (needs: [String], text: String)?
  /// Whether a check by ``checkWaitingSoon()`` is due at the end of the running round.
  var isCheckingWaiting = false
  /// The earlier numberings that keep records of responders outside the tree.
  var numberings: [WeakNumbering] = []
  /// The records that are kept for a later launch because no responder or object has them.
  var carried = CarriedRecords()
  /// The facts about carried records, stored under the numbers of these records. A carried record
  /// below another carried record has no entry.
  var carries: [UInt32: Carry] = [:]
  /// The added objects, which are not responders.
  var objects = AddedObjects()
  /// The responders and objects that code of the app has attached or added during the running
  /// restoration.
  var opened = OpenedOwners()
  /// The part of the archive that this launch restores.
  var extent = Restoration.Extent.all
  /// The reasons why references in restored values led to nothing, stored under the record and the
  /// key of the value.
  var missingReferences: [MissingKey: [String]] = [:]
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
  /// The waiting owners for which a context has changed in the running round.
  @exclusivity(unchecked) @safe var heard: [WaitingOwner] = []
  /// The paths to erase when the running restoration or save has ended.
  var erasures: [[String]] = []
  /// The records that are being erased. The running save leaves them out.
  var erased: Set<UInt32> = []
  /// The names of unregistered kinds that were set as ``Responder/restorationKind``. Each name is
  /// reported once.
  private var unknownKinds: Set<String> = []
  /// The report of the running restoration, or of the last one.
  @exclusivity(unchecked) @safe var report = RestorationReport()
  /// Whether this launch also restores the records in quarantine; see
  /// ``Restoration/retriesQuarantined``.
  var retriesQuarantined = false
  /// Whether a launch is a success only when the app confirms it; see
  /// ``Restoration/awaitsConfirmation``.
  var awaitsConfirmation = false
  /// The records that this launch leaves out because the last launches have crashed in them.
  var culprits: Set<UInt32> = []
  /// Whether the application's own record is left out because a launch has crashed in it.
  var isApplicationLeftOut = false
  /// The closure that writes the archive to the disk before any code of the app runs. It returns
  /// whether the archive was written.
  var writeAtOnce: ((StateArchive) -> Bool)?
  /// The closure that moves the archive's files away, so that no launch reads them. It returns
  /// whether the files were moved.
  var setArchiveAside: (() -> Bool)?
  var parentage = Restoration.Parentage.nearest
  var ask: ((RestorationInfo) -> Restoration.Extent)?
  var makeResponder: ((RestorationRequest) throws -> Responder?)?
  var didDecode: ((Application) -> Void)?
  var onReport: ((RestorationReport) -> Void)?
  /// The object that stores the archives; nil if the app stores them itself.
  var follower: (any EngineFollower)?
  /// Whether the next change is to be reported to the ``follower``.
  var isChangeAwaited = false
  /// The greatest generation that a stored archive may have. The next full save makes an archive
  /// with a greater generation, even if the restored archive has a smaller generation.
  var storedGeneration: UInt64 = 0
  /// The version of the app, as the app has set it.
  var appVersion = ""
  /// The closure that returns the time, in seconds since the reference date.
  var clock: () -> Double = { Date().timeIntervalSinceReferenceDate }
  /// The number of times that all records were forgotten. A record of an earlier era is not read
  /// any more.
  private(set) var era = 0
  /// The facts about classes of responders, as far as they were looked up.
  private var facts: [ObjectIdentifier: ClassFacts] = [:]
  /// The facts that were looked up last. They are remembered because siblings are usually of one
  /// class.
  @exclusivity(unchecked) @safe
  private var lastFacts: (type: ObjectIdentifier, facts: ClassFacts)?

  struct MissingKey: Hashable {
    let record: UInt32
    let key: String
  }

  init(_ parts: RestorationParts) {
    kinds = KindTable(parts.kinds)
    super.init(ContextTable(parts.contexts), RecordNumbering(era: 0))
  }

  deinit {
    waitGroups.end()
    // A waiting object has a mark, which has a numbering, which may have the waiting object.
    for numbering in numberings { numbering.numbering?.left = [:] }
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

  override func values(of mark: Mark) -> RecordValues? {
    reader(of: mark).flatMap { try? RecordValues($0) }
  }

  override func hasValue(_ property: PropertyCell, of mark: Mark) -> Bool {
    guard let values = values(of: mark) else { return false }
    var cursor = values.first
    return property.key.withText { (try? values.find($0, from: &cursor)) ?? nil } != nil
  }

  /// Binds the engine to its application, and binds the application's mark to the record with the
  /// number zero.
  func bind(_ application: Application) {
    precondition(
      hasApplication ? self.application === application : true,
      "A Restoration belongs to one application; make another one for \(application.path).")
    if let root = application.attachment as? RootMark {
      precondition(
        root.keeperOfTree === self,
        "\(application.path) has a Restoration; use the one with which it was launched or saved.")
    } else {
      application.attachment = RootMark(self)
    }
    self.application = application
    hasApplication = true
    guard let mark = application.mark, !mark.isBound(to: self) else { return }
    mark.bind(to: self, record: 0)
  }

  /// Replaces the archive from which records are read.
  func replaceLog(with newLog: ArchiveLog) { source.replace(by: newLog) }

  /// Appends records that a launch has migrated or put into quarantine to the archive in memory.
  func appendToLog(
    _ bytes: [UInt8], itemCount: UInt64, _ records: [(id: UInt32, range: Range<Int>)]
  ) {
    log.append(bytes, itemCount: itemCount, records)
    source.forgetLast()
  }

  /// Forgets the records of all archives so far, including the records of responders outside the
  /// tree.
  func beginEra() {
    era += 1
    begin(RecordNumbering(era: era))
  }

  override func noteUnsaved() {
    guard isChangeAwaited else { return }
    isChangeAwaited = false
    follower?.stateDidChange()
  }

  override func pathsDidChange() {
    pathHashes.forget()
    noteUnsaved()
  }

  override func ownedDidChange(of responder: Responder, _ mark: Mark) {
    pathHashes.forget()
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
    guard let mark = added?.mark ?? responder.mark else { return }
    // Prefetching may have noted the same reasons already, before the value was read.
    guard self.missing(key: key, of: mark) != missing else { return }
    if mark.isBound(to: self) {
      missingReferences[MissingKey(record: mark.record, key: key)] = missing
    } else if left(of: mark) != nil, let numbering = mark.numbering as? RecordNumbering {
      numbering.left[mark.record]?.missing[key] = missing
    }
    mark.hasMissing = true
    let name = added.map { "\($0.identifier) under " } ?? ""
    for reason in missing {
      report.note("\(name)\(responder.restorationPath): \"\(key)\" misses \(reason)")
    }
  }

  override func forgetMissing(key: String, of mark: Mark) {
    if mark.isBound(to: self) {
      missingReferences[MissingKey(record: mark.record, key: key)] = nil
    } else if let numbering = mark.numbering as? RecordNumbering {
      numbering.left[mark.record]?.missing[key] = nil
    }
  }

  override func missing(key: String, of mark: Mark) -> [String] {
    guard mark.isBound(to: self) else { return left(of: mark)?.missing[key] ?? [] }
    return missingReferences[MissingKey(record: mark.record, key: key)] ?? []
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
    if mayWait(mark) { watchAgain(responder, mark) }
  }

  override func didUnlink(_ responder: Responder, _ mark: Mark) {
    if mayWait(mark) { unwatch(responder, mark) }
    checkWaitingSoon()
  }

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
    if mayWait(mark) { watchAgain(responder, mark) }
  }

  /// Returns whether values of a responder, or of objects added below it, may wait.
  private func mayWait(_ mark: Mark) -> Bool { !waiting.isEmpty || left(of: mark) != nil }
}
