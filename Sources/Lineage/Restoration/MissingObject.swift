/// An archived object that could not be found or read.
struct MissingObject: CustomStringConvertible {
  let reference: ObjectReference
  let reason: Cause

  /// The cause of an absence.
  enum Cause: Error {
    /// The object was deleted, or was never saved before the program ended.
    case deleted
    /// The object belongs to another store. `expected` is the id of the store in which it was
    /// looked up.
    case wrongStore(expected: String)
    /// The schema no longer has the entity of the object.
    case unknownEntity
    /// The object is of another entity than the property.
    case otherEntity
    /// The object's row could not be read.
    case unreadable(any Error)

    /// Whether the object may be found later: by another attempt, or in its own store.
    var isForNow: Bool {
      switch self {
      case .wrongStore, .unreadable: true
      case .deleted, .unknownEntity, .otherEntity: false
      }
    }
  }

  /// The URI and the reason.
  var description: String { "\(reference): \(reason)" }
}

extension MissingObject.Cause: CustomStringConvertible {
  /// The reason, as a sentence.
  var description: String {
    switch self {
    case .deleted: "it was deleted, or never saved"
    case .wrongStore(let expected): "it is another store's; this is \(expected)"
    case .unknownEntity: "the store has no such entity"
    case .otherEntity: "it is of another entity than the property"
    case .unreadable(let error): "\(error)"
    }
  }
}
