import ObjectGraph
import SQLStorage

extension Commit {
  /// Adds a write's row to the conflicts, with the values that the row has in the file now.
  mutating func addConflict(_ write: Write) throws {
    let row = try statements.row(write.entity, write.id)
    conflicts.append(ConflictingRow(entity: write.entity, id: write.id, theirs: row))
  }

  /// Returns the error to throw for a row that could not be written. The error names the object
  /// and, where possible, the properties.
  func failure(_ fault: SQLiteFault, of write: Write) -> any Error {
    let table = statements.tables[write.entity]
    let object = table.object(write.id)
    guard connection.handle.isInTransaction else { return fault }
    if fault.isTakenID { return GraphError("save \(object)", .idTaken(object)) }
    // The error of a uniqueness fault is found in the second attempt.
    if fault.isUniqueness, !isCareful { return fault }
    if fault.isUniqueness {
      return (try? brokenRule()) ?? foreignRule(fault, table, object)
    }
    if fault.isConstraint {
      return GraphError("save \(object)", .store(code: "\(fault.code)", fault.message))
    }
    return fault
  }

  /// Returns the error for a rule that another program has added to the file. SQLite's message names
  /// its columns.
  private func foreignRule(
    _ fault: SQLiteFault, _ table: FileTable, _ object: String
  ) -> GraphError {
    let names = fault.message.split(whereSeparator: { ":, ".contains($0) })
      .filter { $0.hasPrefix(table.name + ".") }.map { String($0.dropFirst(table.name.count + 1)) }
    let reason: GraphError.Reason =
      names.isEmpty
      ? .store(code: "\(fault.code)", fault.message)
      : .notUnique(entity: table.name, properties: names, object: nil)
    return GraphError("save \(object)", reason)
  }

  /// Takes back all writes of the commit, and returns the error for the rule that they break; nil if
  /// they break only a rule that another program has added to the file.
  private func brokenRule() throws -> GraphError? {
    try connection.run("ROLLBACK TO lineage")
    let check = try UniqueCheck(writes, model, row: statements.row)
    return try check.error { entity, rule, key in
      let table = statements.tables[entity]
      let terms = rule.columns.enumerated().map {
        "\(quoted(table.columns[$1].name)) = ?\($0 + 1)"
      }
      let sql = "SELECT id FROM \(quoted(table.name)) WHERE \(terms.joined(separator: " AND "))"
      return try connection.rows(sql, key).compactMap(\.[0].integer)
    }
  }
}
