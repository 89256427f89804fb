import Lineage

/// The last deletion, which can be undone until the next one. All screens share it: it is a context
/// of the application.
final class Trash: Context {
  private var deck: (id: Ref<Deck>, value: Deck)?
  private var cards: [(id: Ref<Card>, value: Card)] = []

  var isEmpty: Bool { deck == nil && cards.isEmpty }

  /// Deletes a card from the store.
  func take(_ card: Object<Card>, from context: ObjectContext) throws {
    try take(nil, [card], from: context) { try $0.delete($0.object(with: card.id)) }
  }

  /// Deletes a deck and its cards from the store.
  func take(_ deck: Object<Deck>, from context: ObjectContext) throws {
    let cards = try context.fetch(Card.self, where: { $0.deck == deck.id })
    try take(deck, cards, from: context) { try $0.delete($0.object(with: deck.id)) }
  }

  private func take(
    _ deck: Object<Deck>?, _ cards: [Object<Card>], from context: ObjectContext,
    delete: (ObjectContext) throws -> Void
  ) throws {
    let values = (deck.map { ($0.id, $0.value) }, cards.map { ($0.id, $0.value) })
    try context.edit(delete)
    (self.deck, self.cards) = values
  }

  /// Puts back what was deleted last, with the same ids, so that it is again what screens and saved
  /// states refer to.
  func putBack(into context: ObjectContext) throws {
    try context.edit { context in
      if let deck { try context.insert(Object(deck.value, id: deck.id)) }
      for card in cards { try context.insert(Object(card.value, id: card.id)) }
    }
    (deck, cards) = (nil, [])
  }
}
