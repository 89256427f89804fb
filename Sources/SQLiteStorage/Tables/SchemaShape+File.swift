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
    ).compactMap { row -> String? in
      if case .text(let name) = row[0] { name } else { nil }
    }
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
      if case .text(let column) = row[0], case .text(let target) = row[1] {
        targets[column] = target
      }
    }
    var indexes: [String: Bool] = [:]
    for row in try connection.rows(
      "SELECT name, \"unique\" FROM pragma_index_list(?1)", [.text(table)])
    {
      if case .text(let name) = row[0] { indexes[name] = row[1] == .integer(1) }
    }
    let rows = try connection.rows(
      "SELECT name, type, \"notnull\" FROM pragma_table_info(?1) WHERE name <> 'id'",
      [.text(table)])
    return rows.compactMap { row in
      guard case .text(let name) = row[0], case .text(let type) = row[1] else { return nil }
      let like = wanted?.column(name)
      // Earlier versions did not cut a long name.
      let isUnique = indexes[indexName(name, of: table)] ?? indexes["\(table).\(name)"]
      return ColumnShape(
        name: name, storage: type,
        meaning: like.flatMap { $0.storage == type ? $0.meaning : nil } ?? ColumnShape.unknown,
        isOptional: row[2] == .integer(0), isUnique: isUnique == true,
        isIndexed: isUnique != nil, target: targets[name])
    }
  }
}
