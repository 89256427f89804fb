package import ObjectGraph

/// A query as SQL, with the values of its parameters.
package struct Select {
  package let sql: String
  package let parameters: [SQLParameter]
  /// Whether the SQL lets more rows through than the query's condition.
  package private(set) var testsLess = false
  /// Whether the SQL has the query's order. If not, or if it lets more rows through, it returns all
  /// rows, without regard to the query's limit and offset.
  package private(set) var isOrdered = true

  /// Creates the statement that a program has written.
  ///
  /// A space after each placeholder keeps it apart from a digit that the program has written there.
  package init(_ pieces: [StatementPiece], tables: SQLTables) {
    var values = SQLParameters(in: tables.dialect)
    sql = pieces.map { piece in
      switch piece {
      case .sql(let sql): sql
      case .value(let value): values.bind(.value(value), as: nil) + " "
      case .values([]): "(SELECT NULL WHERE 1 = 0)"
      case .values(let list):
        "(" + list.map { values.bind(.value($0), as: nil) }.joined(separator: ", ") + ")"
      case .entity(let entity): tables.names[entity]
      case .column(let entity, let column):
        quoted(tables.model.layouts[entity].columns[column].name)
      }
    }.joined()
    parameters = values.all
  }

  /// Creates the statement that returns the rows of a query. The columns of the result are the id,
  /// then the given columns of the entity.
  package init(_ query: Query, columns: [Int], tables: SQLTables) throws {
    var writer = SelectWriter(tables)
    let root = writer.source(query.entity)
    let order = try writer.order(query.order, of: root)
    let names = columns.map { writer.name($0, of: root) }
    var sql = try writer.select(["\(root.alias).id"] + names, of: root, query)
    (testsLess, isOrdered) = (writer.testsLess, order != nil)
    if let order { sql += " ORDER BY \(order)" }
    if !testsLess, isOrdered, query.limit != nil || query.offset > 0 {
      sql +=
        " " + tables.dialect.window(limit: query.limit, offset: query.offset, &writer.parameters)
    }
    self.sql = sql
    parameters = writer.parameters.all
  }

  /// Creates the statement that returns the rows of several queries, without an order. The columns of
  /// the result are the id, the query's index, and the columns of all entities, query after query. A
  /// row has values in the columns of its own query.
  package init(_ queries: [Query], tables: SQLTables) throws {
    var writer = SelectWriter(tables)
    sql = try queries.indices.map { index in
      let root = writer.source(queries[index].entity)
      let values = queries.enumerated().flatMap { other, query in
        let columns = tables.model.layouts[query.entity].columns
        guard other != index else { return columns.indices.map { writer.name($0, of: root) } }
        return columns.map { "CAST(NULL AS \(tables.dialect.columnType(of: $0)))" }
      }
      // Each query has the whole room for conditions. The parameters are counted by the caller.
      writer.written = 0
      return try writer.select(["\(root.alias).id", "\(index)"] + values, of: root, queries[index])
    }.joined(separator: " UNION ALL ")
    testsLess = writer.testsLess
    parameters = writer.parameters.all
  }

  /// Creates the statement that returns a figure over the rows of a query, as one row with one
  /// column; nil if the dialect has no words for all of it.
  package init?(_ aggregate: Aggregate, of query: Query, tables: SQLTables) throws {
    try self.init(columnsOf: query, tables: tables) { writer, root in
      guard let path = aggregate.path else { return ["count(*)"] }
      return try writer.figure(aggregate, of: path, root).map { [$0] }
    }
  }

  /// Creates the statement that returns the values of a property over the rows of a query, each with
  /// the id of the row that has it; nil if the dialect has no words for all of it.
  package init?(valuesOf place: ResolvedPath, over query: Query, tables: SQLTables) throws {
    try self.init(columnsOf: query, tables: tables) { writer, root in
      guard let id = writer.expression(place.row, of: root),
        let value = writer.expression(place, of: root)
      else { return nil }
      return [id, value]
    }
  }

  /// Creates the statement that returns, for each value of a column, the number of a query's rows and
  /// the value; nil if the dialect has no words for all of it.
  package init?(countsOf query: Query, by column: Int, tables: SQLTables) throws {
    try self.init(
      columnsOf: query, tables: tables,
      { writer, root in ["count(*)", writer.name(column, of: root)] }, end: " GROUP BY 2")
  }

  /// Creates a statement over the rows of a query with the columns that the closure returns.
  private init?(
    columnsOf query: Query, tables: SQLTables,
    _ columns: (inout SelectWriter, SelectSource) throws -> [String]?, end: String = ""
  ) throws {
    var writer = SelectWriter(tables)
    let root = writer.source(query.entity)
    guard let columns = try columns(&writer, root) else { return nil }
    sql = try writer.select(columns, of: root, query) + end
    guard !writer.testsLess else { return nil }
    parameters = writer.parameters.all
  }
}
