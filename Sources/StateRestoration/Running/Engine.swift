import Foundation
import ResponderChain

/// The restoration of one application's tree: its records, and the responders that they belong to.
///
/// The application's mark keeps it, and the marks of responders refer to it weakly.
final class Engine: RecordKeeper {
  let kinds: KindTable
  var limits = RestorationLimits()
  private(set) weak var application: Application?
  /// Whether the restoration has had an application, which may have ended.
  private var hasApplication = false
  /// The archive of the last save, or the one with which the application was launched.
  private(set) var log = ArchiveLog(generation: 0)
  /// The record that was read last, because a responder's properties are usually read one after the
  /// other.
  private var lastRead: ReadRecord?
  /// The values that the methods of each record's owner have read or written.
  var used = UsedTable()
  /// The marks of responders that the next save of changes writes again.
  var changed: [Mark] = []
  /// The marks of responders of which the record depends on others; see ``Mark/hasPaths``.
  var referring: [Mark] = []
  /// The number of ancestors and keys that saves have looked at, for tests of the cost.
  var steps = 0
  /// Whether responders may have other paths, or slots, than at the last save.
  var havePathsChanged = false
  /// The responders and objects whose values wait for a context.
  var waiting: [UInt32: WaitingOwner] = [:]
  /// All owners that wait, and some that wait no more. The last one is looked at first.
  var witnesses: [WaitingOwner] = []
  /// Whether the end of the running round looks for owners that wait no more.
  var isCheckingWaiting = false
  /// The records that are kept although they have no owner, by the record above them.
  var carried = CarriedRecords()
  /// The accounts of carried records. Records below a carried one have none of their own.
  var carries: [UInt32: Carry] = [:]
  /// The objects that are not responders.
  var objects = AddedObjects()
  /// The responders and objects that were opened while a restoration runs.
  var opened = OpenedOwners()
  /// The part of the archive that the application has wanted.
  var extent = Restoration.Extent.all
  /// The references of restored values that led to nothing.
  var missingReferences: [MissingKey: [String]] = [:]
  /// The prefetched objects, retained so that values which are read in the same turn of the main
  /// loop find them.
  var prefetched: [AnyObject] = []
  /// Whether a restoration is making and decoding responders, while no save can be made.
  var isRestoring = false
  /// Whether a save is running, during which no other save can be made.
  var isSaving = false
  /// The responder whose archived slots are being replayed, which is no change of it.
  var replayed: Responder?
  /// The responder that the restoration is linking, which is no change of it.
  var linked: Responder?
  /// The number of running executions, one within another. Each is followed by a report.
  var executions = 0
  /// The waiting owners that have found another context in the running round.
  var heard: [WaitingOwner] = []
  /// The paths whose records are erased when the running restoration or save has ended.
  var erasures: [[String]] = []
  /// The records that are being erased, which the running save leaves out.
  var erased: Set<UInt32> = []
  /// The marks of added objects that have changed.
  var changedObjects: [Mark] = []
  /// The kinds that code has named, without a registration.
  private var unknownKinds: Set<String> = []
  var report = RestorationReport()
  var parentage = Restoration.Parentage.nearest
  var ask: ((RestorationInfo) -> Restoration.Extent)?
  var makeResponder: ((RestorationRequest) throws -> Responder?)?
  var didDecode: ((Application) -> Void)?
  var onReport: ((RestorationReport) -> Void)?
  /// The clock, in seconds since the reference date.
  var clock: () -> Double = { Date().timeIntervalSinceReferenceDate }
  /// The number of times that all state was forgotten. Records from before are not read any more.
  private(set) var era = 0
  private var facts: [ObjectIdentifier: ClassFacts] = [:]
  /// The class that was asked for last, because siblings are usually of one class.
  private var lastFacts: (type: ObjectIdentifier, facts: ClassFacts)?

  struct MissingKey: Hashable {
    let record: UInt32
    let key: String
  }

  init(_ parts: RestorationParts) {
    kinds = KindTable(parts.kinds)
    super.init(ContextTable(parts.contexts), RecordNumbering(era: 0))
  }

  /// The facts about a class, which is asked once for each restoration.
  final class ClassFacts {
    /// Returns an instance as one that keeps state by methods; nil if the class does not. The answer
    /// depends on the isolation, which is that of the tree.
    let restoring: ((Responder) -> any StateRestoring)?
    /// Whether instances are told that they are restored.
    let isFinishing: Bool
    /// The index of the kind of this class, plus one; zero if there is none.
    let kind: UInt16

    var hasMethods: Bool { restoring != nil }

    init(_ type: Responder.Type, kind: UInt16) {
      self.kind = kind
      isFinishing = type is any RestorationFinishing.Type
      restoring = (type as? any StateRestoring.Type).map { Self.conversion(to: $0) }
    }

    /// Returns a conversion that need not look for the conformance each time.
    private static func conversion<Class: StateRestoring>(
      to type: Class.Type
    ) -> (Responder) -> any StateRestoring {
      { responder in
        // Facts are found by the class of the responder, so it is this one.
        unsafe unsafeDowncast(responder, to: Class.self)
      }
    }
  }

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

  /// Returns the index of a responder's kind, plus one: the kind that made it, or that has the name
  /// of its identifier, or that is registered for its class. Zero if there is none.
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

  /// Returns the name and version with which the record of a responder of a kind is written; see
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

  /// Replaces the archive of which the records are read.
  func replaceLog(with newLog: ArchiveLog) {
    log = newLog
    lastRead = nil
  }

  /// Appends records that were migrated to the archive.
  func appendToLog(
    _ chunk: [UInt8], itemCount: UInt64, _ records: [(id: UInt32, range: Range<Int>)]
  ) {
    for record in records { log.note(record: record.id, at: record.range) }
    log.append(chunk, itemCount: itemCount)
    lastRead = nil
  }

  /// Forgets the records of all archives so far, also those of responders outside the tree.
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
    // The application's mark retains this engine, so it is not retained here. Each save asks it.
    if mark.notePaths(in: responder), !(mark is RootMark) { referring.append(mark) }
  }

  override func noteChange(of mark: Mark) {
    // The application's mark retains this engine, so it is not retained here. Each save asks it.
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
    // A value whose objects were fetched in advance is read later.
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
    // Its role may be another one.
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
    // Values below may be handed down from here, or not any more.
    havePathsChanged = true
    mark.noteChange(of: responder)
  }
}

/// The record of which a property was read last.
private final class ReadRecord {
  private let record: UInt32
  /// The record's owner. No other object can take its place, because the scope keeps its memory.
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
