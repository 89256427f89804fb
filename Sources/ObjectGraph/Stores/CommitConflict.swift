/// The error of a refused commit, with all rows that caused the refusal.
package struct CommitConflict: Error {
  package let rows: [ConflictingRow]

  package init(rows: [ConflictingRow]) { self.rows = rows }
}

/// A row that caused the refusal of a commit.
package struct ConflictingRow {
  package let entity: Int
  package let id: Int64
  /// The current values of the row; nil if the row does not exist.
  package let theirs: [StoredValue]?

  package init(entity: Int, id: Int64, theirs: [StoredValue]?) {
    self.entity = entity
    self.id = id
    self.theirs = theirs
  }
}
