import Foundation
import Lineage

/// A file with cards: text with a line for each card, or an archive, which keeps decks and counts. The
/// end of its name decides.
struct CardFile: Sendable {
  static let help = """
    A name that ends in .tsv or .txt is text: in each line a question, a tab and an answer. Any other \
    file is an archive, which also keeps the counts.
    """

  let url: URL

  init(_ path: String) throws {
    guard !path.isEmpty else { throw Mistake(description: "Type the name of a file.") }
    url = URL(filePath: (path as NSString).expandingTildeInPath)
  }

  private var isText: Bool { ["tsv", "txt"].contains(url.pathExtension.lowercased()) }

  func mistake(_ words: String) -> Mistake {
    Mistake(description: "\(url.lastPathComponent): \(words).")
  }

  /// Inserts the cards of the file, and returns how many.
  func read(into context: ObjectContext, _ progress: WorkProgress) throws -> Int {
    // Reading a pipe or a terminal might never end.
    let facts = try? url.resolvingSymlinksInPath().resourceValues(forKeys: [.isRegularFileKey])
    guard facts?.isRegularFile == true else { throw mistake("there is no file with this name") }
    return isText ? try readText(into: context, progress) : try readArchive(into: context)
  }

  /// Writes a deck with its cards into a new file, and returns how many cards.
  func write(_ deck: Object<Deck>, _ progress: WorkProgress) throws -> Int {
    guard (try? url.checkResourceIsReachable()) != true else {
      throw mistake("there is such a file already")
    }
    if isText { return try writeText(of: deck, progress) }
    try GraphArchive.save([deck], to: url)
    return deck.cards.count
  }

  private func readArchive(into context: ObjectContext) throws -> Int {
    switch try GraphArchive.open(url, [Deck.self, Card.self]) {
    case .none: throw mistake("there is no such file")
    case .otherFormat: throw mistake("another version of this program has made it")
    case .damaged(let damage): throw mistake("\(damage)")
    case .graph(let graph):
      let taken = try Set(context.fetch(Deck.self).map(\.name))
      for deck in try graph.draft.fetch(Deck.self) where taken.contains(deck.name) {
        let names = (2...).lazy.map { [name = deck.name] in "\(name) \($0)" }
        deck.name = names.first { !taken.contains($0) } ?? deck.name
      }
      try GraphArchive.copy(everythingIn: graph.draft, into: context, ids: .renewed)
      return try graph.draft.count(Card.self)
    }
  }
}
