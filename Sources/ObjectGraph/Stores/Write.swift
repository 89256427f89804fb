/// A row to write in a commit, with the kind of the write.
package struct Write {
  package enum WriteKind {
    case insert
    /// Writes the columns of the mask. If the write is checked, these columns must still have their
    /// values in the base (the values from before the edits).
    case update(ColumnMask)
    /// Deletes the row. If the write is checked, all columns must still have their values in the
    /// base (the values from before the edits).
    case delete
  }

  package let entity: Int
  package let id: Int64
  package let kind: WriteKind
  package let isChecked: Bool
  /// The object with the values to write. For an update or delete, the object also has the base.
  package let source: any WriteSource
  /// The identity of `source`, by which its memory can be prefetched.
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
