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
  package init<Dialect: SQLDialect>(_ pieces: [StatementPiece], model: Model, in: Dialect.Type) {
    var values = SQLParameters<Dialect>()
    sql = pieces.map { piece in
      switch piece {
      case .sql(let sql): sql
      case .value(let value): values.bind(value)
      case .entity(let entity): quoted(model.layouts[entity].name)
      case .column(let entity, let column): quoted(model.layouts[entity].columns[column].name)
      }
    }.joined()
    parameters = values.all
  }

  /// Creates the statement that returns the rows of a query. The columns of the result are the id,
  /// then the given columns of the entity.
  package init<Dialect: SQLDialect>(
    _ query: Query, columns: some Collection<Int>, model: Model, in: Dialect.Type
  ) throws {
    var writer = SelectWriter<Dialect>(model: model)
    let root = writer.source(query.entity)
    let condition = try query.condition.map { try writer.condition($0, of: root) }
    let order = try writer.order(query.order, of: root)
    (testsLess, isOrdered) = (writer.testsLess, order != nil)
    let layout = model.layouts[query.entity]
    let names = columns.map { ", \(root.alias).\(quoted(layout.columns[$0].name))" }.joined()
    var sql = "SELECT \(root.alias).id\(names) FROM \(writer.from(root))"
    if let condition { sql += " WHERE \(condition)" }
    if let order { sql += " ORDER BY \(order)" }
    if !testsLess, isOrdered, query.limit != nil || query.offset > 0 {
      sql += " " + Dialect.window(limit: query.limit, offset: query.offset, &writer.parameters)
    }
    self.sql = sql
    parameters = writer.parameters.all
  }

  /// Creates the statement that returns a figure over the rows of a query, as one row with one
  /// column; nil if the dialect has no words for all of it.
  package init?<Dialect: SQLDialect>(
    _ aggregate: Aggregate, of query: Query, model: Model, in: Dialect.Type
  ) throws {
    try self.init(columnsOf: query, model: model, in: Dialect.self) { writer, root in
      guard let path = aggregate.path else { return ["count(*)"] }
      return try writer.figure(aggregate, of: path, root).map { [$0] }
    }
  }

  /// Creates the statement that returns the values of a property over the rows of a query, each with
  /// the id of the row that has it; nil if the dialect has no words for all of it.
  package init?<Dialect: SQLDialect>(
    valuesOf place: ResolvedPath, over query: Query, model: Model, in: Dialect.Type
  ) throws {
    try self.init(columnsOf: query, model: model, in: Dialect.self) { writer, root in
      guard let id = writer.expression(place.row, of: root),
        let value = writer.expression(place, of: root)
      else { return nil }
      return [id, value]
    }
  }

  /// Creates a statement over the rows of a query with the columns that the closure returns.
  private init?<Dialect: SQLDialect>(
    columnsOf query: Query, model: Model, in: Dialect.Type,
    _ columns: (inout SelectWriter<Dialect>, SelectSource) throws -> [String]?
  ) throws {
    var writer = SelectWriter<Dialect>(model: model)
    let root = writer.source(query.entity)
    let condition = try query.condition.map { try writer.condition($0, of: root) }
    guard let columns = try columns(&writer, root), !writer.testsLess else { return nil }
    sql =
      "SELECT \(columns.joined(separator: ", ")) FROM \(writer.from(root))"
      + (condition.map { " WHERE \($0)" } ?? "")
    parameters = writer.parameters.all
  }
}
