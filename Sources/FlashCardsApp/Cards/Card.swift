import Lineage

/// A question with its answer, and how often the answer was known.
struct Card: Entity, CustomStringConvertible {
  var question = ""
  var answer = ""
  var rightCount = 0
  var wrongCount = 0
  var deck: Ref<Deck>?

  var description: String { "\(question)  \(answer)" }

  var problems: [Problem] { question.isEmpty ? [Problem("question", "must not be empty")] : [] }

  /// The cards that were known least often and, of several, asked least often.
  static let leastKnown = Ordering<Card> {
    $0.rightCount
    $0.wrongCount
  }

  static let schema = Schema<Card>("Card") {
    Attribute("question", \.question)
    Attribute("answer", \.answer)
    Attribute("rightCount", \.rightCount)
    Attribute("wrongCount", \.wrongCount)
    ToOne("deck", \.deck)
    Index(\.deck, \.question)  // the cards of a deck, in the order in which they are listed
  }
}
