/// A row to write in a commit.
package struct Write {
  package enum WriteKind {
    case insert
    /// Writes the columns of the mask. If the write is checked, each of them must still hold the
    /// base's value.
    case update(ColumnMask)
    /// Deletes the row. If the write is checked, all columns must still hold the base's values.
    case delete
  }

  package let entity: Int
  package let id: Int64
  package let kind: WriteKind
  package let isChecked: Bool
  /// The object with the values and, for an update or delete, the base's values.
  package let source: any WriteSource
  /// The identity of the object, with which its memory can be prefetched.
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
