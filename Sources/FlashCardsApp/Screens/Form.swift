import Lineage
import LineageTerminal

/// A screen with texts to fill in. It works in a branch of the context, so that nobody else sees
/// what it makes and changes until it is saved. If the program is killed, the branch comes back.
class Form: Screen {
  private let fields: [TextField]
  /// Whether the form makes a new object.
  @Restorable("isNew") final var isNew = true
  /// The words by which the user was told of a conflict.
  private var told = ""

  init(_ identifier: String, fields: [TextField]) {
    self.fields = fields
    super.init(identifier, views: fields)
    branch(ObjectContext.self, restoring: .edits)
    onChange(of: ObjectContext.self) { form, context in
      form.attempt { try context.value.map(form.open) ?? fields.forEach { $0.close() } }
    }
    for field in fields.dropLast() {
      field.onKey(.enter, "next") { try ($0.nextResponder as? Form)?.move(1) }
    }
    for key in [Key.enter, .control("s")] { onKey(key, "save") { try $0.save() } }
    onKey(.escape, "cancel") { try $0.leave(.discard) }
    for key in [Key.tab, .down] { onKey(key) { try $0.move(1) } }
    for key in [Key.backTab, .up] { onKey(key) { try $0.move(-1) } }
  }

  /// Shows the properties of an object of the branch in the fields. The store is open now.
  func open(in context: ObjectContext) throws {}

  private func move(_ step: Int) throws {
    let place = fields.firstIndex(where: \.isFirst) ?? 0
    try application?.makeFirst(fields[(place + step + fields.count) % fields.count])
  }

  private func save() throws {
    try context().conflictPolicy = .resolve { [unowned self] in try decide($0) }
    // Keys that come together are handled before the form hears of its context.
    try open(in: context())
    send(StoreSaved())
    try leave(.saveAll)
  }

  /// Tells the user what others have saved meanwhile. The next save replaces it.
  private func decide(_ conflict: Conflict) throws -> ConflictPolicy.Decision {
    let change = conflict.theirs.map { "changed meanwhile. Save again to replace it: \($0)" }
    let words = "It was \(change ?? "deleted meanwhile. Save again to put it back.")"
    defer { told = words }
    if told == words { return .mine }
    throw Mistake(description: words)
  }

  override func draw(in frame: inout Frame, rows: Range<Int>) {
    for (index, field) in fields.enumerated() {
      field.draw(in: &frame, row: rows.lowerBound + 2 * index)
    }
  }
}

/// The form for the name of a new or an old deck.
final class DeckForm: Form {
  @Restorable("deck") private var deck: Object<Deck>?
  private let name = TextField("Name:", identifier: "name")

  init(_ deck: Object<Deck>? = nil) {
    super.init("deck form", fields: [name])
    (isNew, self.deck) = (deck == nil, deck)
  }

  override var title: String { isNew ? "New deck" : "Rename deck" }

  override func open(in context: ObjectContext) throws {
    deck =
      try isNew && deck == nil ? context.insert(Deck(name: name.text)) : context.own(deck?.id)
    name.edit(deck, \.name)
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
  }

  override var title: String { isNew ? "New card" : "Edit card" }

  override func open(in context: ObjectContext) throws {
    card =
      try isNew && card == nil
      ? context.insert(
        Card(question: question.text, answer: answer.text, deck: context.own(deck?.id).id))
      : context.own(card?.id)
    question.edit(card, \.question)
    answer.edit(card, \.answer)
  }
}
