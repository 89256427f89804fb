import ResponderChain

/// The record from which a value was read last. It is remembered because the properties of a
/// responder are usually read one after the other, in the order of the class.
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

  init(_ record: ObjectIdentifier, _ values: RecordValues, _ scope: ValueScope) {
    self.record = record
    owner = ObjectIdentifier(scope.responder)
    self.values = values
    self.scope = scope
    cursor = values.first
  }

  /// Returns whether this is the given record, of the given responder.
  func isOf(_ responder: Responder, _ record: ObjectIdentifier) -> Bool {
    owner == ObjectIdentifier(responder) && self.record == record
  }

  /// Returns a reader of a property's value; nil if there is no value.
  mutating func reader(_ key: PropertyKey) -> ValueReader? {
    let entry = key.withText { try? values.find($0, from: &cursor) }
    return entry.map { values.reader($0, scope) }
  }
}
