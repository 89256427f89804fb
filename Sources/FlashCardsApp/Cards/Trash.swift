import Lineage

/// The last deletion, which can be undone until the next one. It is a context of the application, so
/// that all screens share it.
final class Trash: Context {
  private var last: Deletion?

  var isEmpty: Bool { last == nil }

  /// Deletes a card, or a deck with its cards, from the store.
  func take<Value: Entity>(_ object: Object<Value>, from context: ObjectContext) throws {
    last = try context.edit { try $0.delete($0.own(object)) }
  }

  /// Puts back what was deleted last. It gets its ids again, so that screens and saved states find
  /// it.
  func putBack(into context: ObjectContext) throws {
    try context.edit { try last?.putBack(in: $0) }
    last = nil
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
