import ObjectGraph
import SQLStorage

extension Commit {
  @inline(__always)
  func cell(
    of column: borrowing Column, _ base: StructMemory, _ write: Write
  ) throws -> ColumnCell {
    do {
      return try column.cell(of: base, in: statements.arena)
    } catch {
      throw unwritable(column.name, error, write)
    }
  }

  private func unwritable(_ property: String, _ error: any Error, _ write: Write) -> GraphError {
    let message = (error as? ColumnFault)?.message ?? "\(error)"
    let object = statements.tables[write.entity].object(write.id)
    return GraphError(
      "save \(object)",
      .invalid([InvalidObject(object: object, problems: [Problem(property, message)])]))
  }

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
    if fault.isUniqueness {
      let holders = table.uniqueColumns.map { ($0, holder(of: $0, asWantedBy: write, table)) }
      let taken = holders.filter { $0.1 != nil }
      return GraphError(
        "save \(object)",
        .notUnique(
          entity: table.name, properties: taken.map { table.columns[$0.0].name },
          object: taken.first?.1.map(table.object)))
    }
    if fault.isConstraint {
      return GraphError("save \(object)", .store(code: "\(fault.code)", fault.message))
    }
    return fault
  }

  /// Returns the id of another row with the unique value that a write wants; nil if there is none.
  private func holder(of column: Int, asWantedBy write: Write, _ table: FileTable) -> Int64? {
    guard let value = try? write.source.withValue({ try table.columns[column].stored(of: $0) })
    else { return nil }
    let name = quoted(table.columns[column].name)
    let sql = "SELECT id FROM \(quoted(table.name)) WHERE \(name) = ?1 AND id <> ?2"
    return try? connection.value(sql, [value, .integer(write.id)]).integer
  }
}
