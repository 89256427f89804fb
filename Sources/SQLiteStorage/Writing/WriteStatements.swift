import ObjectGraph

/// The writer's statements, prepared when they are first needed and then kept.
final class WriteStatements {
  let connection: Connection
  let tables: [FileTable]
  /// The memory of bound texts and blobs. It is used again for the next statement.
  let arena = CellArena()
  private var batches: [Statement?]
  private var singles: [Statement?]
  private var updates: [UpdateKey: UpdatePlan] = [:]
  private var lastUpdate: UpdatePlan?
  private var deletes: [DeleteKey: Statement] = [:]
  private var others: [String: Statement] = [:]
  private var beginning: Statement?
  private var ending: Statement?

  private struct UpdateKey: Hashable {
    let entity: Int
    let mask: ColumnMask
    let isChecked: Bool
  }

  private struct DeleteKey: Hashable {
    let entity: Int
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
      statement = try connection.prepare(table.update(columns, isChecked: isChecked))
    }
  }

  init(_ connection: Connection, _ tables: [FileTable]) {
    self.connection = connection
    self.tables = tables
    batches = Array(repeating: nil, count: tables.count)
    singles = Array(repeating: nil, count: tables.count)
  }

  /// Returns the statement that inserts a batch of rows.
  func batch(_ table: FileTable) throws -> Statement {
    if let statement = batches[table.entity] { return statement }
    let statement = try connection.prepare(table.insert(rows: table.batch))
    batches[table.entity] = statement
    return statement
  }

  /// Returns the statement that inserts one row.
  func single(_ table: FileTable) throws -> Statement {
    if let statement = singles[table.entity] { return statement }
    let statement = try connection.prepare(table.insert(rows: 1))
    singles[table.entity] = statement
    return statement
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
    let key = DeleteKey(entity: entity, isChecked: isChecked)
    if let statement = deletes[key] { return statement }
    let statement = try connection.prepare(tables[entity].delete(isChecked: isChecked))
    deletes[key] = statement
    return statement
  }

  /// Begins a transaction that writes. Until it ends, no other connection can commit.
  func begin() throws {
    let statement = try beginning ?? connection.prepare("BEGIN IMMEDIATE")
    beginning = statement
    try statement.run()
  }

  /// Commits the transaction.
  func end() throws {
    let statement = try ending ?? connection.prepare("COMMIT")
    ending = statement
    try statement.run()
  }

  /// Returns a statement with the given SQL, which is prepared at the first call and then kept.
  func other(_ sql: String) throws -> Statement {
    if let statement = others[sql] { return statement }
    let statement = try connection.prepare(sql)
    others[sql] = statement
    return statement
  }

  /// Finalizes all statements. It must be called before the connection closes.
  func finalize() {
    for statement in batches + singles { statement?.finalize() }
    for plan in updates.values { plan.statement.finalize() }
    for statement in deletes.values { statement.finalize() }
    for statement in others.values { statement.finalize() }
    beginning?.finalize()
    ending?.finalize()
    (beginning, ending) = (nil, nil)
    batches = []
    singles = []
    updates = [:]
    deletes = [:]
    others = [:]
    lastUpdate = nil
  }
}
