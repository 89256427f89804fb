/// One archived record, for as long as somebody needs it: the mark of its responder or object, or
/// the record above it.
///
/// Each save gives a record its place in the new archive. That of a responder outside the tree
/// keeps its place in the old one, for the time when it is attached again.
final class Record {
  /// The use of a record.
  enum RecordState: UInt8 {
    /// A responder or object has the record, or had it when the last archive was made.
    case live
    /// No responder or object has the record. It is kept for a later launch.
    case carried
    /// The record is removed by the next save.
    case gone
  }

  let home: RecordHome
  // Exclusivity is unchecked for speed (`save` and `restore`): each access is a copy or an
  // assignment.
  /// The bytes with the record. They are those of an archive, or of a migrated record.
  @exclusivity(unchecked) @safe private(set) var bytes: [UInt8]
  @exclusivity(unchecked) @safe private var range: Range<UInt32>
  @exclusivity(unchecked) @safe var state = RecordState.live
  /// The number, among the keeper's saves, of the save that has given the record its place.
  @exclusivity(unchecked) @safe private(set) var save: UInt32 = 0
  /// The number that names the record in archives. A new record has none until it is needed.
  @exclusivity(unchecked) @safe var id: RecordID
  /// The index of the record's line in the report; negative if it has none.
  @exclusivity(unchecked) @safe var line = -1
  /// The values that methods have used; see ``UsedValues``.
  @exclusivity(unchecked) @safe var used = UsedValues()
  /// The records directly below this one, in the order of the archive.
  @exclusivity(unchecked) @safe var below: [Record] = []
  /// The facts that only few records have.
  @exclusivity(unchecked) @safe private var extrasBox: RecordExtras?

  /// Makes a record in the given range of bytes. If the range is empty, the record has no values.
  init(
    _ home: RecordHome, _ bytes: [UInt8] = [], _ range: Range<Int> = 0..<0, id: RecordID = .none
  ) {
    self.home = home
    self.id = id
    self.bytes = bytes
    self.range = UInt32(range.lowerBound)..<UInt32(range.upperBound)
  }

  /// Takes the values of a record of another home. References lead to their responders if these are in
  /// the application, too, and to none otherwise.
  func take(_ other: Record) {
    parts = other.parts
    used = other.used
    guard let reader = other.reader else { return }
    var copy = Array(reader.bytes[reader.position..<reader.end])
    migrate(to: copy, copy.indices)
    forEachReference { _, name, reference in
      guard name.isEmpty else { return }
      let responder = other.home.contexts.responder(RecordID(reference))
      let id = responder.flatMap { home.id(of: $0) } ?? .none
      copy.replaceSubrange(reference.indices, with: id.bytes)
    }
    migrate(to: copy, copy.indices)
  }

  /// The place by which the crash guard names the record.
  var place: StrikePlace { StrikePlace(id) }

  /// Gives the record its place in the archive of the given save.
  func move(to bytes: [UInt8], _ range: Range<Int>, save: UInt32) {
    self.save = save
    migrate(to: bytes, range)
  }

  /// Gives the record other bytes, which the archive does not have.
  func migrate(to bytes: [UInt8], _ range: Range<Int>) {
    self.bytes = bytes
    self.range = UInt32(range.lowerBound)..<UInt32(range.upperBound)
  }

  /// The reader of the record; nil if it has no bytes, because it is damaged or was never saved.
  var reader: ValueReader? {
    range.isEmpty ? nil : ValueReader(bytes, Int(range.lowerBound)..<Int(range.upperBound))
  }

  /// The header; nil if it cannot be read.
  var header: RecordHeader? { reader.flatMap { try? RecordHeader($0) } }

  /// The values; nil if they cannot be read.
  var values: RecordValues? { reader.flatMap { try? RecordValues($0) } }

