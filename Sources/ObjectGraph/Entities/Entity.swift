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
  /// The reasons why this value must not be saved; none unless the entity names some.
  var problems: [Problem] { get }
}

extension Entity {
  /// Nothing is forbidden by default.
  public var problems: [Problem] { [] }
}
