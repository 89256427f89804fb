/// A property of an entity, with its position in the struct and its form in a store.
package final class Column: Sendable {
  package let name: String
  /// The name that the property had in older schemas; nil if it was never renamed.
  package let formerly: String?
  package let field: Field
  /// Whether the property's own declaration makes it unique or indexed. All indexes are in
  /// ``Layout/indexes``.
  let isUnique: Bool
  let isIndexed: Bool
  /// The name of the Swift type for error messages.
  package let typeName: String
  /// The entity to which a reference refers; nil if the property is not a reference.
  package let target: (any Entity.Type)?
  package let codec: ColumnCodec?
  /// The kind of the values in the column. For an enum, it is the kind of the raw value. For JSON,
  /// it is `custom`.
  package let kept: ColumnKind
  package let storage: ColumnCell.Form
  /// Whether the property is kept as JSON. Filters can only compare such a property with nil.
  package let isJSON: Bool
  package let conflictRule: ConflictRule
  /// Whether archived state may have the property.
  package let isInState: Bool

  init(
    name: String, formerly: String?, field: Field, isUnique: Bool, isIndexed: Bool,
    typeName: String, target: (any Entity.Type)?, codec: ColumnCodec?, kept: ColumnKind,
    conflictRule: ConflictRule, isInState: Bool
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
    self.conflictRule = conflictRule
    self.isInState = isInState
  }

  package var kind: ColumnKind { field.kind }
  package var isOptional: Bool { field.isOptional }
  package var offset: Int { field.offset }
  package var size: Int { field.size }
}
