import Lineage

/// A named set of cards. Deleting a deck also deletes its cards.
struct Deck: Entity, CustomStringConvertible {
  var name = ""
  var cards: Many<Card> { Many(\.deck) }

  var description: String { name }

  var problems: [Problem] { name.isEmpty ? [Problem("name", "must not be empty")] : [] }

  static let schema = Schema<Deck>("Deck") {
    Attribute("name", \.name, unique: true)
    ToMany("cards", \.cards, onDelete: .cascade)
  }

  /// Saves a deck with a few cards, for somebody who wants to look around first.
  static func addSample(to context: ObjectContext) throws {
    let cards = [
      "the tree": "el árbol", "the leaf": "la hoja", "the root": "la raíz",
      "the branch": "la rama", "the chain": "la cadena", "the child": "la niña, el niño",
    ]
    try context.edit { context in
      let deck = try context.insert(Deck(name: "Spanish, a sample"))
      for (question, answer) in cards.sorted(by: <) {
        try context.insert(Card(question: question, answer: answer, deck: deck.id))
      }
    }
  }
}
