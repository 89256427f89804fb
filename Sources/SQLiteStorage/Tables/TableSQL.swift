import ObjectGraph
import SQLStorage

/// The statements that create tables and indexes.
enum TableSQL {
  static func create(_ shape: TableShape, as name: String? = nil) -> String {
    let columns = shape.columns.map { column in
      var sql = "\(quoted(column.name)) \(column.storage)"
      if !column.isOptional { sql += " NOT NULL" }
      if let target = column.target { sql += " " + reference(target) }
      return sql
    }
    return """
      CREATE TABLE \(quoted(name ?? shape.name)) (
        id INTEGER PRIMARY KEY,
        \(columns.joined(separator: ",\n  "))
      ) STRICT
      """
  }

  static func reference(_ target: String) -> String {
    "REFERENCES \(quoted(target)) (\"id\") DEFERRABLE INITIALLY DEFERRED"
  }

  /// Returns the statement that creates an index.
  static func index(_ index: IndexShape, of table: String) -> String {
    let name = quoted(indexName(index, of: table))
    return "CREATE \(index.isUnique ? "UNIQUE " : "")INDEX \(name) ON \(quoted(table))"
      + " (\(index.properties.map(quoted).joined(separator: ", ")))"
  }

  /// Returns the statements that create all tables and indexes.
  static func all(_ shape: SchemaShape) -> [String] {
    shape.tables.map { create($0) }
      + shape.tables.flatMap { table in table.allIndexes.map { index($0, of: table.name) } }
  }
}
