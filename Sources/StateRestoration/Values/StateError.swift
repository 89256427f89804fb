/// The error of a value that cannot be archived or read, or of state that was not stored.
public struct StateError: Error, Hashable, Sendable {
  /// A reason for which a value was not archived or read, or state was not stored.
  public enum Reason: Hashable, Sendable {
    /// The bytes are those of a value of another type.
    case otherType(expected: String, found: String)
    /// The bytes are those of a number that the type cannot represent.
    case outOfRange(String, type: String)
    /// The bytes are those of a value that the type refuses, such as an unknown case of an enum.
    case refused(String, type: String)
    /// The bytes end too early, or do not form a value.
    case damaged(String)
    /// The value is nested too deeply.
    case tooDeep(limit: Int)
    /// The value is too large.
    case tooLarge(bytes: Int, limit: Int)
    /// The value cannot be archived.
    case unstorable(String)
    /// The state was not stored in its folder.
    case notStored(String)
  }

  /// The reason.
  public let reason: Reason

  /// Creates an error.
  public init(_ reason: Reason) { self.reason = reason }
}

extension StateError: CustomStringConvertible {
  /// The reason, as a sentence. The sentence does not contain the value, because reports contain
  /// the sentence.
  public var description: String {
    switch reason {
    case .otherType(let expected, let found): "It should be \(expected), but it is \(found)."
    case .outOfRange(_, let type): "Its number is out of the range of \(type)."
    case .refused(_, let type): "Its value is no \(type)."
    case .damaged(let what): "Its bytes are damaged: \(what)."
    case .tooDeep(let limit): "It is nested deeper than \(limit) levels."
    case .tooLarge(let bytes, let limit): "It has \(bytes) bytes; the limit is \(limit)."
    case .unstorable(let what), .notStored(let what): "\(what)"
    }
  }
}
