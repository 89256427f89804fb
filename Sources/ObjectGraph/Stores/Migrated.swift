/// The steps by which a store was brought up to date.
public struct Migrated: Hashable, Sendable {
  /// The schema's version before.
  public let from: Int
  /// The schema's version now.
  public let to: Int
  /// The steps that were done, a line each.
  public let steps: [String]

  package init(from: Int, to: Int, steps: [String]) {
    self.from = from
    self.to = to
    self.steps = steps
  }
}

/// One way in which a schema differs from the store's.
public struct SchemaChange: Hashable, Sendable, CustomStringConvertible {
  /// The entity's name.
  public let entity: String
  /// The property's name, if it is about one.
  public let property: String?
  /// The change, as the end of a sentence.
  public let message: String

  package init(entity: String, property: String?, message: String) {
    self.entity = entity
    self.property = property
    self.message = message
  }

  /// The entity, the property, and what changed.
  public var description: String { "\(entity)\(property.map { "." + $0 } ?? "") \(message)" }
}
