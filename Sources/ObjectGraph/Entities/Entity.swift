/// A plain struct whose values a store can keep.
///
/// ```swift
/// struct Deck: Entity {
///   var name = ""
///   var cards: Many<Card> { Many(\.deck) }
///   static let schema = Schema<Deck>("Deck") {
///     Attribute("name", \.name, unique: true)
///     ToMany("cards", \.cards, onDelete: .cascade)
///   }
/// }
/// ```
///
/// Each stored property has an initial value and stands in the schema exactly once. The initial
/// values are also what old rows get when a property is new.
public protocol Entity: Sendable {
  /// The value each property has at first.
  init()
  /// The names under which a store keeps the properties.
  static var schema: Schema<Self> { get }
  /// What forbids this value to be saved; nothing unless the entity says so.
  var problems: [Problem] { get }
}

extension Entity {
  /// Nothing is forbidden by default.
  public var problems: [Problem] { [] }
}

/// One reason why a value must not be saved.
public struct Problem: Hashable, Sendable, CustomStringConvertible {
  /// The property's name in the schema, or nil when the value as a whole is meant.
  public let property: String?
  /// What is wrong, as the end of a sentence: "must not be empty".
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
