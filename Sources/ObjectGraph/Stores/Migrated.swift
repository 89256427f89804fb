/// The result of a migration, which brought a store to the current schema.
public struct Migrated: Hashable, Sendable {
  /// The version of the store's schema before the migration.
  public let from: Int
  /// The version of the store's schema after the migration.
  public let to: Int
  /// The steps of the migration that were run. Each is one line of text.
  public let steps: [String]

  package init(from: Int, to: Int, steps: [String]) {
    self.from = from
    self.to = to
    self.steps = steps
  }
}

/// A difference between the program's schema and the schema of the store.
public struct SchemaChange: Hashable, Sendable, CustomStringConvertible {
  /// The name of the entity.
  public let entity: String
  /// The name of the property; nil if the difference concerns the entity itself.
  public let property: String?
  /// The difference, as the end of a sentence.
  public let message: String

  package init(entity: String, property: String?, message: String) {
    self.entity = entity
    self.property = property
    self.message = message
  }

  /// The entity, the property and the difference.
  public var description: String { "\(entity)\(property.map { "." + $0 } ?? "") \(message)" }
}
