import Lineage
import LineageTerminal

/// The decks that a card can be moved to.
final class MoveScreen: Screen {
  @Restorable("card", keeping: \.question) private var card: Object<Card>?
  private let list = ListView<Deck>()

  init(_ card: Object<Card>? = nil) {
    super.init("move", views: [list])
    self.card = card
    $card.onEnd { (me: MoveScreen) in me.close("“\(me.$card.kept ?? "")” was deleted meanwhile.") }
    list.request = FetchRequest(sort: { $0.name })
    onKey(.enter, "move it here", for: \.list.selected) { screen, deck in
      try screen.context().edit { try $0.own(screen.card?.id).deck = deck.id }
      screen.close()
    }
    onKey(.escape, "cancel") { $0.close() }
  }

  override var title: String { "Move “\($card.kept ?? "")” to" }

  override func draw(in frame: inout Frame, rows: Range<Int>) {
    list.draw(in: &frame, rows: rows, ifEmpty: "No decks.") { ($0.name, "") }
  }
}
