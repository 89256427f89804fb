import Lineage

/// The last deletion, which can be undone until the next one. It is a context of the application, so
/// that all screens share it.
final class Trash: Context {
  private var last: Deletion?

  var isEmpty: Bool { last == nil }

  /// Deletes a card, or a deck with its cards, from the store.
  func take<Value: Entity>(_ object: Object<Value>, from context: ObjectContext) throws {
    last = try context.edit { try $0.delete($0.own(object.id)) }
  }

  /// Puts back what was deleted last. It gets its ids again, so that screens and saved states find
  /// it.
  func putBack(into context: ObjectContext) throws {
    try context.edit { try last?.putBack(in: $0) }
    last = nil
  }
}

extension ObjectContext {
  /// Returns the context's own object with an id.
  func own<Value: Entity>(_ id: Ref<Value>?) throws -> Object<Value> {
    if let id, let own = try find(id) { return own }
    throw Mistake(description: "It was deleted meanwhile.")
  }
}
