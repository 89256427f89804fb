#if Postgres
import ObjectGraph
import SQLStorage

extension SchemaShape {
  /// Creates the shape of the tables that a schema of the server has.
  ///
  /// The server's tables state a column's type, such as `float8`, but not its meaning, such as a date. If
  /// a column's type is as in `wanted`, its meaning is taken from `wanted`.
  init(_ catalog: ServerCatalog, like wanted: SchemaShape) {
    let tables = Dictionary(grouping: catalog.columns.filter { $0.kind == "r" }, by: \.table)
    self.init(
      tables: tables.keys.sorted().map { name in
        let indexes = catalog.indexes.filter { $0.table == name }.compactMap(IndexShape.init)
        let columns = (tables[name] ?? []).filter { !["", "id"].contains($0.name) }
        return TableShape(
          name: name,
          columns: columns.map { found in
            var column = ColumnShape(name: found.name, storage: found.type)
            let like = wanted.table(name)?.column(found.name)
            if let like, like.storage == found.type { column.meaning = like.meaning }
            column.isOptional = !found.isRequired
            let index = indexes.first { $0.properties == [found.name] }
            (column.isIndexed, column.isUnique) = (index != nil, index?.isUnique == true)
            column.target =
              catalog.references.first { $0.table == name && $0.column == found.name }?.target
            return column
          },
          indexes: indexes.filter { $0.properties.count > 1 })
      })
  }

  /// Returns whether programs with an older schema can use tables of this shape: whether it has all that
  /// the older one has, with the same meaning.
  func extends(_ older: SchemaShape) -> Bool {
    older.tables.allSatisfy { old in
      guard let table = table(old.name) else { return false }
      return old.columns.allSatisfy { column in
        let new = table.column(column.name)
        return new?.storage == column.storage && new?.meaning == column.meaning
          && new?.isOptional == column.isOptional && new?.target == column.target
      }
    }
  }
}

extension IndexShape {
  /// Creates the shape of an index that the store has made. The shape of any other index is nil.
  init?(_ found: ServerCatalog.FoundIndex) {
    var properties = found.columns.split(separator: ".", omittingEmptySubsequences: false)
      .map(String.init)
    // An index that is not unique ends with the id.
    if !found.isUnique, properties.last == "id" { properties.removeLast() }
    self.init(properties, isUnique: found.isUnique)
    guard found.name == indexName(self, of: found.table), !found.isPartial else { return nil }
  }
}
#endif
