import ResponderChain

/// The record from which a value was read last, with the positions of all its values. The memory is
/// used again for the next record, so that reading the properties of many responders allocates
/// little.
struct ReadRecord {
  /// The identity of the record; nil if there is none.
  private var record: ObjectIdentifier?
  /// The identity of the record's responder; nil if there is no record. As long as there is a
  /// record, no other object can have this identity, because the scope's unowned reference keeps
  /// the memory of the responder from being used again.
  private var owner: ObjectIdentifier?
  private var places = ValuePlaces()
  /// The reader of the record's values.
  private var reader = ValueReader([], 0..<0)

  /// Whether a value is being read. Meanwhile, no other value can be read from this record.
  private(set) var isBusy = false

  /// Returns whether this is the given record, of the given responder.
  func isOf(_ responder: Responder, _ record: ObjectIdentifier) -> Bool {
    owner == ObjectIdentifier(responder) && self.record == record
  }

  /// Replaces the record by another one.
  mutating func begin(
    _ record: ObjectIdentifier, _ values: RecordValues, _ owner: Responder, _ contexts: ContextTable
  ) {
    self.record = record
    self.owner = ObjectIdentifier(owner)
    places.replace(by: values)
    reader = values.reader(ValueScope(owner, contexts))
  }

  /// Forgets the record.
  mutating func forget() {
    owner = nil
    isBusy = false
    reader = ValueReader([], 0..<0)
  }

  /// Returns a reader of a property's value; nil if there is no value. If there is a value, this
  /// record is busy until ``putBack(_:)`` is called.
  mutating func take(_ key: PropertyKey) -> ValueReader? {
    guard let place = key.withText({ places.find($0, reader.bytes) }) else { return nil }
    var taken = ValueReader([], 0..<0)
    swap(&taken, &reader)
    taken.move(to: place)
    isBusy = true
    return taken
  }

  /// Ends the read that ``take(_:)`` has begun, unless the record was forgotten meanwhile.
  mutating func putBack(_ taken: ValueReader) {
    guard isBusy else { return }
    reader = taken
    isBusy = false
  }
}
