/// The name of a value in a record, with the value's type.
///
/// A text literal is a key, too:
///
/// ```swift
/// extension StateKey where Value == Int? {
///   static var selection: Self { "selection" }
/// }
///
/// try coder.encode(selection, for: .selection)
/// try coder.encode(zoom, for: "zoom")
/// ```
public struct StateKey<Value>: ExpressibleByStringLiteral, Sendable, Hashable {
  /// The name in the record.
  public let name: String

  /// Creates a key with a name.
  public init(_ name: String) { self.name = name }

  /// Creates a key with a name.
  public init(stringLiteral name: String) { self.name = name }
}
