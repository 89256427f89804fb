/// A mistake in a schema.
public struct SchemaMistake: Hashable, Sendable, CustomStringConvertible {
  /// The entity's name in its schema.
  public let entity: String
  /// The name of the property with the mistake; nil if the mistake concerns the whole entity.
  public let property: String?
  /// The mistake, as a sentence.
  public let message: String

  package init(entity: String, property: String?, message: String) {
    self.entity = entity
    self.property = property
    self.message = message
  }

  /// The entity, the property and the mistake.
  public var description: String { "\(entity)\(property.map { "." + $0 } ?? ""): \(message)" }
}
