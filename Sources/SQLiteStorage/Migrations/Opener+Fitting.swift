import ObjectGraph

// What the schema asks for by itself.

extension Opener {
  func fit(
    _ wanted: SchemaShape, _ metadata: Metadata, hasRunSteps: Bool, without foreign: Set<String>,
    _ connection: Connection
  ) throws -> [String] {
    var old =
      hasRunSteps
      ? try SchemaShape(connection, like: wanted) : try SchemaShape(text: metadata.schema)
    old.tables.removeAll { foreign.contains($0.name) }
    let plan = plan(from: old, to: wanted, mayTighten: hasRunSteps)
    guard plan.changes.isEmpty else { throw Refusal(opening: .changed(plan.changes)) }
    for (index, action) in plan.actions.enumerated() {
      try cancellation.check()
      progress(
        OpeningProgress(step: "\(action)", number: index + 1, count: plan.actions.count))
      try perform(action, connection)
    }
    return plan.actions.map(\.description)
  }

  private func perform(_ action: SchemaPlan.Action, _ connection: Connection) throws {
    switch action {
    case .create(let table): try connection.run(TableSQL.create(table))
    case .rename(let table, let from, let to):
      try connection.run(
        "ALTER TABLE \(quoted(table)) RENAME COLUMN \(quoted(from)) TO \(quoted(to))")
    case .add(let table, let column): try add(column, to: table, connection)
    case .dropIndex(let table, let property):
      try connection.run("DROP INDEX IF EXISTS \(quoted("\(table).\(property)"))")
    case .rebuild(let table):
      do {
        try Rebuild.run(table, on: connection)
      } catch let fault as Fault where fault.isConstraint {
        throw Refusal(
          opening: .changed([
            SchemaChange(
              entity: table.name, property: nil,
              message: "has rows that the new schema does not allow (\(fault.message))")
          ]))
      }
    case .index(let table, let column):
      guard let sql = TableSQL.index(column, of: table) else { return }
      do {
        try connection.run(sql)
      } catch let fault as Fault where fault.isConstraint {
        throw Refusal(
          opening: .changed([
            SchemaChange(
              entity: table, property: column.name,
              message: "is to be unique, but rows have the same value")
          ]))
      }
    }
  }

  /// Old rows get the value that the property has at first.
  private func add(_ column: ColumnShape, to table: String, _ connection: Connection) throws {
    var sql = "ALTER TABLE \(quoted(table)) ADD COLUMN \(quoted(column.name)) \(column.storage)"
    let neutral: Stored?
    switch column.storage {
    case _ where column.isOptional: neutral = .null
    case "INTEGER": (sql, neutral) = (sql + " NOT NULL DEFAULT 0", .integer(0))
    case "REAL": (sql, neutral) = (sql + " NOT NULL DEFAULT 0.0", .real(0))
    case "BLOB": (sql, neutral) = (sql + " NOT NULL DEFAULT x''", .blob([]))
    default: (sql, neutral) = (sql + " NOT NULL DEFAULT ''", .text(""))
    }
    if let target = column.target { sql += " " + TableSQL.reference(target) }
    try connection.run(sql)
    let value = try defaultValue(of: column.name, table)
    guard value != neutral, let value else { return }
    try connection.run(
      "UPDATE \(quoted(table)) SET \(quoted(column.name)) = ?1", [value])
  }

  private func defaultValue(of property: String, _ entity: String) throws -> Stored? {
    guard let index = model.index(named: entity) else { return nil }
    let layout = model.layouts[index]
    guard let column = layout.column(named: property) else { return nil }
    func value<E: Entity>(_: E.Type) throws -> Stored {
      try withUnsafePointer(to: E()) { try layout.columns[column].stored(of: UnsafeRawPointer($0)) }
    }
    return try value(layout.type)
  }
}
