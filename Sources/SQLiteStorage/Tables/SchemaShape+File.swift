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
        let indexes = try connection.indexes(of: name).filter { index in
          // Earlier versions did not cut a long name.
          [indexName(index.shape, of: name), "\(name).\(index.shape.name)"].contains(index.name)
        }.map(\.shape)
        return TableShape(
          name: name,
          columns: try Self.columns(of: name, indexes, connection, wanted.table(name)),
          indexes: indexes.filter { $0.properties.count > 1 })
      })
  }

  private static func columns(
    of table: String, _ indexes: [IndexShape], _ connection: Connection, _ wanted: TableShape?
  ) throws -> [ColumnShape] {
    var targets: [String: String] = [:]
    for row in try connection.rows(
      "SELECT \"from\", \"table\" FROM pragma_foreign_key_list(?1)", [.text(table)])
    {
      if let column = row[0].text { targets[column] = row[1].text }
    }
    let rows = try connection.rows(
      "SELECT name, type, \"notnull\" FROM pragma_table_info(?1) WHERE name <> 'id'",
      [.text(table)])
    return rows.compactMap { row in
      guard let name = row[0].text, let type = row[1].text else { return nil }
      var column = ColumnShape(name: name, storage: type)
      if let like = wanted?.column(name), like.storage == type { column.meaning = like.meaning }
      column.isOptional = row[2] == .integer(0)
      let index = indexes.first { $0.properties == [name] }
      (column.isIndexed, column.isUnique) = (index != nil, index?.isUnique == true)
      column.target = targets[name]
      return column
    }
  }
}

extension Connection {
  /// Returns the name and the shape of each index of a table, also of those that other programs have
  /// made. An index of expressions has empty names in its shape.
  func indexes(of table: String) throws -> [(name: String, shape: IndexShape)] {
    var indexes: [(name: String, shape: IndexShape)] = []
    for row in try rows(
      "SELECT list.name, list.\"unique\", info.name FROM pragma_index_list(?1) AS list"
        + " JOIN pragma_index_info(list.name) AS info ORDER BY list.seq, info.seqno", [.text(table)]
    ) {
      guard let name = row[0].text else { continue }
      if indexes.last?.name != name {
        indexes.append((name, IndexShape([], isUnique: row[1] == .integer(1))))
      }
      indexes[indexes.count - 1].shape.properties.append(row[2].text ?? "")
    }
    return indexes
  }
}
