import ObjectGraph
import SQLStorage

extension SchemaShape {
  /// Creates the shape of the tables that are in the file, without the store's own tables.
  ///
  /// The file's tables state a column's storage, such as REAL, but not its meaning, such as a date.
  /// If a column's storage is as in `wanted`, its meaning is taken from `wanted`.
  init(_ connection: Connection, like wanted: SchemaShape) throws {
    let names = try connection.rows(
      "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'lineage\\_%' ESCAPE '\\'"
        + " AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\' ORDER BY name"
    ).compactMap(\.[0].text)
    self.init(
      tables: try names.map { name in
        TableShape(name: name, columns: try Self.columns(of: name, connection, wanted.table(name)))
      })
  }

  private static func columns(
    of table: String, _ connection: Connection, _ wanted: TableShape?
  ) throws -> [ColumnShape] {
    var targets: [String: String] = [:]
    for row in try connection.rows(
      "SELECT \"from\", \"table\" FROM pragma_foreign_key_list(?1)", [.text(table)])
    {
      if let column = row[0].text { targets[column] = row[1].text }
    }
    var indexes: [String: Bool] = [:]
    for row in try connection.rows(
      "SELECT name, \"unique\" FROM pragma_index_list(?1)", [.text(table)])
    {
      if let name = row[0].text { indexes[name] = row[1] == .integer(1) }
    }
    let rows = try connection.rows(
      "SELECT name, type, \"notnull\" FROM pragma_table_info(?1) WHERE name <> 'id'",
      [.text(table)])
    return rows.compactMap { row in
      guard let name = row[0].text, let type = row[1].text else { return nil }
      var column = ColumnShape(name: name, storage: type)
      if let like = wanted?.column(name), like.storage == type { column.meaning = like.meaning }
      column.isOptional = row[2] == .integer(0)
      // Earlier versions did not cut a long name.
      let index = indexes[indexName(name, of: table)] ?? indexes["\(table).\(name)"]
      (column.isIndexed, column.isUnique) = (index != nil, index == true)
      column.target = targets[name]
      return column
    }
  }
}
