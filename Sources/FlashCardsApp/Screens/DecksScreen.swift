import Lineage
import Terminal

/// The first screen: all decks.
final class DecksScreen: Screen {
  private let list = ListView<Deck>()
  /// All cards, only to hear of their changes: the rows show how many cards a deck has.
  private var cards: LiveList<Card>?
  private var observation: ListObservation?

  init() {
    super.init("decks", views: [list])
    onChange(of: ObjectContext.self) { screen, context in
      screen.attempt { try screen.follow(context.value) }
    }
  }

  private func follow(_ context: ObjectContext?) throws {
    try list.show(FetchRequest(sort: { $0.name }), in: context)
    cards = try context.map { try LiveList(FetchRequest(), in: $0) }
    observation = cards?.observe { [weak self] _, _ in self?.send(Redraw()) }
  }

  override var title: String { "Decks" }
  override var focus: ViewResponder? { list }

  override var bindings: [Binding] {
    var bindings: [Binding] = []
    if let deck = list.selected {
      bindings += [
        (.enter, "open", { try self.present(CardsScreen(deck)) }),
        ("s", "study", { try self.present(StudyScreen(deck)) }),
        ("e", "rename", { try self.present(DeckForm(deck)) }),
        ("d", "delete", { try self.require(Trash.self).take(deck, from: self.context()) }),
      ]
    } else {
      bindings.append(("a", "add a sample", { try self.context().addSample() }))
    }
    return [("n", "new deck", { try self.present(DeckForm()) })] + bindings + undo
      + [("q", "quit", quit)]
  }

  override func draw(in frame: inout Frame, rows: Range<Int>) {
    if list.isEmpty { frame.write("No decks yet.", row: rows.lowerBound, column: 2) }
    list.draw(in: &frame, rows: rows) { ($0.name, "\($0.cards.count) cards") }
  }
}
