import Lineage

/// A question with its answer, and how often the answer was known.
struct Card: Entity {
  var question = ""
  var answer = ""
  var rightCount = 0
  var wrongCount = 0
  var deck: Ref<Deck>?

  var problems: [Problem] {
    question.isBlank ? [Problem("question", "must not be empty")] : []
  }

  static let schema = Schema<Card>("Card") {
    Attribute("question", \.question)
    Attribute("answer", \.answer)
    Attribute("rightCount", \.rightCount)
    Attribute("wrongCount", \.wrongCount)
    ToOne("deck", \.deck)
  }
}

extension ConflictPolicy {
  /// A policy that adds up the answers that were counted here and elsewhere at the same time.
  static var addingCounts: ConflictPolicy {
    .resolve { conflict in
      guard let base = conflict.base as? Card, let mine = conflict.mine as? Card,
        var sum = conflict.theirs as? Card
      else { return .theirs }
      sum.rightCount += mine.rightCount - base.rightCount
      sum.wrongCount += mine.wrongCount - base.wrongCount
      return .value(sum)
    }
  }
}
