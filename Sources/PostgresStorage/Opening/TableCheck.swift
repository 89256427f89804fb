#if Postgres
import Foundation
import ObjectGraph
import SQLStorage

/// The comparison of the tables that a database has with those that a store needs.
///
/// A table may have been made by somebody else, or changed by hand. Some such changes would make the store
/// lose or hide rows without an error.
struct TableCheck {
  private let schema: StoreSchema
  private let options: PostgresOptions
  private let connection: ServerConnection
  private var changes: [SchemaChange] = []

  init(_ schema: StoreSchema, _ options: PostgresOptions, _ connection: ServerConnection) {
    self.schema = schema
    self.options = options
    self.connection = connection
  }

  /// Throws a refusal that lists all differences. If a unique index is being built, waits for its builder.
  mutating func run() throws {
    let deadline = Deadline(in: options.statementTimeout)
    while true {
      changes = []
      let results = try connection.run([tables, indexes, references, privileges], until: deadline)
      checkTables(results[0])
      let isBeingBuilt = checkIndexes(results[1])
      checkReferences(results[2])
      checkPrivileges(results[3])
      guard changes.isEmpty else { throw Refusal(.changed(changes)) }
      guard isBeingBuilt else { return }
      guard !deadline.hasPassed else { throw Refusal(.locked(seconds: options.statementTimeout)) }
      Thread.sleep(forTimeInterval: 0.1)
    }
  }

  private mutating func refuse(_ entity: String, _ property: String? = nil, _ message: String) {
    changes.append(SchemaChange(entity: entity, property: property, message: message))
  }

  private func statement(_ sql: String) -> ServerStatement {
    var parameters = ServerParameters()
    parameters.add(.text(options.schema))
    let names = schema.shape.tables.map { "\"\($0.name)\"" }.joined(separator: ",")
    parameters.add(.text("{\(names)}"))
    return ServerStatement(sql, parameters)
  }

  // MARK: Tables

  private var tables: ServerStatement {
    statement(
      """
      SELECT c.relname::text, c.relkind::text, c.relpersistence::text, c.relrowsecurity,
        a.attname::text, format_type(a.atttypid, a.atttypmod), a.attnotnull, l.collname::text
      FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
      LEFT JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
      LEFT JOIN pg_collation l ON l.oid = a.attcollation
      WHERE n.nspname = $1 AND c.relname = ANY ($2::text[]) AND c.relkind NOT IN ('i', 'I', 'S', 't')
      """)
  }

  private mutating func checkTables(_ found: ServerResult) {
    let rows = found.texts
    for table in schema.shape.tables {
      let own = rows.filter { $0[0] == table.name }
      guard let first = own.first else {
        refuse(table.name, nil, "has no table")
        continue
      }
      if first[1] != "r" { refuse(table.name, nil, "is no plain table") }
      if first[2] != "p" { refuse(table.name, nil, "loses its rows in a crash (UNLOGGED)") }
      if first[3] == "1" { refuse(table.name, nil, "has row-level security, which hides rows") }
      let id = ColumnShape(name: "id", storage: "bigint")
      for column in [id] + table.columns {
        guard let row = own.first(where: { $0[4] == column.name }) else {
          refuse(table.name, column.name, "has no column")
          continue
        }
        let type = row[5] == "double precision" ? "float8" : row[5]
        if type != column.storage {
          refuse(table.name, column.name, "is \(type ?? "nothing"), and must be \(column.storage)")
        }
        if column.storage == "text", row[7] != "C" {
          refuse(table.name, column.name, "is not compared by its bytes (COLLATE \"C\")")
        }
        if column.isOptional, row[6] == "1" { refuse(table.name, column.name, "allows no null") }
      }
      for row in own where row[6] == "1" && row[4] != "id" && table.column(row[4] ?? "") == nil {
        refuse(table.name, row[4], "is not in the schema, and allows no null")
      }
    }
  }

