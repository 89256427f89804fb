/// An object that an archive names and that could not be had.
public struct MissingObject: Sendable, CustomStringConvertible {
  /// What the archive says.
  public let reference: ObjectReference
  /// Why it is not here.
  public let reason: Reason

  /// Why an object is not here.
  public enum Reason: Sendable {
    /// It was deleted, or the program ended before it was ever saved.
    case deleted
    /// It is another store's.
    case wrongStore(expected: String)
    /// No entity has the name any more.
    case unknownEntity
    /// It is of another entity than the property.
    case otherEntity
    /// Its row could not be read.
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
