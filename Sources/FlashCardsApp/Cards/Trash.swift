import Lineage

/// The deletions since the program began, which can be undone, the last one first. It is a context of the
/// application, so that all screens share it.
final class Trash: Context {
  private(set) var deletions: [Deletion] = []

  /// Deletes a card, or a deck with its cards, from the store.
  func take<Value: Entity>(_ object: Object<Value>, from context: ObjectContext) throws {
    deletions.append(try context.edit { try $0.delete($0.own(object.id)) })
  }

  /// Puts back what was deleted last. It gets its ids again, so that screens and saved states find it. If
  /// that fails, for example on a full disk, it can be tried again.
  func putBack(into context: ObjectContext) throws {
    try context.edit { try deletions.last?.putBack(in: $0) }
    _ = deletions.popLast()
  }
}

extension ObjectContext {
  /// Returns the context's own object with an id.
  func own<Value: Entity>(_ id: Ref<Value>?) throws -> Object<Value> {
    if let id, let own = try find(id) { return own }
    throw Mistake(description: "It was deleted meanwhile.")
  }
}
