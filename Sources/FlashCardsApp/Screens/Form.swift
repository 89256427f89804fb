import Lineage
import LineageTerminal

/// A screen with texts to fill in. It works in a branch of the context, so that nobody else sees
/// what it makes and changes until it is saved.
class Form: Screen {
  private let fields: [TextField]
  @Restorable("field") private var saved = 0
  /// The number of the field that is edited. A damaged archive may have any number.
  private var place: Int { fields.indices.contains(saved) ? saved : 0 }
  /// Whether the form makes a new object.
  @Restorable("isNew") final var isNew = true

  init(_ identifier: String, fields: [TextField]) {
    self.fields = fields
    super.init(identifier, views: fields)
    branch(ObjectContext.self)
  }

  /// Writes the texts into objects of the branch.
  func write(into context: ObjectContext) throws {}

  override var focus: ViewResponder? { fields[place] }

  override var bindings: [Binding] {
    let isLast = place == fields.count - 1
    return [
      (.enter, isLast ? "save" : "next", { try isLast ? self.save() : self.move(1) }),
      (.escape, "cancel", { try self.leave(.discard) }), (.control("s"), "save", save),
      (.tab, "", { self.move(1) }), (.down, "", { self.move(1) }),
      (.backTab, "", { self.move(-1) }), (.up, "", { self.move(-1) }),
    ]
  }

  private func move(_ step: Int) { saved = (place + step + fields.count) % fields.count }

  private func save() throws {
    let context = try context()
    // After a failure, the texts are still in the fields, and the next attempt begins anew.
    defer { context.discard() }
    try write(into: context)
    try leave(.saveAll)
  }

  override func draw(in frame: inout Frame, rows: Range<Int>) {
    for (index, field) in fields.enumerated() {
      field.draw(in: &frame, row: rows.lowerBound + 2 * index, isFocused: index == place)
    }
  }
}

/// The form for the name of a new or an old deck.
final class DeckForm: Form {
  @Restorable("deck") private var deck: Object<Deck>?
  private let name = TextField("Name:", identifier: "name")

  init(_ deck: Object<Deck>? = nil) {
    super.init("deck form", fields: [name])
    (isNew, self.deck, name.text) = (deck == nil, deck, deck?.name ?? "")
  }

  override var title: String { isNew ? "New deck" : "Rename deck" }

  override func write(into context: ObjectContext) throws {
    let deck = try isNew ? context.insert(Deck()) : context.own(deck)
    deck.name = name.text
  }
}

/// The form for a new or an old card.
final class CardForm: Form {
  /// The deck of a new card.
  @Restorable("deck") private var deck: Object<Deck>?
  /// The card that is edited.
  @Restorable("card") private var card: Object<Card>?
  private let question = TextField("Question:", identifier: "question")
  private let answer = TextField("Answer:  ", identifier: "answer")

  init(_ card: Object<Card>? = nil, in deck: Object<Deck>? = nil) {
    super.init("card form", fields: [question, answer])
    (isNew, self.card, self.deck) = (card == nil, card, deck)
    (question.text, answer.text) = (card?.question ?? "", card?.answer ?? "")
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
