import ObjectGraph
import SQLStorage

/// A connection inside the transaction that changes the file's schema. SQLite does not enforce
/// foreign keys in it.
struct FileSession: SQLSession {
  let connection: Connection
  let model: Model
  let cancellation: Cancellation

  func execute(_ sql: String, _ values: [StoredValue]) throws {
    try reporting(sql) {
      if values.isEmpty {
        try connection.run(sql)
      } else {
        try connection.run(sql, values)
      }
    }
  }

  func rows(_ sql: String, _ values: [StoredValue]) throws -> [[StoredValue]] {
    try reporting(sql) { try connection.rows(sql, values) }
  }

  func shape(like wanted: SchemaShape) throws -> SchemaShape {
    try SchemaShape(connection, like: wanted)
  }

  func bring(_ table: TableShape, from _: TableShape, _ attempted: String) throws {
    try reporting(attempted) { try Rebuild.run(table, on: connection) }
  }

  private func reporting<R>(_ attempted: String, _ body: () throws -> R) throws -> R {
    do {
      return try body()
    } catch let fault as SQLiteFault {
      try cancellation.check()
      throw fault.error(attempted)
    }
  }

  // MARK: The schema's own steps

  func perform(_ action: SchemaPlan.Action) throws {
    switch action {
    case .create(let table): try connection.run(TableSQL.create(table))
    case .rename(let table, let from, let to):
      try connection.run(
        "ALTER TABLE \(quoted(table)) RENAME COLUMN \(quoted(from)) TO \(quoted(to))")
    case .add(let table, let column): try add(column, to: table)
    case .dropIndex(let table, let index):
      for name in [indexName(index, of: table), "\(table).\(index.name)"] {
        try connection.run("DROP INDEX IF EXISTS \(quoted(name))")
      }
    case .rebuild(let table):
      do {
        try Rebuild.run(table, on: connection)
      } catch let fault as SQLiteFault where fault.isConstraint {
        throw Refusal(
          .changed([
            SchemaChange(
              entity: table.name, property: nil,
              message: "has rows that the new schema does not allow (\(fault.message))")
          ]))
      }
    case .index(let table, let index):
      do {
        try connection.run(TableSQL.index(index, of: table))
      } catch let fault as SQLiteFault where fault.isConstraint {
        throw Refusal(.changed([index.change(of: table)]))
      }
    }
  }

  /// Adds a column to a table. Existing rows get the property's initial value.
  private func add(_ column: ColumnShape, to table: String) throws {
    var sql = "ALTER TABLE \(quoted(table)) ADD COLUMN \(quoted(column.name)) \(column.storage)"
    let neutral: StoredValue?
    switch column.storage {
    case _ where column.isOptional: neutral = .null
    case "INTEGER": (sql, neutral) = (sql + " NOT NULL DEFAULT 0", .integer(0))
    case "REAL": (sql, neutral) = (sql + " NOT NULL DEFAULT 0.0", .real(0))
    case "BLOB": (sql, neutral) = (sql + " NOT NULL DEFAULT x''", .blob([]))
    default: (sql, neutral) = (sql + " NOT NULL DEFAULT ''", .text(""))
    }
    if let target = column.target { sql += " " + TableSQL.reference(target) }
    try connection.run(sql)
    let value = try model.initialValue(of: column.name, in: table)
    guard value != neutral, let value else { return }
    try connection.run("UPDATE \(quoted(table)) SET \(quoted(column.name)) = ?1", [value])
  }
}
