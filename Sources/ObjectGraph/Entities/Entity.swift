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
/// Each stored property must have an initial value, and the schema must name it exactly once. When
/// a property is added to an entity, existing rows get the property's initial value.
public protocol Entity: Sendable {
  /// Creates a value whose properties have their initial values.
  init()
  /// The names under which a store keeps the properties.
  static var schema: Schema<Self> { get }
  /// The reasons why this value must not be saved; empty by default.
  var problems: [Problem] { get }
}

extension Entity {
  /// An empty list, so that an entity without rules of its own can always be saved.
  public var problems: [Problem] { [] }
}
