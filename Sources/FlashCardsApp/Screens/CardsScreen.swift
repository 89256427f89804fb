import Lineage
import Terminal

/// The cards of a deck, all of them or those that contain the typed text.
final class CardsScreen: Screen {
  @Restorable("deck") private var deck: Object<Deck>?
  /// The name of the deck, for the time before the store is open.
  @Restorable("name") private var name = ""
  @Restorable("isSearching") private var isSearching = false
  private let list = ListView<Card>()
  private let search = TextField("Search:", identifier: "search")

  init() {
    super.init("cards", views: [list])
    // Keys that mean nothing to a text go on to the list, so that the arrows work during a search.
    attempt { try list.append(search) }
    onChange(of: ObjectContext.self) { screen, _ in screen.attempt(screen.find) }
    on(TextField.Edited.self) { screen, _ in screen.attempt(screen.find) }
  }

  convenience init(_ deck: Object<Deck>) {
    self.init()
    (self.deck, name) = (deck, deck.name)
  }

  /// Lists the cards that contain the typed text.
  private func find() throws {
    let (deck, text) = (deck?.id, search.text)
    var request = FetchRequest<Card>(where: { $0.deck == deck }, sort: { $0.question })
    if !text.isEmpty {
      request.filter = Filter {
        $0.deck == deck
          && ($0.question.contains(text, .caseInsensitive)
            || $0.answer.contains(text, .caseInsensitive))
      }
    }
    try list.show(request, in: context(ObjectContext.self))
  }

  /// Whether the deck was deleted, here or by another program.
  private var isGone: Bool { list.list != nil && deck?.isDeleted != false }

  override var title: String { isGone ? "\(name) (deleted)" : deck?.name ?? name }
  override var focus: ViewResponder? { isSearching ? search : list }

  override var bindings: [Binding] {
    let isFiltered = isSearching || !search.text.isEmpty
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
    var rows = rows
    if isSearching || !search.text.isEmpty {
      search.draw(in: &frame, row: rows.lowerBound, isFocused: isSearching)
      rows = rows.dropFirst(2)
    }
    if isGone {
      frame.write("This deck was deleted.", row: rows.lowerBound, column: 2)
    } else if list.isEmpty {
      let words = search.text.isEmpty ? "No cards yet." : "No card has this text."
      frame.write(words, row: rows.lowerBound, column: 2)
    }
    list.draw(in: &frame, rows: rows) {
      ("\($0.question)  \($0.answer)", "\($0.rightCount) right, \($0.wrongCount) wrong")
    }
  }
}
