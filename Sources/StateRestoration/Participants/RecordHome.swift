import ResponderChain

/// The place to which the records of one restoration belong. Before another archive is restored, the
/// keeper gets a new one. A home ends when all of its records are forgotten.
///
/// A mark retains its record, and so the home, but not the record keeper. So a property reads its
/// archived value without a weak reference to the keeper.
final class RecordHome {
  /// The object that keeps the records; nil after that object was deallocated.
  private(set) weak var keeper: RecordKeeper?
  let contexts: ContextTable
  /// The crash guard, which tells the next launch in which record this process has crashed.
  let crashGuard: StrikePage
  /// Whether the records are forgotten. Their values are not read any more.
  private(set) var isEnded = false
  /// The records that are taking their values from another home.
  private var taken: [(new: Record, old: Record)] = []
  /// The record from which a value was read last. Remembered because a responder's properties are
  /// usually read one after the other.
  ///
  /// Exclusivity is unchecked for speed (`restore`): no access runs code of an app.
  @exclusivity(unchecked) @safe private var last: ReadRecord?

  init(_ keeper: RecordKeeper) {
    self.keeper = keeper
    (contexts, crashGuard) = (keeper.contexts, keeper.crashGuard)
  }

  /// Forgets all records.
  func end() {
    isEnded = true
    forgetLast()
  }

  /// Forgets the record from which a value was read last, because the record has changed.
  func forgetLast() { last = nil }

  /// Returns the id of the record of a mark. A record without an id gets one, and so do the records
  /// above it. `parent` is the responder above that of the mark, or above the added object.
  func id(of mark: Mark, below parent: Responder?) -> RecordID {
    var new: [(record: Record, identifier: String)] = []
    var (record, identifier, next) = (record(of: mark), mark.identifier, parent)
    while record.id == .none, let responder = next, let above = responder.mark {
      new.append((record, identifier))
      (record, identifier, next) = (
        self.record(of: above), above.identifier, responder.nextResponder
      )
    }
    // A record below a responder that is not archived has no place in archives.
    guard record.id != .none else { return .none }
    for (below, identifier) in new.reversed() {
      below.id = keeper?.makeID(identifier, below: record.id) ?? .none
      record = below
    }
    return record.id
  }

  /// Returns the id by which values refer to a responder; nil if the responder is not in the tree, or
  /// is not archived.
  func id(of responder: Responder) -> RecordID? {
    guard let mark = responder.mark,
      let root = responder.application?.mark as? RootMark, root.keeperOfTree === keeper
    else { return nil }
    let id = id(of: mark, below: responder.nextResponder)
    if id == .none { return nil }
    contexts.responders[id] = ReferredResponder(responder)
    return id
  }

  /// Returns the record of a mark. A mark without a record gets one without values. A responder brings
  /// its values from an earlier home, and also its kind from another application.
  func record(of mark: Mark) -> Record {
    if let record = mark.record(in: self) { return record }
    let old = mark.record
    let record = mark.begin(in: self)
    guard let old, old.home !== self, let other = old.home.keeper else { return record }
    let isKept = !old.home.isEnded && old.state != .gone
    if other !== keeper { mark.setKind(ofFactory: isKept ? keeper?.kind(of: old) ?? 0 : 0) }
    guard isKept else { return record }
    taken.append((record, old))
    guard taken.count == 1 else { return record }
    // A record may refer to responders whose records are taken as well. Nothing recurses over them.
    var next = 0
    while next < taken.count {
      taken[next].new.take(taken[next].old)
      next += 1
    }
    taken = []
    return record
  }

  /// Reads the archived value of a responder's property.
  ///
  /// - Returns: false if there is no archived value.
  func read(
    _ property: PropertyCell, of record: Record, _ responder: Responder
  ) throws -> Bool {
    guard !isEnded, record.state != .gone else { return false }
    contexts.forgetNotes()
    if last?.isOf(responder, ObjectIdentifier(record)) != true {
      guard let values = record.values else { return false }
      if crashGuard.place == .none { crashGuard.check() }
      let scope = ValueScope(responder, contexts)
      last = ReadRecord(ObjectIdentifier(record), values, scope)
    }
    guard var reader = last?.take(property.key) else { return false }
    let outer = crashGuard.enter(record.place)
    defer {
      crashGuard.leave(to: outer)
      last?.putBack(reader)
    }
    try property.read(from: &reader)
    return true
  }
}
