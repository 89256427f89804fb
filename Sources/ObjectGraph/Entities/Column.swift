/// One property of an entity: where it lies in the struct and what it is in a store.
package final class Column: Sendable {
  package let name: String
  /// The name it had in older schemas.
  package let formerly: String?
  package let field: Field
  package let isUnique: Bool
  package let isIndexed: Bool
  /// The Swift type, for messages.
  package let typeName: String
  /// The entity that a reference refers to.
  package let target: (any Entity.Type)?
  package let codec: ColumnCodec?
  /// The kind that its column keeps: of an enum, its raw value's; custom for JSON.
  package let kept: ColumnKind
  package let storage: Cell.Form
  /// Whether it holds JSON, which filters can only compare with nil.
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
