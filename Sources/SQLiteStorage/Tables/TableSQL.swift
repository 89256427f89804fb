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

  /// Returns the statement that creates a column's index; nil if the column has no index.
  static func index(_ column: ColumnShape, of table: String) -> String? {
    guard column.isUnique || column.isIndexed else { return nil }
    return """
      CREATE \(column.isUnique ? "UNIQUE " : "")INDEX \(quoted(indexName(column.name, of: table))) \
      ON \(quoted(table)) (\(quoted(column.name)))
      """
  }

  /// Returns the statements that create all tables and indexes.
  static func all(_ shape: SchemaShape) -> [String] {
    shape.tables.map { create($0) }
      + shape.tables.flatMap { table in table.columns.compactMap { index($0, of: table.name) } }
  }
}
