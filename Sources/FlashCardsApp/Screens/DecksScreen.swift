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
    onKey("n", "new deck") { try $0.present(DeckForm()) }
    onKey(.enter, "open", for: \.list.selected) { try $0.present(CardsScreen($1)) }
    onKey("s", "study", for: \.list.selected) { try $0.present(StudyScreen($1)) }
    onKey("e", "rename", for: \.list.selected) { try $0.present(DeckForm($1)) }
    onKey("d", "delete", for: \.list.selected) { try $0.delete($1) }
    onKey("a", "add a sample", when: { $0.list.list?.isEmpty ?? false }) {
      try Deck.addSample(to: $0.context())
    }
    onKey("q", "quit") { $0.application?.terminate() }
  }

  override var title: String { "Decks" }
  override var focus: Responder { list }

  override func draw(in frame: inout Frame, rows: Range<Int>) {
    list.draw(in: &frame, rows: rows, ifEmpty: "No decks yet.") {
      ($0.name, "\($0.cards.count) cards")
    }
  }
}
