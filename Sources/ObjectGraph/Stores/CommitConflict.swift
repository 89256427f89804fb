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

/// A function that returns a row as a commit sees it, on the commit's own connection; nil if there is no
/// such row.
package typealias CommitRow = (_ entity: Int, _ id: Int64) throws -> [StoredValue]?

/// A closure that resolves the conflicts of a commit. It returns the writes to commit instead, and reads
/// rows by the given function.
package typealias ConflictResolver = (CommitConflict, @escaping CommitRow) throws -> [Write]

extension CommitConflict {
  /// Calls a closure with writes. While it throws a conflict, and there is a resolver, gets other writes
  /// from the resolver, at most seven times.
  package static func retrying<Result>(
    _ writes: [Write], by resolver: ConflictResolver?, _ row: @escaping CommitRow,
    _ commit: ([Write]) throws -> Result
  ) throws -> Result {
    var writes = writes
    for _ in 0..<7 {
      do {
        return try commit(writes)
      } catch let conflict as CommitConflict {
        guard let resolver else { throw conflict }
        writes = try resolver(conflict, row)
      }
    }
    return try commit(writes)
  }
}