  /// Calls the closure with each reference in the values; see ``ValueReader/forEachReference(_:)``.
  func forEachReference(
    _ body: (RecordValues.ValueEntry, _ context: ArraySlice<UInt8>, _ text: ArraySlice<UInt8>) ->
      Void
  ) {
    guard let values else { return }
    try? values.forEach { entry in
      var reader = values.reader(entry, nil)
      try? reader.forEachReference { body(entry, $0, $1) }
    }
  }

  private var extras: RecordExtras {
    if let extrasBox { return extrasBox }
    let made = RecordExtras()
    extrasBox = made
    return made
  }

  /// The facts about a carried record; nil if the record is not carried, or is below another
  /// carried record.
  var carry: Carry? {
    get { extrasBox?.carry }
    set { if newValue != nil || extrasBox != nil { extras.carry = newValue } }
  }

  /// Whether references in the values led to nothing.
  var hasMissing: Bool { extrasBox?.missing.isEmpty == false }

  /// The reasons why references in the value under a key led to nothing.
  subscript(missing key: String) -> [String] {
    get { extrasBox?.missing[key] ?? [] }
    set {
      if newValue.isEmpty { extrasBox?.missing[key] = nil } else { extras.missing[key] = newValue }
    }
  }

  /// The values with missing references that methods have read. Their bytes are kept until the
  /// values change.
  var kept: [WaitingValue] {
    get { extrasBox?.kept ?? [] }
    set { if !newValue.isEmpty || extrasBox != nil { extras.kept = newValue } }
  }

  /// The parts of the record, as the last archive has them.
  var parts: [ArchivedPart] {
    get { extrasBox?.parts ?? [] }
    set { if !newValue.isEmpty || extrasBox != nil { extras.parts = newValue } }
  }

  /// Whether the last save has reported that a part of the record could not be archived.
  var hasPartProblem: Bool {
    get { extrasBox?.hasPartProblem ?? false }
    set { if newValue || extrasBox != nil { extras.hasPartProblem = newValue } }
  }

  /// The closures that give properties their defaults back; see ``ValueCell/keepDefault(in:)``.
  var defaults: [() -> Void] {
    get { extrasBox?.defaults ?? [] }
    set { if !newValue.isEmpty || extrasBox != nil { extras.defaults = newValue } }
  }

  /// Returns the next carried record directly below this one that has the given identifier, and is
  /// that of an added object or of a responder; nil if none. Each call returns another record.
  ///
  /// - Complexity: O(1), or O(*n*) for *n* records below at the first call.
  func nextCarried(_ identifier: String, isObject: Bool) -> Record? {
    guard !below.isEmpty else { return nil }
    if extras.openable == nil {
      var found: [Bool: [String: [Record]]] = [:]
      for record in below.reversed() where record.state == .carried {
        guard let header = record.header else { continue }
        found[header.role == .object, default: [:]][header.identifier, default: []].append(record)
      }
      extras.openable = found
    }
    while let record = extras.openable?[isObject]?[identifier]?.popLast() {
      if record.state == .carried, record.carry?.isDisplaced != true { return record }
    }
    return nil
  }

  /// Makes the next search for a carried record begin anew, because there is another one.
  func forgetSearch() { extrasBox?.openable = nil }
}

extension ArchivedTree {
  /// Returns new records for the tree: the application's, with those below it. A damaged record has
  /// no bytes.
  func records(in home: RecordHome) -> Record {
    let records = items.map { item in
      item.isDamaged ? Record(home) : Record(home, archive.bytes, item.range)
    }
    records.first?.id = .application
    forEachFamily { parent, below in records[parent].below = Array(records[below]) }
    return records.first ?? Record(home)
  }
}

/// The facts that only few records have.
private final class RecordExtras {
  var carry: Carry?
  var missing: [String: [String]] = [:]
  var kept: [WaitingValue] = []
  var parts: [ArchivedPart] = []
  var hasPartProblem = false
  var defaults: [() -> Void] = []
  /// The carried records below that may still be given to an added object (true) or a responder, by
  /// their identifiers, the last one first. Nil until the first search.
  var openable: [Bool: [String: [Record]]]?
}
