import Foundation
import ResponderChain

/// The keeper of the records of one application's tree, which saves and restores the tree.
///
/// The application's mark retains the engine. The marks of responders refer to it weakly.
final class Engine: RecordKeeper {
  let kinds: KindTable
  var limits = RestorationLimits()
  private(set) weak var application: Application?
  /// Whether the restoration was used with an application before. That application may have ended.
  private var hasApplication = false
  /// The archive of the last save, or the one that was restored if nothing was saved since.
  private(set) var log = ArchiveLog(generation: 0)
  /// The record of which a value was read last. It is kept because a responder's properties are
  /// usually read one after the other.
  private var lastRead: ReadRecord?
  /// The values that the methods of each record's owner have read or written.
  var used = UsedTable()
  /// The marks of responders that the next save of changes writes again.
  var changed: [Mark] = []
  /// The marks of responders whose records depend on other responders; see ``Mark/hasPaths``.
  var referring: [Mark] = []
  /// The number of ancestors and keys that saves have looked at, for tests of the cost.
  var steps = 0
  /// Whether a path or a slot of a responder may have changed since the last save.
  var havePathsChanged = false
  /// The responders and objects whose values wait for a context.
  var waiting: [UInt32: WaitingOwner] = [:]
  /// All waiting owners that are in the tree, and some owners that are not, or that wait no more.
  /// The last one is checked first.
  var witnesses: [WaitingOwner] = []
  /// Whether the end of the running round will check if an owner still waits.
  var isCheckingWaiting = false
  /// The records that are kept although they have no owner, by the record above them.
  var carried = CarriedRecords()
  /// The ``Carry`` of each carried record. A record below another carried one has none.
  var carries: [UInt32: Carry] = [:]
  /// The objects that are not responders.
  var objects = AddedObjects()
  /// The responders and objects that code of the app has opened while a restoration runs.
  var opened = OpenedOwners()
  /// The part of the archive that the application has wanted.
  var extent = Restoration.Extent.all
  /// The references of restored values that led to nothing.
  var missingReferences: [MissingKey: [String]] = [:]
  /// The prefetched objects. They are retained until the next turn of the main loop, so that values
  /// which are read in this turn find them.
  var prefetched: [AnyObject] = []
  /// Whether responders are being made and decoded. Meanwhile, no save is possible.
  var isRestoring = false
  /// Whether a save is running. Meanwhile, no other save is possible.
  var isSaving = false
  /// The responder that is getting its archived slots. They do not count as changes.
  var replayed: Responder?
  /// The responder that the restoration is linking. The link does not count as a change.
  var linked: Responder?
  /// The number of running calls of `execute`, one within another. Each is followed by a report, so
  /// the end of a wait sends none meanwhile.
  var executions = 0
  /// The waiting owners whose contexts have changed in the running round.
  var heard: [WaitingOwner] = []
  /// The paths whose records are erased when the running restoration or save has ended.
  var erasures: [[String]] = []
  /// The records that are being erased, which the running save leaves out.
  var erased: Set<UInt32> = []
  /// The marks of added objects that have changed.
  var changedObjects: [Mark] = []
  /// The names of kinds that code has given to responders, and that are not registered. Each name
  /// is reported once.
  private var unknownKinds: Set<String> = []
  var report = RestorationReport()
  var parentage = Restoration.Parentage.nearest
  var ask: ((RestorationInfo) -> Restoration.Extent)?
  var makeResponder: ((RestorationRequest) throws -> Responder?)?
  var didDecode: ((Application) -> Void)?
  var onReport: ((RestorationReport) -> Void)?
  /// The clock, in seconds since the reference date.
  var clock: () -> Double = { Date().timeIntervalSinceReferenceDate }
  /// The number of times that all records were forgotten. A record of an earlier era is not read
  /// any more.
  private(set) var era = 0
  /// The facts about each class of responders that was asked for.
  private var facts: [ObjectIdentifier: ClassFacts] = [:]
  /// The facts that were asked for last. They are kept because siblings are usually of one class.
  private var lastFacts: (type: ObjectIdentifier, facts: ClassFacts)?