  // MARK: Indexes

  private var indexes: ServerStatement {
    statement(
      """
      SELECT c.relname::text, i.indisunique, i.indisvalid, i.indimmediate,
        (SELECT string_agg(coalesce(a.attname::text, ''), '.' ORDER BY k.place)
          FROM unnest(i.indkey::int2[]) WITH ORDINALITY AS k (number, place)
          LEFT JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum = k.number),
        i.indpred IS NOT NULL
      FROM pg_index i JOIN pg_class c ON c.oid = i.indrelid
      JOIN pg_namespace n ON n.oid = c.relnamespace
      WHERE n.nspname = $1 AND c.relname = ANY ($2::text[])
      """)
  }

  /// Checks the unique indexes, because the others only make reading faster. Returns whether one of them
  /// is being built.
  private mutating func checkIndexes(_ found: ServerResult) -> Bool {
    let rows = found.texts
    var isBeingBuilt = false
    for table in schema.shape.tables {
      for index in [IndexShape(["id"], isUnique: true)] + table.allIndexes where index.isUnique {
        let own = rows.first {
          $0[0] == table.name && $0[1] == "1" && $0[4] == index.name && $0[5] == "0"
        }
        guard let own else {
          refuse(table.name, index.name, "has no unique index")
          continue
        }
        if own[3] != "1" { refuse(table.name, index.name, "is checked too late (DEFERRABLE)") }
        isBeingBuilt = isBeingBuilt || own[2] != "1"
      }
    }
    return isBeingBuilt
  }

  // MARK: References

  private var references: ServerStatement {
    statement(
      """
      SELECT c.relname::text, a.attname::text, t.relname::text, o.condeferred, o.convalidated,
        o.confdeltype::text
      FROM pg_constraint o JOIN pg_class c ON c.oid = o.conrelid
      JOIN pg_namespace n ON n.oid = c.relnamespace JOIN pg_class t ON t.oid = o.confrelid
      JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum = o.conkey[1]
      WHERE o.contype = 'f' AND n.nspname = $1 AND c.relname = ANY ($2::text[])
        AND cardinality(o.conkey) = 1
      """)
  }

  private mutating func checkReferences(_ found: ServerResult) {
    let rows = found.texts
    for table in schema.shape.tables {
      for column in table.columns {
        guard let target = column.target else { continue }
        let own = rows.first { $0[0] == table.name && $0[1] == column.name && $0[2] == target }
        guard let own else {
          refuse(table.name, column.name, "does not refer to \(target)")
          continue
        }
        if own[3] != "1" { refuse(table.name, column.name, "is checked too early (not DEFERRED)") }
        if own[4] != "1" { refuse(table.name, column.name, "was never checked (NOT VALID)") }
        if own[5] != "a" {
          refuse(table.name, column.name, "has a rule of the server's for deletions")
        }
      }
    }
  }

  // MARK: Privileges

  private var privileges: ServerStatement {
    let rows = schema.rights.flatMap { table, rights in rights.map { "('\(table)', '\($0)')" } }
    return ServerStatement(
      "SELECT t, r FROM (VALUES \(rows.joined(separator: ", "))) AS w (t, r)"
        + " WHERE to_regclass(t) IS NOT NULL AND NOT has_table_privilege(to_regclass(t)::oid, r)")
  }

  private mutating func checkPrivileges(_ found: ServerResult) {
    for row in found.texts {
      refuse(row[0] ?? "", nil, "may not be used by this role (\(row[1] ?? "") is missing)")
    }
  }
}

extension ServerResult {
  /// All cells as texts.
  fileprivate var texts: [[String?]] {
    (0..<rowCount).map { row in
      (0..<columnCount).map { column in
        switch cell(row, column).stored {
        case .text(let text): text
        case .integer(let integer): "\(integer)"
        case .null, .real, .blob: nil
        }
      }
    }
  }
}
#endif
