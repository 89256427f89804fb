/// The rows for which a commit was refused, all of them.
package struct CommitConflict: Error {
  package let rows: [ConflictingRow]

  package init(rows: [ConflictingRow]) { self.rows = rows }
}

/// A row for which a commit was refused.
package struct ConflictingRow {
  package let entity: Int
  package let id: Int64
  /// The values of the row by now; nil if it is gone.
  package let theirs: [StoredValue]?

  package init(entity: Int, id: Int64, theirs: [StoredValue]?) {
    self.entity = entity
    self.id = id
    self.theirs = theirs
  }
}
