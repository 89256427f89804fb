import Lineage
import LineageTerminal

/// A question of a deck, then its answer, then the next question: always the one that was known
/// least often.
final class StudyScreen: DeckScreen {
  @Restorable("card") private var card: Object<Card>?
  @Restorable("isShown") private var isShown = false
  @Restorable("right") private var right = 0
  @Restorable("wrong") private var wrong = 0

  init(_ deck: Object<Deck>? = nil) {
    super.init("study", deck)
    onChange(of: ObjectContext.self) { screen, context in
      if context.value != nil, screen.card == nil { screen.attempt(screen.next) }
    }
  }

  /// Asks the card that was known least often, but not the same one twice in a row.
  private func next() throws {
    let deck = deck?.id
    let least = try context().fetch(
      Card.self, where: { $0.deck == deck }, sort: { $0.rightCount }, limit: 2)
    card = least.first { $0 !== card } ?? least.first
    isShown = false
  }

  private func count(isRight: Bool) throws {
    try context().edit { context in
      let card = try context.own(card)
      if isRight { card.rightCount += 1 } else { card.wrongCount += 1 }
    }
    if isRight { right += 1 } else { wrong += 1 }
    try next()
  }

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
    let question = card.map { $0.isDeleted ? "This card was deleted." : $0.question }
    let answer = card.map { isShown ? "\n\n\($0.answer)" : "" }
    let row = frame.write((question ?? "No cards.") + (answer ?? ""), wrappedIn: rows.dropLast(2))
    frame.write("\(right) right, \(wrong) wrong", row: row + 1, column: 2, style: .dim)
  }
}
