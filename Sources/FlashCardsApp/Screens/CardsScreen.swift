import Lineage
import LineageTerminal

/// The cards of a deck, all of them or those that contain the typed text.
final class CardsScreen: DeckScreen {
  private let list = ListView<Card>()
  private let search = TextField("Search:", identifier: "search")

  init(_ deck: Object<Deck>? = nil) {
    super.init("cards", deck, views: [list])
    // Keys that mean nothing to a text go on to the list, so that the arrows work during a search.
    attempt { try list.append(search) }
    onChange(of: ObjectContext.self) { screen, _ in screen.find() }
    search.onEdit = { [unowned self] in find() }
    search.onKey(.enter, "keep these") { [unowned self] _ in try application?.makeFirst(list) }
    search.onKey(.escape, "all cards") { [unowned self] _ in try endSearch() }
    onKey("n", "new", for: \.deck) { try $0.present(CardForm(in: $1)) }
    onKey(.enter, "edit", for: \.list.selected) { try $0.present(CardForm($1)) }
    onKey("m", "move", for: \.list.selected) { try $0.present(MoveScreen($1)) }
    onKey("d", "delete", for: \.list.selected) { try $0.delete($1) }
    onKey("s", "study", when: { $0.list.selected != nil }) { try $0.present(StudyScreen($0.deck)) }
    onKey("/", "search", for: \.deck) { me, _ in try me.application?.makeFirst(me.search) }
    onKey(.escape, "back") { try $0.isFiltered ? $0.endSearch() : $0.close() }
  }

  /// Lists the cards that contain the typed text.
  private func find() {
    let (deck, text) = (deck?.id, search.text)
    list.request = FetchRequest(
      where: { card in
        let texts = [card.question, card.answer].map { $0.contains(text, .caseInsensitive) }
        return card.deck == deck && (text.isEmpty ? .all() : texts[0] || texts[1])
      }, sort: { $0.question })
  }

  private var isFiltered: Bool { search.isFirst || !search.text.isEmpty }

  private func endSearch() throws {
    search.text = ""
    find()
    try application?.makeFirst(list)
  }

  override func draw(in frame: inout Frame, rows: Range<Int>) {
    if isFiltered { search.draw(in: &frame, row: rows.lowerBound) }
    let below = rows.dropFirst(isFiltered ? 2 : 0)
    list.draw(in: &frame, rows: below, ifEmpty: "No cards.") {
      ("\($0.question)  \($0.answer)", "\($0.rightCount) right, \($0.wrongCount) wrong")
    }
  }
}
