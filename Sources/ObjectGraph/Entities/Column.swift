/// A property of an entity: its place in the struct, and its form in a store.
package final class Column: Sendable {
  package let name: String
  /// The property's name in older schemas.
  package let formerly: String?
  package let field: Field
  package let isUnique: Bool
  package let isIndexed: Bool
  /// The name of the Swift type, for messages.
  package let typeName: String
  /// The entity to which a reference refers.
  package let target: (any Entity.Type)?
  package let codec: ColumnCodec?
  /// The kind of the values in the column: that of the raw value for an enum, `custom` for JSON.
  package let kept: ColumnKind
  package let storage: Cell.Form
  /// Whether the property is kept as JSON, which filters can only compare with nil.
  package let isJSON: Bool

  init(
    name: String, formerly: String?, field: Field, isUnique: Bool, isIndexed: Bool,
    typeName: String, target: (any Entity.Type)?, codec: ColumnCodec?, kept: ColumnKind
  ) {
    self.name = name
    self.formerly = formerly
    self.field = field
    self.isUnique = isUnique
    self.isIndexed = isIndexed
    self.typeName = typeName
    self.target = target
    self.codec = codec
    self.kept = kept
    storage = kept.cellForm
    isJSON = kept == .custom
  }

  package var kind: ColumnKind { field.kind }
  package var isOptional: Bool { field.isOptional }
  package var offset: Int { field.offset }
  package var size: Int { field.size }
}
