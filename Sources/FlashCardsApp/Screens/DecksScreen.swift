import Lineage
import LineageTerminal

/// The first screen: all decks.
final class DecksScreen: Screen {
  private let list = ListView<Deck>()
  /// All cards, only to hear of their changes: the rows show how many cards a deck has.
  private var cards: LiveList<Card>?
  private var observation: ObjectObservation?

  init() {
    super.init("decks", views: [list])
    onChange(of: ObjectContext.self) { screen, _ in screen.attempt(screen.follow) }
  }

  private func follow() throws {
    let context = context(ObjectContext.self)
    try list.show(FetchRequest(sort: { $0.name }), in: context)
    cards = try context.map { try LiveList(FetchRequest(), in: $0) }
    observation = cards?.observe { [weak self] _, _ in self?.send(Redraw()) }
  }

  override var title: String { "Decks" }

  override var bindings: [Binding] {
    var bindings: [Binding] = [("n", "new deck", { try self.present(DeckForm()) })]
    if let deck = list.selected {
      bindings += [
        (.enter, "open", { try self.present(CardsScreen(deck)) }),
        ("s", "study", { try self.present(StudyScreen(deck)) }),
        ("e", "rename", { try self.present(DeckForm(deck)) }),
        ("d", "delete", { try self.require(Trash.self).take(deck, from: self.context()) }),
      ]
    } else if list.list != nil {
      bindings.append(("a", "add a sample", { try Deck.addSample(to: self.context()) }))
    }
    return bindings + undo + [("q", "quit", quit)]
  }

  override func draw(in frame: inout Frame, rows: Range<Int>) {
    list.draw(in: &frame, rows: rows, ifEmpty: "No decks yet.") {
      ($0.name, "\($0.cards.count) cards")
    }
  }
}
