import Lineage
import LineageTerminal

/// The first screen: all decks.
final class DecksScreen: Screen {
  private let list = ListView<Deck>()
  /// The number of cards in each deck.
  private var counts: LiveValue<[Ref<Deck>?: Int]>?

  init() {
    super.init("decks", views: [list])
    onChange(of: ObjectContext.self) { screen, context in
      screen.counts = context.value.flatMap { context in
        screen.attempt { try LiveValue(in: context) { try $0.counts(Card.self, by: \.deck) } }
      }
    }
    list.request = FetchRequest(sort: { $0.name })
    onKey("n", "new") { try $0.present(DeckForm()) }
    onKey(.enter, "open", for: \.list.selected) { try $0.present(CardsScreen($1)) }
    onKey("s", "study", for: \.list.selected) { try $0.present(StudyScreen($1)) }
    onKey("e", "rename", for: \.list.selected) { try $0.present(DeckForm($1)) }
    onKey("d", "delete", for: \.list.selected) { try $0.delete($1) }
    onKey("a", "add a sample", when: \.list.isEmpty) { try Deck.addSample(to: $0.context()) }
    onKey("i", "import") { try $0.present(FileScreen()) }
    onKey("x", "export", for: \.list.selected) { try $0.present(FileScreen($1)) }
    onKey("q", "quit") { $0.application?.terminate() }
  }

  override var title: String { "Decks" }

  override func draw(in frame: inout Frame, rows: Range<Int>) {
    let counts = (try? counts?.value) ?? [:]
    list.draw(in: &frame, rows: rows, ifEmpty: "No decks yet.", keeping: false) {
      ($0.name, "\(counts[$0.id] ?? 0) cards")
    }
  }
}
