import Lineage
import LineageTerminal

/// A question of a deck, then its answer, then the next question: the one that was known least often
/// and, of several, asked least often.
final class StudyScreen: DeckScreen {
  @Restorable("card") private var card: Object<Card>?
  @Restorable("isShown") private var isShown = false
  @Restorable("right") private var right = 0
  @Restorable("wrong") private var wrong = 0

  init(_ deck: Object<Deck>? = nil) {
    super.init("study", deck)
    $card.onEnd { (screen: StudyScreen) in screen.attempt(screen.next) }
    onChange(of: ObjectContext.self) { me, _ in if me.card == nil { me.attempt(me.next) } }
    onKey(" ", "show the answer", when: { $0.card != nil && !$0.isShown }) { $0.isShown = true }
    onKey("r", "I was right", when: \.isShown) { try $0.count(isRight: true) }
    onKey("w", "I was wrong", when: \.isShown) { try $0.count(isRight: false) }
    onKey(.escape, "end") { $0.close() }
  }

  /// Asks the next card, but not the same one twice in a row.
  private func next() throws {
    // When the screen leaves with its deck, there is no context any more.
    guard let context = context(ObjectContext.self) else { return }
    let deck = deck?.id
    let next = try context.fetch(
      Card.self, where: { $0.deck == deck }, sort: { _ in Card.leastKnown }, limit: 2)
    (card, isShown) = (next.first { $0 !== card } ?? next.first, false)
  }

  private func count(isRight: Bool) throws {
    try context().edit { context in
      let card = try context.own(card?.id)
      if isRight { card.rightCount += 1 } else { card.wrongCount += 1 }
    }
    if isRight { right += 1 } else { wrong += 1 }
    try next()
    send(StoreSaved())
  }

  override func draw(in frame: inout Frame, rows: Range<Int>) {
    guard context(ObjectContext.self) != nil else { return }
    let text = card.map { isShown ? "\($0.question)\n\n\($0.answer)" : $0.question }
    let row = frame.write(text ?? "No cards.", wrappedIn: rows.dropLast(2))
    frame.write("\(right) right, \(wrong) wrong", row: row + 1, column: 2, style: .dim)
  }
}