  struct MissingKey: Hashable {
    let record: UInt32
    let key: String
  }

  init(_ parts: RestorationParts) {
    kinds = KindTable(parts.kinds)
    super.init(ContextTable(parts.contexts), RecordNumbering(era: 0))
  }

  /// The facts about a class of responders. Each engine finds them out once.
  final class ClassFacts {
    /// The conversion of an instance to ``StateRestoring``; nil if the class does not conform. A
    /// conformance may hold in one isolation only, so the class is asked in that of the tree.
    let restoring: ((Responder) -> any StateRestoring)?
    /// Whether instances are told when they are restored.
    let isFinishing: Bool
    /// The index of the kind of this class, plus one; zero if there is none.
    let kind: UInt16

    var hasMethods: Bool { restoring != nil }

    init(_ type: Responder.Type, kind: UInt16) {
      self.kind = kind
      isFinishing = type is any RestorationFinishing.Type
      restoring = (type as? any StateRestoring.Type).map { Self.conversion(to: $0) }
    }

    /// Returns a conversion that does not look for the conformance at each call.
    private static func conversion<Class: StateRestoring>(
      to type: Class.Type
    ) -> (Responder) -> any StateRestoring {
      { responder in
        // Facts are found by the class of the responder, so the responder is of this class.
        unsafe unsafeDowncast(responder, to: Class.self)
      }
    }
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
  /// If code has named a kind, only that one counts. Otherwise it is the kind that made the
  /// responder, or else the kind that has the identifier as its name, or else the kind of the
  /// class.
  func kind(of responder: Responder, _ mark: Mark) -> UInt16 {
    if let name = mark.kindName {
      return kinds.index(named: name) ?? noteUnknown(name, of: responder)
    }
    if mark.kind > 0, mark.keeper === self { return mark.kind }
    // A responder of another class may have the name of the kind by chance.
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

  /// Notes a kind that code has named and that is not registered, once for each name.
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

  override func value(
    _ key: Span<UInt8>, of mark: Mark, _ responder: Responder
  ) -> ValueReader? {
    contexts.forgetMissing()
    guard mark.isBound(to: self) else {
      guard let values = values(of: mark) else { return nil }
      return ReadRecord(mark.record, values, responder, ValueScope(responder, contexts)).value(key)
    }
    if let lastRead, lastRead.isOf(responder, mark) { return lastRead.value(key) }
    guard let values = values(of: mark) else { return nil }
    let read = ReadRecord(mark.record, values, responder, ValueScope(responder, contexts))
    lastRead = read
    return read.value(key)
  }

  /// Gives the application its record.
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
  func replaceLog(with newLog: ArchiveLog) {
    log = newLog
    lastRead = nil
  }

  /// Appends migrated records to the archive in memory.
  func appendToLog(
    _ chunk: [UInt8], itemCount: UInt64, _ records: [(id: UInt32, range: Range<Int>)]
  ) {
    for record in records { log.note(record: record.id, at: record.range) }
    log.append(chunk, itemCount: itemCount)
    lastRead = nil
  }

  /// Forgets the records of all archives so far, including those of responders outside the tree.
  func beginEra() {
    era += 1
    begin(RecordNumbering(era: era))
  }

  /// Appends the items and bytes of a save of changes to the archive.
  func append(_ items: [SavedItem], _ chunk: [UInt8], itemCount: UInt64) {
    for item in items {
      switch item.part {
      case .record(let usedValues):
        log.note(record: item.id, at: item.place)
        used[item.id] = usedValues
      case .children: log.note(childrenOf: item.id, at: item.place)
      }
    }
    log.append(chunk, itemCount: itemCount)
    used.grow(to: log.records.count)
    lastRead = nil
  }

  override func pathsDidChange() { havePathsChanged = true }

  override func ownedDidChange(of responder: Responder, _ mark: Mark) {
    havePathsChanged = true
    if !contexts.siblings.isEmpty { contexts.siblings[ObjectIdentifier(responder)] = nil }
  }

  override func notePaths(in responder: Responder, _ mark: Mark) {
    // The application's mark retains this engine, so the engine must not retain it. It need not be
    // noted, because each save checks it.
    if mark.notePaths(in: responder), !(mark is RootMark) { referring.append(mark) }
  }

  override func noteChange(of mark: Mark) {
    // The application's mark retains this engine, so the engine must not retain it. It need not be
    // noted, because each save checks it.
    if !(mark is RootMark) { changed.append(mark) }
  }

  override func note(_ error: any Error, key: String, of responder: Responder) {
    report.add(problem: "\(responder.restorationPath): the value \"\(key)\" was not read: \(error)")
  }

  /// Notes that the references of a responder's or added object's value led to nothing.
  func note(missing: [String], key: String, of responder: Responder, _ added: AddedObject?) {
    guard let added else { return note(missing: missing, key: key, of: responder) }
    for reason in missing {
      report.note(
        "\(added.identifier) under \(responder.restorationPath): \"\(key)\" misses \(reason)")
    }
  }

  override func note(missing: [String], key: String, of responder: Responder) {
    guard let mark = responder.mark else { return }
    // Prefetching may have noted the same already, before the value was read.
    guard self.missing(key: key, of: mark) != missing else { return }
    if mark.isBound(to: self) {
      missingReferences[MissingKey(record: mark.record, key: key)] = missing
    } else if left(of: mark) != nil, let numbering = mark.numbering as? RecordNumbering {
      numbering.left[mark.record]?.missing[key] = missing
    }
    for reason in missing {
      report.note("\(responder.restorationPath): \"\(key)\" misses \(reason)")
    }
  }

  override func missing(key: String, of mark: Mark) -> [String] {
    guard mark.isBound(to: self) else { return left(of: mark)?.missing[key] ?? [] }
    return missingReferences[MissingKey(record: mark.record, key: key)] ?? []
  }

  override func didLink(_ responder: Responder, _ mark: Mark) {
    guard responder !== linked else { return }
    // Its role may be another one than the archived one.
    if mark.isBound(to: self) { return mark.noteChange(of: responder) }
    if let parent = responder.nextResponder, !contexts.siblings.isEmpty {
      contexts.siblings[ObjectIdentifier(parent)] = nil
    }
  }

  override func didAttach(_ responder: Responder, _ mark: Mark) {
    guard responder !== linked, !mark.isBound(to: self) else { return }
    open(.responder(responder, mark))
  }

  override func didUnlink(_ responder: Responder) { checkWaitingSoon() }

  override func slotsDidChange(of responder: Responder, _ mark: Mark) {
    guard responder !== replayed else { return }
    // The change may decide whether a context that is provided below is handed down.
    havePathsChanged = true
    mark.noteChange(of: responder)
  }
}

/// The record of which a value was read last.
private final class ReadRecord {
  private let record: UInt32
  /// The identity of the record's owner. No other object can get the same one, because the scope
  /// has an unowned reference to the owner, and so the memory is not used again.
  private let owner: ObjectIdentifier
  private let values: RecordValues
  private let scope: ValueScope
  private var cursor: RecordValues.Cursor

  init(_ record: UInt32, _ values: RecordValues, _ owner: Responder, _ scope: ValueScope) {
    self.record = record
    self.owner = ObjectIdentifier(owner)
    self.values = values
    self.scope = scope
    cursor = values.first
  }

  /// Returns whether a responder has this record.
  func isOf(_ responder: Responder, _ mark: Mark) -> Bool {
    owner == ObjectIdentifier(responder) && record == mark.record
  }

  /// Returns the reader of a value; nil if there is none.
  func value(_ key: Span<UInt8>) -> ValueReader? {
    var next = cursor
    guard let entry = try? values.find(key, from: &next) else { return nil }
    cursor = next
    return values.reader(entry, scope)
  }
}

extension Responder {
  /// The identifiers from below the application, in one line for messages.
  var restorationPath: String {
    let names = chain.compactMap { $0 is Application ? nil : $0.mark?.identifier ?? "?" }
    return names.isEmpty ? "the application" : names.reversed().joined(separator: " › ")
  }
}
