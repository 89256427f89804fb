import ObjectGraph

/// The writer's connection, with the statements that it needs for each row.
final class WriteStatements {
  let connection: Connection
  let tables: [FileTable]
  /// The memory of bound texts and blobs. It is used again for the next statement.
  let arena = CellArena()
  private var updates: [UpdateKey: UpdatePlan] = [:]
  private var lastUpdate: UpdatePlan?
  /// The statements that delete one row of each entity, without and with a check. They are kept
  /// here, because looking up a text for each row would take longer.
  private var deletes: [Statement?]

  fileprivate struct UpdateKey: Hashable {
    let entity: Int
    let mask: ColumnMask
    let isChecked: Bool
  }

  /// A statement that updates one set of an entity's columns.
  final class UpdatePlan {
    fileprivate let key: UpdateKey
    let columns: [Int]
    let statement: Statement

    fileprivate init(_ key: UpdateKey, _ table: FileTable, _ connection: Connection) throws {
      self.key = key
      columns = table.columns.indices.filter(key.mask.contains)
      statement = try connection.take(table.update(columns, isChecked: key.isChecked))
    }
  }

  init(_ connection: Connection, _ tables: [FileTable]) {
    self.connection = connection
    self.tables = tables
    deletes = Array(repeating: nil, count: tables.count * 2)
  }

  /// Returns the values that a row has in the file now; nil if there is no such row.
  func row(_ entity: Int, _ id: Int64) throws -> [StoredValue]? {
    try connection.rows(tables[entity].selectRow, [.integer(id)]).first
  }

  /// Returns the statement that updates a set of columns. At most 200 such statements are kept.
  func update(_ entity: Int, _ mask: ColumnMask, isChecked: Bool) throws -> UpdatePlan {
    let key = UpdateKey(entity: entity, mask: mask, isChecked: isChecked)
    if let last = lastUpdate, last.key == key { return last }
    let plan = try updates[key] ?? UpdatePlan(key, tables[entity], connection)
    if updates.count >= 200, updates[key] == nil {
      for other in updates.values { other.statement.finalize() }
      updates = [:]
    }
    updates[key] = plan
    lastUpdate = plan
    return plan
  }

  /// Returns the statement that deletes one row.
  func delete(_ entity: Int, isChecked: Bool) throws -> Statement {
    let index = entity * 2 + (isChecked ? 1 : 0)
    if let statement = deletes[index] { return statement }
    let statement = try connection.kept(tables[entity].delete(isChecked: isChecked))
    deletes[index] = statement
    return statement
  }
}

// These functions are not those of a commit. A closure in a mutating function of the commit would
// copy the whole commit for each cell (`update`).
extension WriteStatements {
  /// Returns a cell of a property of a write's value or base. The arena owns the cell's bytes.
  @inline(__always)
  func cell(
    of column: Column, _ base: StructMemory, _ write: Write
  ) throws -> ColumnCell {
    do {
      return try column.cell(of: base, in: arena)
    } catch {
      throw unwritable(column.name, error, write)
    }
  }

  private func unwritable(_ property: String, _ error: any Error, _ write: Write) -> GraphError {
    let message = (error as? ColumnFault)?.message ?? "\(error)"
    let object = tables[write.entity].object(write.id)
    return GraphError(
      "save \(object)",
      .invalid([InvalidObject(object: object, problems: [Problem(property, message)])]))
  }
}
