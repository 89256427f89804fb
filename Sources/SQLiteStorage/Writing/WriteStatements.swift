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

  private struct UpdateKey: Hashable {
    let entity: Int
    let mask: ColumnMask
    let isChecked: Bool
  }

  /// A statement that updates one set of an entity's columns.
  final class UpdatePlan {
    let entity: Int
    let mask: ColumnMask
    let isChecked: Bool
    let columns: [Int]
    let statement: Statement

    init(_ table: FileTable, _ mask: ColumnMask, isChecked: Bool, on connection: Connection) throws
    {
      entity = table.entity
      self.mask = mask
      self.isChecked = isChecked
      columns = table.columns.indices.filter(mask.contains)
      statement = try connection.take(table.update(columns, isChecked: isChecked))
    }
  }

  init(_ connection: Connection, _ tables: [FileTable]) {
    self.connection = connection
    self.tables = tables
    deletes = Array(repeating: nil, count: tables.count * 2)
  }

  /// Returns the statement that updates a set of columns. At most 200 such statements are kept.
  func update(_ entity: Int, _ mask: ColumnMask, isChecked: Bool) throws -> UpdatePlan {
    if let last = lastUpdate, last.entity == entity, last.isChecked == isChecked, last.mask == mask
    {
      return last
    }
    let key = UpdateKey(entity: entity, mask: mask, isChecked: isChecked)
    let plan =
      try updates[key]
      ?? UpdatePlan(tables[entity], mask, isChecked: isChecked, on: connection)
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
