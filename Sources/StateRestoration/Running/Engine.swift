import Foundation
import ResponderChain

/// The restoration of one application's tree: its records, and the responders that they belong to.
///
/// The application's mark keeps it, and the marks of responders refer to it weakly.
final class Engine: RecordKeeper {
  let kinds: KindTable
  var limits = RestorationLimits()
  weak var application: Application?
  /// The archive of the last save, or the one with which the application was launched.
  private(set) var log = ArchiveLog(generation: 0)
  /// The record that was read last, because a responder's properties are usually read one after the
  /// other.
  private var lastRead: ReadRecord?
  /// The values that the methods of each record's owner have read or written.
  var used = UsedTable()
  /// The marks of responders that the next save of changes writes again.
  var changed: [Mark] = []
  /// The marks of responders whose values have the path of another responder.
  var referring: [Mark] = []
  /// The number of ancestors and keys that saves have looked at, for tests of the cost.
  var steps = 0
  /// Whether responders may have other paths than at the last save.
  var havePathsChanged = false
  /// The responders and objects whose values wait for a context.
  var waiting: [UInt32: WaitingOwner] = [:]
  /// The records that no responder has and that are kept, by the record above them.
  var carried: [UInt32: [UInt32]] = [:]
  /// The accounts of carried records. Records below a carried one have none of their own.
  var carries: [UInt32: Carry] = [:]
  /// The objects that are not responders.
  var objects: [AddedObject] = []
  /// The references of restored values that led to nothing.
  var missingReferences: [MissingKey: [String]] = [:]
  /// The prefetched objects, retained so that values which are read later find them.
  var prefetched: [AnyObject] = []
  /// Whether a restoration is making and decoding responders, while no save can be made.
  var isRestoring = false
  /// Whether a save is running, during which no other save can be made.
  var isSaving = false
  /// The responder whose archived slots are being replayed, which is no change of it.
  weak var replayed: Responder?
  /// The responder that the restoration is linking, which is no change of it.
  weak var linked: Responder?
  /// The responders that have found another context in the running round.
  var heard: [Responder] = []
  /// The paths whose records are erased when the running restoration or save has ended.
  var erasures: [[String]] = []
  /// The records that are being erased, which the running save leaves out.
  var erased: Set<UInt32> = []
  /// The marks of added objects that have changed.
  var changedObjects: [Mark] = []
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
    /// Whether instances keep state by methods. The answer depends on the isolation, which is that
    /// of the tree.
    let hasMethods: Bool
    /// The index of the kind of this class, plus one; zero if there is none.
    let kind: UInt16

    init(hasMethods: Bool, kind: UInt16) {
      self.hasMethods = hasMethods
      self.kind = kind
    }
  }

  func facts(of responder: Responder) -> ClassFacts {
    let type = type(of: responder)
    if let last = lastFacts, last.type == ObjectIdentifier(type) { return last.facts }
    if let known = facts[ObjectIdentifier(type)] {
      lastFacts = (ObjectIdentifier(type), known)
      return known
    }
    let made = ClassFacts(
      hasMethods: responder is any StateRestoring, kind: kinds.index(of: type))
    facts[ObjectIdentifier(type)] = made
    return made
  }

  /// Returns the index of a responder's kind, plus one: the kind that made it, or that has the name
  /// of its identifier, or that is registered for its class. Zero if there is none.
  func kind(of responder: Responder, _ mark: Mark) -> UInt16 {
    if let name = mark.kindName { return kinds.index(named: name) ?? 0 }
    if mark.kind > 0, mark.keeper === self { return mark.kind }
    if let explicit = kinds.index(named: mark.identifier) { return explicit }
    return facts(of: responder).kind
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

  /// Replaces the archive of which the records are read.
  func replaceLog(with newLog: ArchiveLog) {
    log = newLog
    lastRead = nil
  }

  /// Forgets the records of all archives so far, also those of responders outside the tree.
  func beginEra() {
    era += 1
    begin(RecordNumbering(era: era))
  }

  /// Adds what a save of changes has written to the archive.
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
    // Its role may be another one.
    if mark.isBound(to: self), responder !== linked { mark.noteChange(of: responder) }
    adopt(responder, mark)
  }

  override func slotsDidChange(of responder: Responder, _ mark: Mark) {
    if responder !== replayed { mark.noteChange(of: responder) }
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

/// The account of a record that is kept for a later launch.
struct Carry {
  /// The number of launches that restored something and have carried the record.
  var launches = 0
  /// The first of these launches, in seconds since the reference date.
  var since = 0.0
  /// Whether it was reported that the next launch will remove the record.
  var isExpiring = false
}

/// An object that is not a responder, with the responder below which its record is.
struct AddedObject {
  weak let object: (any StateRestoring)?
  let identifier: String
  weak let parent: Responder?
  let mark: Mark
}

/// The kinds of a restoration, by name and class.
struct KindTable {
  let all: [Kind]
  private let heads: [(name: String, version: Int)]
  private var names: [String: UInt16] = [:]
  private var types: [ObjectIdentifier: UInt16] = [:]

  init(_ kinds: [Kind]) {
    all = kinds
    heads = kinds.map { ($0.name, $0.version) }
    for (index, kind) in kinds.enumerated() {
      for name in [kind.name] + kind.formerNames {
        precondition(names[name] == nil, "The kind \"\(name)\" is registered twice.")
        names[name] = UInt16(index + 1)
      }
      if let type = kind.type, types[type.id] == nil { types[type.id] = UInt16(index + 1) }
    }
  }

  /// Returns the index of the kind with a name, plus one.
  func index(named name: String) -> UInt16? { names[name] }

  /// Returns the index of the kind of a class, plus one; zero if there is none.
  func index(of type: Responder.Type) -> UInt16 { types[ObjectIdentifier(type)] ?? 0 }

  /// Returns the name and version of the kind at an index plus one, as they are archived.
  func head(_ index: UInt16) -> (name: String, version: Int) {
    index == 0 ? ("", 1) : heads[Int(index) - 1]
  }

  /// Returns the kind at an index plus one; nil for zero.
  subscript(index: UInt16) -> Kind? { index == 0 ? nil : all[Int(index) - 1] }
}

extension Responder {
  /// The identifiers from below the application, in one line for messages.
  var restorationPath: String {
    let names = chain.compactMap { $0 is Application ? nil : $0.mark?.identifier ?? "?" }
    return names.isEmpty ? "the application" : names.reversed().joined(separator: " › ")
  }
}
