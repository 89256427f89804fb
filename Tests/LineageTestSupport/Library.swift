package import ObjectGraph

// The entities in the tests of contexts and stores: cards in decks on shelves, and their learners.

/// A flash card.
package struct Card: Entity {
  package var question = ""
  package var answer = ""
  package var rightCount = 0
  package var isHard = false
  package var deck: Ref<Deck>?
  package var next: Ref<Card>?
  package var previous: Many<Card> { Many(\.next) }
  package var fans: Many<Learner> { Many(\.favourite) }

  package init() {}

  package init(_ question: String, rightCount: Int = 0) {
    self.question = question
    self.rightCount = rightCount
  }

  package var problems: [Problem] {
    var problems: [Problem] = []
    if question == "forbidden" { problems.append(Problem("question", "must not be forbidden")) }
    if rightCount < -100 { problems.append(Problem("rightCount", "must be more than -100")) }
    return problems
  }

  package static let schema = Schema<Card>("Card") {
    Attribute("question", \.question)
    Attribute("answer", \.answer)
    Attribute("rightCount", \.rightCount, indexed: true)
    Attribute("isHard", \.isHard)
    ToOne("deck", \.deck)
    ToOne("next", \.next)
    ToMany("previous", \.previous)
    ToMany("fans", \.fans, onDelete: .nullify)
  }
}

/// A deck of cards. Deleting the deck deletes its cards.
package struct Deck: Entity {
  package var name = ""
  package var shelf: Ref<Shelf>?
  package var cards: Many<Card> { Many(\.deck) }

  package init() {}

  package init(_ name: String) { self.name = name }

  package static let schema = Schema<Deck>("Deck") {
    Attribute("name", \.name, unique: true)
    ToOne("shelf", \.shelf)
    ToMany("cards", \.cards, onDelete: .cascade)
  }
}

/// A shelf of decks. A shelf with decks cannot be deleted.
package struct Shelf: Entity {
  package var name = ""
  package var decks: Many<Deck> { Many(\.shelf) }

  package init() {}

  package init(_ name: String) { self.name = name }

  package static let schema = Schema<Shelf>("Shelf") {
    Attribute("name", \.name)
    ToMany("decks", \.decks, onDelete: .deny)
  }
}

/// A learner with a favourite card. Deleting the card sets the reference to nil. A learner's name is
/// never in conflict, and no two learners have the same favourite and the same name.
package struct Learner: Entity {
  package var name = ""
  package var favourite: Ref<Card>?

  package init() {}

  package init(_ name: String) { self.name = name }

  package static let schema = Schema<Learner>("Learner") {
    Attribute("name", \.name, onConflict: .mine)
    ToOne("favourite", \.favourite)
    Unique(\.favourite, \.name)
  }
}

/// A tally that counts its saves, and lists cards.
package struct Tally: WillSave {
  package var name = ""
  package var saves = 0
  package var cards: Through<Slip, Card> { Through(\.tally, \.card, order: \.position) }
  package var slips: Many<Slip> { Many(\.tally) }

  package init() {}

  package init(_ name: String) { self.name = name }

  package mutating func willSave(_ save: SaveMoment<Tally>) { saves += 1 }

  package static let schema = Schema<Tally>("Tally") {
    Attribute("name", \.name)
    Attribute("saves", \.saves)
    ToMany("cards", \.cards)
    ToMany("slips", \.slips, onDelete: .cascade)
  }
}

/// A link from a tally to a card. It is deleted with either of them.
package struct Slip: Entity {
  package var position = 0
  package var tally: Ref<Tally>?
  package var card: Ref<Card>?

  package init() {}

  package static let schema = Schema<Slip>("Slip") {
    Attribute("position", \.position, onConflict: .mine)
    ToOne("tally", \.tally)
    ToOne("card", \.card)
    Unique(\.tally, \.card)
  }
}

/// A list of the entities for tests of contexts and stores.
package enum Library {
  package static let entities: [any Entity.Type] = [
    Card.self, Deck.self, Shelf.self, Learner.self,
  ]
}
