/// The error of a refused commit, with all rows for which it was refused.
package struct CommitConflict: Error {
  package let rows: [ConflictingRow]

  package init(rows: [ConflictingRow]) { self.rows = rows }
}

/// A row for which a commit was refused.
package struct ConflictingRow {
  package let entity: Int
  package let id: Int64
  /// The current values of the row; nil if it is deleted.
  package let theirs: [StoredValue]?

  package init(entity: Int, id: Int64, theirs: [StoredValue]?) {
    self.entity = entity
    self.id = id
    self.theirs = theirs
  }
}
