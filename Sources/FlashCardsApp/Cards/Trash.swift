import Lineage

/// The last deletion, which can be undone until the next one. It is a context of the application, so
/// that all screens share it.
final class Trash: Context {
  private var insert: ((ObjectContext) throws -> Void)?

  var isEmpty: Bool { insert == nil }

  /// Deletes a card from the store.
  func take(_ card: Object<Card>, from context: ObjectContext) throws {
    let (id, value) = (card.id, card.value)
    try context.edit { try $0.delete($0.own(card)) }
    insert = { try $0.insert(Object(value, id: id)) }
  }

  /// Deletes a deck and its cards from the store.
  func take(_ deck: Object<Deck>, from context: ObjectContext) throws {
    let (id, value) = (deck.id, deck.value)
    let cards = try context.fetch(Card.self, where: { $0.deck == id }).map { ($0.id, $0.value) }
    try context.edit { try $0.delete($0.own(deck)) }
    insert = { context in
      try context.insert(Object(value, id: id))
      for (id, value) in cards { try context.insert(Object(value, id: id)) }
    }
  }

  /// Puts back what was deleted last. It gets its ids again, so that screens and saved states find
  /// it.
  func putBack(into context: ObjectContext) throws {
    if let insert { try context.edit(insert) }
    insert = nil
  }
}

extension ObjectContext {
  /// The error if an object was deleted meanwhile.
  struct Gone: Error, CustomStringConvertible { let description = "It was deleted meanwhile." }

  /// Returns the context's own object for one of another context.
  func own<Value: Entity>(_ object: Object<Value>?) throws -> Object<Value> {
    guard let object, let own = try find(object.id) else { throw Gone() }
    return own
  }
}
