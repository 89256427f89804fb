import Foundation
import Lineage

/// Tab-separated text: in each line a question, a tab and an answer.
extension CardFile {
  /// Inserts the cards of a text into the deck with the file's name. If a line has a mistake, nothing
  /// is inserted.
  func readText(into context: ObjectContext, _ progress: WorkProgress) throws -> Int {
    let (cards, name) = (try readLines(), url.deletingPathExtension().lastPathComponent)
    let old = try context.fetch(Deck.self, where: { $0.name == name }).first
    let deck = try old ?? context.insert(Deck(name: name))
    for (number, card) in cards.enumerated() {
      if number.isMultiple(of: 100) { try progress.report(number, of: cards.count) }
      try context.insert(Card(question: card.question, answer: card.answer, deck: deck.id))
    }
    return cards.count
  }

  /// The characters that other programs write at the ends of lines and before the first one.
  private static let ends = CharacterSet.newlines.union(["\u{feff}"])

  private func readLines() throws -> [(question: String, answer: String)] {
    var (cards, mistakes): ([(String, String)], [String]) = ([], [])
    guard let bytes = try? Data(contentsOf: url) else { throw mistake("it cannot be read") }
    let lines = bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
    for (number, bytes) in zip(1..., lines) {
      let line = String(validating: bytes, as: UTF8.self)?.trimmingCharacters(in: Self.ends)
      let parts = line?.split(separator: "\t", omittingEmptySubsequences: false) ?? []
      switch parts.count {
      case 0: mistakes.append("line \(number) is not UTF-8")
      case 1 where parts[0].isEmpty: break
      case 2 where parts[0].isEmpty: mistakes.append("line \(number) has no question")
      case 2: cards.append((String(parts[0]), String(parts[1])))
      default: mistakes.append("line \(number) has \(parts.count - 1) tabs instead of one")
      }
    }
    guard let first = mistakes.first else { return cards }
    throw mistake(mistakes.count == 1 ? first : "\(first), and \(mistakes.count - 1) more mistakes")
  }

  /// Writes the cards of a deck into a new text.
  func writeText(of deck: Object<Deck>, _ progress: WorkProgress) throws -> Int {
    var text = ""
    for card in deck.cards.sorted(by: { $0.question < $1.question }) {
      try progress.check()
      let parts = [card.question, card.answer]
      guard !parts.contains(where: { $0.contains { $0 == "\t" || $0.isNewline } }) else {
        throw mistake("only an archive can have tabs and several lines, as in “\(card.question)”")
      }
      text += parts.joined(separator: "\t") + "\n"
    }
    // On a full disk, no half of the text is left.
    let end: Void? = try? Data(text.utf8).write(to: url, options: .atomic)
    guard end != nil else { throw mistake("it cannot be written") }
    return deck.cards.count
  }
}
