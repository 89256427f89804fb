import Lineage

/// A named set of cards. Deleting a deck also deletes its cards.
struct Deck: Entity {
  var name = ""
  var cards: Many<Card> { Many(\.deck) }

  var problems: [Problem] { name.isBlank ? [Problem("name", "must not be empty")] : [] }

  static let schema = Schema<Deck>("Deck") {
    Attribute("name", \.name, unique: true)
    ToMany("cards", \.cards, onDelete: .cascade)
  }
}

extension String {
  /// Whether the text has nothing but spaces.
  var isBlank: Bool { allSatisfy(\.isWhitespace) }
}
