import Foundation

/// The part of a screen that a user remembers: its title, the texts in its fields, the caret, and the
/// selected row. Of the name of a card or a deck that has a ``token(in:)``, only that counts: the state names the
/// object, and its texts are those of the store.
struct Glimpse: Equatable, CustomStringConvertible {
  enum ScreenKind {
    case decks, cards, search, deckForm, cardForm, move, question, answer, help, other
  }

  let kind: ScreenKind
  let title: String
  let lines: [String]
  /// The row and the column of the caret; nil if it is hidden.
  let caret: [Int]?

  init(_ screen: Screen) {
    let rows = screen.text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    title = Self.short(rows[0].trimmingCharacters(in: .whitespaces))
    kind = Self.kind(
      title: rows[0].trimmingCharacters(in: .whitespaces), keys: rows[rows.count - 1])
    caret = screen.cursor
    let body = rows[2..<rows.count - 2]
    lines =
      switch kind {
      case .cardForm, .deckForm, .question, .answer: body.filter { !$0.isEmpty }
      case .help: []
      default:
        body.filter { $0.hasPrefix("  Search:") }
          + body.filter { $0.hasPrefix("›") }.map(Self.short)
      }
  }

  private static func kind(title: String, keys: String) -> ScreenKind {
    switch title {
    case "Decks": .decks
    case "New deck", "Rename deck": .deckForm
    case "New card", "Edit card": .cardForm
    case "Help": .help
    case _ where title.hasPrefix("Move “"): .move
    case _ where keys.contains("keep these"): .search
    case _ where keys.contains("show the answer"): .question
    case _ where keys.contains("I was right"): .answer
    case _ where keys.contains("n new"): .cards
    default: .other
    }
  }

  /// Returns the token of a text, or the text without what is at the right end of its row.
  private static func short(_ text: String) -> String {
    token(in: text) ?? text.replacing(#/ {3}.*/#, with: "")
  }

  /// Returns the first token of a text, such as `k012.`, by which the test names a card or a deck for
  /// good.
  static func token(in text: String) -> String? {
    text.firstMatch(of: #/[kd][0-9]{3,}\./#).map { String($0.output) }
  }

  /// Returns the text of a form's field; nil if there is no such field.
  func text(_ label: String) -> String? {
    lines.first { $0.hasPrefix("  \(label):") }
      .map { $0.dropFirst(label.count + 3).trimmingCharacters(in: .whitespaces) }
  }

  /// The question and the answer in the form of a card.
  var card: SavedCard? {
    guard kind == .cardForm, let question = text("Question"), let answer = text("Answer") else {
      return nil
    }
    return SavedCard(question: question, answer: answer)
  }

  /// The token of the selected row.
  var selected: String? { lines.last { $0.wholeMatch(of: #/[kd][0-9]{3,}\./#) != nil } }

  var description: String { "\(kind) “\(title)” \(lines) \(caret ?? [])" }
}
