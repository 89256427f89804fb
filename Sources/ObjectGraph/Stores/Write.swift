/// One row to write.
package struct Write {
  package enum WriteKind {
    case insert
    /// Writes the columns of the mask. Unless unchecked, each of them must still hold the base's
    /// value.
    case update(ColumnMask)
    /// Unless unchecked, all columns must still hold the base's values.
    case delete
  }

  package let entity: Int
  package let id: Int64
  package let kind: WriteKind
  package let isChecked: Bool
  /// The object with the values (and the base's values, when updated or deleted).
  package let source: any WriteSource
  /// Where the object lies, for those who ask for its memory ahead.
  package let place: ObjectIdentifier

  package init(entity: Int, id: Int64, kind: WriteKind, isChecked: Bool, source: any WriteSource) {
    self.entity = entity
    self.id = id
    self.kind = kind
    self.isChecked = isChecked
    self.source = source
    place = ObjectIdentifier(source)
  }
}
