/// One reason why a value must not be saved.
public struct Problem: Hashable, Sendable, CustomStringConvertible {
  /// The property's name in the schema, or nil when the value as a whole is meant.
  public let property: String?
  /// The problem, as the end of a sentence: "must not be empty".
  public let message: String

  /// A reason that concerns one property, or the whole value if it is nil.
  public init(_ property: String?, _ message: String) {
    self.property = property
    self.message = message
  }

  /// A reason that concerns the value as a whole.
  public init(_ message: String) { self.init(nil, message) }

  /// The property and what is wrong with it.
  public var description: String { property.map { "\($0) \(message)" } ?? message }
}
