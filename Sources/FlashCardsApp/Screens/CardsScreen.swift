import Lineage
import LineageTerminal

/// The cards of a deck, all of them or those that contain the typed text.
final class CardsScreen: DeckScreen {
  @Restorable("isSearching") private var isSearching = false
  private let list = ListView<Card>()
  private let search = TextField("Search:", identifier: "search")

  init(_ deck: Object<Deck>? = nil) {
    super.init("cards", deck, views: [list])
    // Keys that mean nothing to a text go on to the list, so that the arrows work during a search.
    attempt { try list.append(search) }
    onChange(of: ObjectContext.self) { screen, _ in screen.attempt(screen.find) }
    search.onEdit = { [unowned self] in attempt(find) }
  }

  /// Lists the cards that contain the typed text.
  private func find() throws {
    let (deck, text) = (deck?.id, search.text)
    let request = FetchRequest<Card>(
      where: {
        $0.deck == deck
          && ($0.question.contains(text, .caseInsensitive)
            || $0.answer.contains(text, .caseInsensitive))
      }, sort: { $0.question })
    try list.show(request, in: context(ObjectContext.self))
  }

  private var isFiltered: Bool { isSearching || !search.text.isEmpty }

  override var focus: ViewResponder? { isSearching ? search : list }

  override var bindings: [Binding] {
    let back: Binding = isFiltered ? (.escape, "all cards", endSearch) : (.escape, "back", close)
    guard let deck, !isGone else { return [back] }
    if isSearching { return [(.enter, "keep these", { self.isSearching = false }), back] }
    var bindings: [Binding] = [("n", "new card", { try self.present(CardForm(in: deck)) })]
    if let card = list.selected {
      bindings += [
        (.enter, "edit", { try self.present(CardForm(card)) }),
        ("d", "delete", { try self.require(Trash.self).take(card, from: self.context()) }),
        ("s", "study", { try self.present(StudyScreen(deck)) }),
      ]
    }
    return bindings + [("/", "search", { self.isSearching = true })] + undo + [back]
  }

  private func endSearch() throws {
    (isSearching, search.text) = (false, "")
    try find()
  }

  override func draw(in frame: inout Frame, rows: Range<Int>) {
    if isFiltered { search.draw(in: &frame, row: rows.lowerBound, isFocused: isSearching) }
    let below = rows.dropFirst(isFiltered ? 2 : 0)
    list.draw(in: &frame, rows: below, ifEmpty: isGone ? "This deck was deleted." : "No cards.") {
      ("\($0.question)  \($0.answer)", "\($0.rightCount) right, \($0.wrongCount) wrong")
    }
  }
}
