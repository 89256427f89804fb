import ObjectGraph
import SQLStorage

/// The rebuilding of a table. It is needed because SQLite cannot change a column's constraints or
/// drop a reference.
///
/// It must run in a transaction in which SQLite does not enforce foreign keys.
enum Rebuild {
  /// Makes the table anew in the given shape. Rows keep their values in the shape's columns. The
  /// table keeps its triggers, and each index that contains no removed column.
  static func run(_ shape: TableShape, on connection: Connection) throws {
    let draft = "lineage_rebuild"
    let others = try connection.rows(
      "SELECT name, sql FROM sqlite_schema WHERE tbl_name = ?1 AND type IN ('index', 'trigger')"
        + " AND sql IS NOT NULL", [.text(shape.name)])
    let indexed = Dictionary(
      uniqueKeysWithValues: try connection.indexes(of: shape.name).map { ($0, $1.properties) })
    let names = (["id"] + shape.columns.map(\.name)).map(quoted).joined(separator: ", ")
    // Without this setting, renaming checks each view. A view of this table would fail the check,
    // because the table does not exist at that time.
    try connection.run("PRAGMA legacy_alter_table = ON")
    defer { try? connection.run("PRAGMA legacy_alter_table = OFF") }
    try connection.run(TableSQL.create(shape, as: draft))
    try connection.run(
      "INSERT INTO \(quoted(draft)) (\(names)) SELECT \(names) FROM \(quoted(shape.name))")
    try connection.run("DROP TABLE \(quoted(shape.name))")
    try connection.run("ALTER TABLE \(quoted(draft)) RENAME TO \(quoted(shape.name))")
    for row in others {
      guard let name = row[0].text, let sql = row[1].text else { continue }
      // An index of a removed column is not made again.
      if indexed[name, default: []].allSatisfy({
        ["", "id"].contains($0) || shape.column($0) != nil
      }) {
        try connection.run(sql)
      }
    }
  }
}
