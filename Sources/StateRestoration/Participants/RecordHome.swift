import ResponderChain

/// The place to which the records of one restoration belong. It ends when all records are
/// forgotten, for example before another archive is restored.
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
  /// The record from which a value was read last. It is remembered because a responder's properties
  /// are usually read one after the other.
  ///
  /// Exclusivity checking is off for speed (`restore`). This is safe because no access runs code of
  /// an app.
  @exclusivity(unchecked) @safe private var last: ReadRecord?
  /// The place of that record.
  @exclusivity(unchecked) @safe private var lastPlace = StrikePlace.none

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

  /// Reads the archived value of a responder's property.
  ///
  /// - Returns: false if there is no archived value.
  func read(
    _ property: PropertyCell, of record: Record, _ responder: Responder
  ) throws -> Bool {
    guard !isEnded, record.state != .gone else { return false }
    contexts.forgetMissing()
    if last?.isOf(responder, ObjectIdentifier(record)) != true {
      guard let values = record.values else { return false }
      if crashGuard.isOn {
        if crashGuard.place == .none { crashGuard.check() }
        lastPlace = keeper?.place(of: record) ?? .none
      }
      let scope = ValueScope(responder, contexts, record.targets)
      last = ReadRecord(ObjectIdentifier(record), values, scope)
    }
    guard var reader = last?.take(property.key) else { return false }
    let outer = crashGuard.enter(lastPlace)
    defer {
      crashGuard.leave(to: outer)
      last?.putBack(reader)
    }
    try property.read(from: &reader)
    return true
  }
}
