import LineageTestSupport
import ObjectGraph

/// A fetch request of random programs.
struct Question: Equatable, CustomStringConvertible {
  enum Test: Int, CaseIterable {
    case all, rightCountBelow, question, deck, noDeck, deckName, nextRight, anyFan, fanName, shelf
    case emptyDeck, deckCount, deckAny, deckAll, noShelf

    var kind: Kind { rawValue < Test.emptyDeck.rawValue ? .card : .deck }
  }
  enum Order: Int, CaseIterable { case none, rightCount, deckName, question, folded, natural }

  var test: Test
  var argument: Int
  var order: Order
  var limit: Int?
  var offset: Int

  var description: String {
    "\(test) \(argument), sort: \(order), limit: \(limit.map(String.init) ?? "nil"), "
      + "offset: \(offset)"
  }
}

extension Question {
  /// Returns the fetch request for cards. `key` returns the id of the object with a number.
  func cards(_ key: (Int) -> Int64) -> FetchRequest<Card> {
    let columns = Columns<Card>()
    let text = Alphabet.text(argument % 20)
    let filter: Filter<Card>? =
      switch test {
      case .rightCountBelow: columns.rightCount < argument
      case .question: columns.question == text
      case .deck: columns.deck == Ref<Deck>(key: key(argument))
      case .noDeck: columns.deck == nil
      case .deckName: columns.deck.name == text
      case .nextRight: columns.next.rightCount >= argument
      case .anyFan: !columns.fans.isEmpty
      case .fanName: columns.fans.contains { $0.name == text }
      case .shelf: columns.deck.shelf.name == text
      default: nil
      }
    let ordering: Ordering<Card> =
      switch order {
      case .none: Ordering { _ in Ordering() }
      case .rightCount:
        Ordering {
          $0.rightCount.descending
          $0.question
        }
      case .deckName:
        Ordering {
          $0.deck.name
          $0.rightCount
        }
      case .question: Ordering { $0.question.descending }
      case .folded:
        Ordering {
          $0.deck.name.folded
          $0.question
        }
      case .natural:
        Ordering {
          $0.question.natural.descending
          $0.question
        }
      }
    return FetchRequest(filter: filter, order: ordering, limit: limit, offset: offset)
  }

  /// Returns the fetch request for decks.
  func decks() -> FetchRequest<Deck> {
    let columns = Columns<Deck>()
    let argument = argument
    let filter: Filter<Deck> =
      switch test {
      case .emptyDeck: columns.cards.isEmpty
      case .deckCount: columns.cards.count > argument
      case .deckAny: columns.cards.contains { $0.rightCount > argument }
      case .deckAll: columns.cards.allSatisfy { $0.rightCount > argument }
      default: columns.shelf == nil
      }
    let ordering: Ordering<Deck> =
      switch order {
      case .none: Ordering()
      case .folded: Ordering { $0.name.folded }
      case .natural: Ordering { $0.name.natural.descending }
      case .rightCount, .deckName, .question: Ordering { $0.name.descending }
      }
    return FetchRequest(filter: filter, order: ordering, limit: limit, offset: offset)
  }
}
