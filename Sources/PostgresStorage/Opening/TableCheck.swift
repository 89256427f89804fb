#if Postgres
import ObjectGraph
import SQLStorage

/// The comparison of the tables that a database has with those that a store needs.
///
/// A table may have been made by somebody else, or changed by hand. Some such changes would make the store
/// lose or hide rows without an error.
struct TableCheck {
  private let schema: StoreSchema
  private let catalog: ServerCatalog
  private var changes: [SchemaChange] = []

  init(_ schema: StoreSchema, _ catalog: ServerCatalog) {
    self.schema = schema
    self.catalog = catalog
  }

  /// Returns the statement whose rows are the rights that the program lacks, each with its table.
  static func privileges(_ schema: StoreSchema) -> ServerStatement {
    let rows = schema.rights.flatMap { table, rights in rights.map { "('\(table)', '\($0)')" } }
    return ServerStatement(
      "SELECT t, r FROM (VALUES \(rows.joined(separator: ", "))) AS w (t, r)"
        + " WHERE to_regclass(t) IS NOT NULL AND NOT has_table_privilege(to_regclass(t)::oid, r)")
  }

  /// Throws a refusal that lists all differences. `lacking` is the result of the statement that reads
  /// the rights.
  mutating func run(lacking: ServerResult) throws {
    for table in schema.shape.tables {
      checkTable(table)
      checkIndexes(of: table)
      checkReferences(of: table)
    }
    for row in lacking.texts {
      refuse(row[0], nil, "may not be used by this role (\(row[1]) is missing)")
    }
    guard changes.isEmpty else { throw Refusal(.changed(changes)) }
  }

  private mutating func refuse(_ entity: String, _ property: String? = nil, _ message: String) {
    changes.append(SchemaChange(entity: entity, property: property, message: message))
  }

  private mutating func checkTable(_ table: TableShape) {
    let own = catalog.columns.filter { $0.table == table.name }
    guard let first = own.first else { return refuse(table.name, nil, "has no table") }
    if first.kind != "r" { refuse(table.name, nil, "is no plain table") }
    if first.persistence != "p" {
      refuse(table.name, nil, "loses its rows in a crash (UNLOGGED)")
    }
    if first.hidesRows { refuse(table.name, nil, "has row-level security, which hides rows") }
    let id = ColumnShape(name: "id", storage: "bigint")
    for column in [id] + table.columns {
      guard let found = own.first(where: { $0.name == column.name }) else {
        refuse(table.name, column.name, "has no column")
        continue
      }
      if found.type != column.storage {
        refuse(table.name, column.name, "is \(found.type), and must be \(column.storage)")
      }
      if column.storage == "text", found.collation != "C" {
        refuse(table.name, column.name, "is not compared by its bytes (COLLATE \"C\")")
      }
      if column.isOptional, found.isRequired {
        refuse(table.name, column.name, "allows no null")
      }
    }
    // A column of a newer program has a value for the rows of older ones.
    for found in own where found.isRequired && !found.hasDefault && found.name != "id" {
      if table.column(found.name) == nil {
        refuse(table.name, found.name, "is not in the schema, and allows no null")
      }
    }
  }

  /// Checks the unique indexes, because the others only make reading faster.
  private mutating func checkIndexes(of table: TableShape) {
    for index in [IndexShape(["id"], isUnique: true)] + table.allIndexes where index.isUnique {
      let own = catalog.indexes.first {
        $0.table == table.name && $0.isUnique && $0.columns == index.name && !$0.isPartial
      }
      guard let own else {
        refuse(table.name, index.name, "has no unique index")
        continue
      }
      if !own.isImmediate { refuse(table.name, index.name, "is checked too late (DEFERRABLE)") }
      if !own.isValid { refuse(table.name, index.name, "has a unique index that is not complete") }
    }
  }

  private mutating func checkReferences(of table: TableShape) {
    for column in table.columns {
      guard let target = column.target else { continue }
      let own = catalog.references.first {
        $0.table == table.name && $0.column == column.name && $0.target == target
      }
      guard let own else {
        refuse(table.name, column.name, "does not refer to \(target)")
        continue
      }
      if !own.isDeferred {
        refuse(table.name, column.name, "is checked too early (not DEFERRED)")
      }
      if !own.isValid { refuse(table.name, column.name, "was never checked (NOT VALID)") }
      if own.deletion != "a" {
        refuse(table.name, column.name, "has a rule of the server's for deletions")
      }
    }
  }
}
#endif
