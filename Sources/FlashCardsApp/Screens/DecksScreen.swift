import Lineage
import LineageTerminal

/// The first screen: all decks.
final class DecksScreen: Screen {
  private let list = ListView<Deck>()

  init() {
    super.init("decks", views: [list])
    onChange(of: ObjectContext.self) { screen, context in
      screen.attempt { try screen.list.show(FetchRequest(sort: { $0.name }), in: context.value) }
    }
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
