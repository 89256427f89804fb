#if Postgres
import ObjectGraph
import SQLStorage

/// A connection inside the transaction that changes the tables, while the gate is closed.
///
/// References are checked when the transaction ends, or a table is changed.
final class ServerSession: SQLSession {
  private let gate: ServerGate
  private let schema: StoreSchema
  /// Whether the program's steps run in the transaction. Then everything must be checked in it.
  private let hasSteps: Bool
  /// The last fault of the server in a step.
  private(set) var fault: ServerFault?

  init(_ gate: ServerGate, _ schema: StoreSchema, hasSteps: Bool) {
    (self.gate, self.schema, self.hasSteps) = (gate, schema, hasSteps)
  }

  // MARK: Steps

  func execute(_ sql: String, _ values: [StoredValue]) throws { _ = try rows(sql, values) }

  func rows(_ sql: String, _ values: [StoredValue]) throws -> [[StoredValue]] {
    var parameters = ServerParameters()
    for value in values {
      // The server finds the type in the SQL. Beside an integer it would take a real for an integer too.
      if case .real = value { parameters.add(value) } else { parameters.addUntyped(value) }
    }
    var rows: [[StoredValue]] = []
    try reporting(sql) {
      for statement in MigrationText(sql).statements {
        if MigrationText.definesTables(statement) { try checkReferences() }
        let isKept = !values.isEmpty
        let result = try gate.run([ServerStatement(statement, parameters, isKept: isKept)])[0]
        rows = (0..<result.rowCount).map { row in
          result.forgetCells()
          return (0..<result.columnCount).map { result.cell(row, $0).stored }
        }
      }
    }
    return rows
  }

  func shape(like wanted: SchemaShape) throws -> SchemaShape {
    try SchemaShape(
      ServerCatalog(schema.schema, gate.connection, until: ServerGate.never), like: wanted)
  }

  func bring(_ table: TableShape, from old: TableShape, _ attempted: String) throws {
    try reporting(attempted) {
      for column in old.columns where table.column(column.name) == nil {
        try define("ALTER TABLE \(schema.name(old)) DROP COLUMN \(quoted(column.name))")
      }
    }
  }

  private func reporting(_ attempted: String, _ body: () throws -> Void) throws {
    do {
      try body()
    } catch let fault as ServerFault {
      self.fault = fault
      throw fault.error(attempted, gate.options)
    }
  }

  /// Checks the references of the rows that were changed so far. The server does not change a table while
  /// rows of it are unchecked.
  func checkReferences() throws {
    try gate.run([
      ServerStatement("SET CONSTRAINTS ALL IMMEDIATE"),
      ServerStatement("SET CONSTRAINTS ALL DEFERRED"),
    ])
  }

  private func define(_ sql: String) throws {
    try checkReferences()
    try gate.run(sql)
  }

  // MARK: The schema's own steps

  func perform(_ action: SchemaPlan.Action) throws {
    switch action {
    case .create(let table):
      try define(schema.create(table, "IF NOT EXISTS \(schema.name(table))"))
      tables.append(table)
    case .rename(let table, let from, let to):
      try define(
        "ALTER TABLE \(quoted(table)) RENAME COLUMN \(quoted(from)) TO \(quoted(to))")
    case .add(let table, let column):
      let value = try schema.model.initialValue(of: column.name, in: table)
      try define(schema.add(column, to: table, value))
      tables.append(TableShape(name: table, columns: [column]))
    case .dropIndex(let table, let index):
      let name = quoted(indexName(index, of: table))
      try define("DROP INDEX IF EXISTS \(quoted(schema.schema)).\(name)")
    case .rebuild(let table): try rebuild(table)
    case .index(let table, let index):
      // Any other index is built when the gate is open again.
      guard index.isUnique, let shape = schema.shape.table(table) else { return }
      do {
        try define(schema.index(index, of: shape, "IF NOT EXISTS"))
      } catch let fault as ServerFault where fault.isUniqueness {
        throw Refusal(.changed([index.change(of: table)]))
      }
    }
  }

  /// The tables and columns that were added, and may refer to tables that are added after them.
  private var tables: [TableShape] = []

  /// Makes the columns that were added refer to their tables. Unless there are steps, the rows are checked
  /// when the gate is open again.
  func addReferences() throws {
    guard !tables.isEmpty else { return }
    let found = try ServerCatalog(
      schema.schema, gate.connection, until: ServerGate.never
    ).references
    for table in tables {
      for column in table.columns {
        let same = found.filter { $0.table == table.name && $0.column == column.name }
        guard !same.contains(where: { $0.target == column.target }) else { continue }
        try addReference(column, of: table, found)
      }
    }
  }

  private func addReference(
    _ column: ColumnShape, of table: TableShape, _ found: [ServerCatalog.FoundReference]
  ) throws {
    // A column that was renamed has left the name to its reference.
    let isTaken = found.contains {
      $0.table == table.name && $0.name == schema.referenceName(column, of: table)
    }
    guard let sql = schema.reference(column, of: table, isNamed: !isTaken) else { return }
    try define(sql + (hasSteps ? "" : " NOT VALID"))
  }

  /// Gives the columns of a table other constraints.
  private func rebuild(_ table: TableShape) throws {
    let catalog = try ServerCatalog(schema.schema, gate.connection, until: ServerGate.never)
    let alter = "ALTER TABLE \(schema.name(table))"
    for column in table.columns {
      let own = catalog.columns.first { $0.table == table.name && $0.name == column.name }
      if let own, own.isRequired == column.isOptional {
        do {
          try define(
            "\(alter) ALTER COLUMN \(quoted(column.name))"
              + " \(column.isOptional ? "DROP" : "SET") NOT NULL")
        } catch let fault as ServerFault where fault.state == "23502" {
          throw Refusal(
            .changed([
              SchemaChange(
                entity: table.name, property: column.name,
                message: "has rows that the new schema does not allow (\(fault.message))")
            ]))
        }
      }
      let references = catalog.references.filter {
        $0.table == table.name && $0.column == column.name
      }
      guard references.map(\.target) != [column.target].compactMap(\.self) else { continue }
      for reference in references {
        try define("\(alter) DROP CONSTRAINT \(quoted(reference.name))")
      }
      let others = catalog.references.filter { other in
        !references.contains { $0.table == other.table && $0.name == other.name }
      }
      try addReference(column, of: table, others)
    }
  }
}
#endif
