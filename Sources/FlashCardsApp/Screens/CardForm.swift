import Lineage

/// The form for a new or an old card.
final class CardForm: Form {
  /// The deck of a new card.
  @Restorable("deck") private var deck: Object<Deck>?
  /// The card that is edited.
  @Restorable("card") private var card: Object<Card>?
  private let question = TextField("Question:", identifier: "question")
  private let answer = TextField("Answer:  ", identifier: "answer")

  init() { super.init("card form", fields: [question, answer]) }

  convenience init(in deck: Object<Deck>) {
    self.init()
    self.deck = deck
  }

  convenience init(_ card: Object<Card>) {
    self.init()
    (isNew, self.card) = (false, card)
    (question.text, answer.text) = (card.question, card.answer)
  }

  override var title: String { isNew ? "New card" : "Edit card" }

  override func write(into context: ObjectContext) throws {
    let card = try isNew ? Object(Card()) : context.own(card)  // a new one is a draft
    (card.question, card.answer) = (question.text, answer.text)
    guard isNew else { return }
    card.deck = try context.own(deck)
    try context.insert(card)
  }
}
