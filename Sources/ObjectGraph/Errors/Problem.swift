/// A reason why a value must not be saved.
public struct Problem: Hashable, Sendable, CustomStringConvertible {
  /// The property's name in the schema; nil if the reason concerns the whole value.
  public let property: String?
  /// The reason, as the end of a sentence: "must not be empty".
  public let message: String

  /// Creates a reason that concerns one property, or the whole value if the property is nil.
  public init(_ property: String?, _ message: String) {
    self.property = property
    self.message = message
  }

  /// Creates a reason that concerns the whole value.
  public init(_ message: String) { self.init(nil, message) }

  /// The property and the message.
  public var description: String { property.map { "\($0) \(message)" } ?? message }
}
