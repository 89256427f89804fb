import Lineage
import Terminal

/// A question of a deck, then its answer, then the next question: always the one that was known
/// least often.
final class StudyScreen: Screen {
  @Restorable("deck") private var deck: Object<Deck>?
  @Restorable("name") private var name = ""
  @Restorable("card") private var card: Object<Card>?
  @Restorable("isShown") private var isShown = false
  @Restorable("right") private var right = 0
  @Restorable("wrong") private var wrong = 0

  init() {
    super.init("study")
    onChange(of: ObjectContext.self) { screen, context in
      if context.value != nil, screen.card == nil { screen.attempt(screen.next) }
    }
  }

  convenience init(_ deck: Object<Deck>) {
    self.init()
    (self.deck, name) = (deck, deck.name)
  }

  /// Asks the card that was known least often, but not the same one twice in a row.
  private func next() throws {
    let deck = deck?.id
    let least = try context().fetch(
      Card.self, where: { $0.deck == deck },
      sort: {
        $0.rightCount
        $0.wrongCount.descending
      }, limit: 2)
    card = least.first { $0 !== card } ?? least.first
    isShown = false
  }

  private func count(isRight: Bool) throws {
    guard let card else { return }
    try context().edit { context in
      context.conflictPolicy = .addingCounts
      let card = try context.own(card)
      if isRight { card.rightCount += 1 } else { card.wrongCount += 1 }
    }
    if isRight { right += 1 } else { wrong += 1 }
    try next()
  }

  override var title: String { "Study \(name)" }

  override var bindings: [Binding] {
    let end: Binding = (.escape, "end", close)
    guard let card else { return [end] }
    if card.isDeleted { return [(" ", "next", next), end] }
    guard isShown else { return [(" ", "show the answer", { self.isShown = true }), end] }
    return [
      ("r", "I was right", { try self.count(isRight: true) }),
      ("w", "I was wrong", { try self.count(isRight: false) }), end,
    ]
  }

  override func draw(in frame: inout Frame, rows: Range<Int>) {
    guard context(ObjectContext.self) != nil else { return }
    var text = "This deck has no cards."
    if let card {
      text = card.isDeleted ? "This card was deleted." : card.question
      if isShown { text += "\n\n" + card.answer }
    }
    let below = frame.write(text, wrappedIn: rows.dropLast(2))
    frame.write("\(right) right, \(wrong) wrong", row: below + 1, column: 2, style: .dim)
  }
}
