/// An archived object that could not be found or read.
public struct MissingObject: Sendable, CustomStringConvertible {
  /// The archived reference to the object.
  public let reference: ObjectReference
  /// The reason why the object is missing.
  public let reason: Reason

  /// A reason why an object is missing.
  public enum Reason: Error, Sendable {
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
    case unreadable(GraphError)
  }

  /// The URI and the reason.
  public var description: String { "\(reference): \(reason)" }
}

extension MissingObject.Reason: CustomStringConvertible {
  /// The reason, as a sentence.
  public var description: String {
    switch self {
    case .deleted: "it was deleted, or never saved"
    case .wrongStore(let expected): "it is another store's; this is \(expected)"
    case .unknownEntity: "the store has no such entity"
    case .otherEntity: "it is of another entity than the property"
    case .unreadable(let error): "\(error)"
    }
  }
}
