import ResponderChain

/// The record from which a value was read last. The properties of a responder are usually read one
/// after the other.
struct ReadRecord {
  /// The identities of the record and of its responder. As long as they are known, no other object
  /// can have the identity of the responder, because the scope's unowned reference keeps the memory
  /// of the responder from being used again.
  private let record: ObjectIdentifier
  private let owner: ObjectIdentifier
  private let values: RecordValues
  private let scope: ValueScope
  /// The position after the value that was read last, at which the next search begins.
  private var cursor: RecordValues.EntryCursor
  /// A reader of the record's bytes; nil while a value is being read. It is used again, because
  /// making one counts references (`restore`).
  private var reader: ValueReader?

  init(_ record: ObjectIdentifier, _ values: RecordValues, _ scope: ValueScope) {
    self.record = record
    owner = ObjectIdentifier(scope.responder)
    self.values = values
    self.scope = scope
    cursor = values.first
    reader = values.reader(scope)
  }

  /// Returns whether this is the given record, of the given responder.
  func isOf(_ responder: Responder, _ record: ObjectIdentifier) -> Bool {
    owner == ObjectIdentifier(responder) && self.record == record
  }

  /// Returns a reader of a property's value; nil if there is no value. It is put back after the read.
  mutating func take(_ key: PropertyKey) -> ValueReader? {
    guard let range = key.withText({ values.range($0, from: &cursor) }) else { return nil }
    var taken = reader.take() ?? values.reader(scope)
    taken.move(to: range)
    return taken
  }

  /// Takes a reader back, unless this record has one: meanwhile, another value may have been read, or
  /// another record.
  mutating func putBack(_ taken: consuming ValueReader) { if reader == nil { reader = taken } }
}
