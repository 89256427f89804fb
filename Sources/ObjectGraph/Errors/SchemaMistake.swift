/// One mistake of a schema.
public struct SchemaMistake: Hashable, Sendable, CustomStringConvertible {
  /// The entity's name in its schema.
  public let entity: String
  /// The property it is about, if it is about one.
  public let property: String?
  /// The mistake, as a sentence.
  public let message: String

  package init(entity: String, property: String?, message: String) {
    self.entity = entity
    self.property = property
    self.message = message
  }

  /// Where the mistake is, and what it is.
  public var description: String { "\(entity)\(property.map { "." + $0 } ?? ""): \(message)" }
}
