import ObjectGraph

/// The writes of one commit, inside a transaction that the caller ends.
struct Commit {
  let statements: WriteStatements
  let model: Model
  let writes: [Write]
  /// Whether each row has a statement of its own, so that an error can name the object. Otherwise
  /// one statement inserts several rows.
  let isCareful: Bool
  var conflicts: [ConflictingRow] = []
  /// The indices of updates whose rows have placeholders in unique columns for now. Other rows can
  /// then get the former values of these columns.
  var withPlaceholder: Set<Int> = []

  var connection: Connection { statements.connection }

  /// Writes all rows, or throws `CommitConflict` with the rows that other transactions have
  /// changed.
  mutating func run() throws {
    var deletes: [Int] = []
    var updates: [Int] = []
    var inserts: [[Int]] = []
    for index in writes.indices {
      switch writes[index].kind {
      case .delete: deletes.append(index)
      case .update: updates.append(index)
      case .insert:
        if inserts.isEmpty { inserts = Array(repeating: [], count: statements.tables.count) }
        inserts[writes[index].entity].append(index)
      }
    }
    for index in deletes { try delete(writes[index], isChecked: writes[index].isChecked) }
    try update(updates)
    guard conflicts.isEmpty else { throw CommitConflict(rows: conflicts) }
    for (entity, indices) in inserts.enumerated() where !indices.isEmpty {
      try insert(indices, into: statements.tables[entity])
    }
  }

  // MARK: Deletes

  private mutating func delete(_ write: Write, isChecked: Bool) throws {
    let statements = statements
    let statement = try statements.delete(write.entity, isChecked: isChecked)
    let table = statements.tables[write.entity]
    statements.arena.reset()
    try statement.bind(write.id, at: 1)
    if isChecked {
      try write.source.withBase { base in
        var parameter: Int32 = 2
        for (index, column) in table.columns.enumerated() where table.contestable.contains(index) {
          try statement.bind(try statements.cell(of: column, base, write), at: parameter)
          parameter += 1
        }
      }
    }
    try statement.run()
    guard isChecked, connection.handle.changes == 0 else { return }
    guard try stillHolds(write, Array(table.columns.indices)) else {
      return try addConflict(write)
    }
    try delete(write, isChecked: false)
  }
}
