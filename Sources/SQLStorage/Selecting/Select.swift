package import ObjectGraph

/// A query as SQL, with the values of its parameters.
package struct Select {
  package let sql: String
  package let parameters: [SQLParameter]
  /// The number of columns of the result if the statement computes figures; otherwise zero.
  package private(set) var figures = 0

  /// Creates a statement from SQL without parameters.
  package init(sql: String) {
    self.sql = sql
    parameters = []
  }

  /// Creates the statement that returns the rows of a query. The columns of the result are the id,
  /// then all columns of the entity.
  package init<Dialect: SQLDialect>(_ query: Query, model: Model, in: Dialect.Type) throws {
    var writer = SelectWriter<Dialect>(model: model)
    let root = writer.source(query.entity)
    let condition = try query.condition.map { try writer.condition($0, of: root) }
    let order = try writer.order(query.order, of: root)
    let columns = model.layouts[query.entity].columns
      .map { ", \(root.alias).\(quoted($0.name))" }.joined()
    var sql = "SELECT \(root.alias).id\(columns) FROM \(writer.from(root))"
    if let condition { sql += " WHERE \(condition)" }
    sql += " ORDER BY " + order.joined(separator: ", ")
    if query.limit != nil || query.offset > 0 {
      sql += " " + Dialect.window(limit: query.limit, offset: query.offset, &writer.parameters)
    }
    self.sql = sql
    parameters = writer.parameters.all
  }

  /// Creates the statement that returns a figure over the rows of a query. The result has one row
  /// and one column.
  package init<Dialect: SQLDialect>(
    _ aggregate: Aggregate, of query: Query, model: Model, in dialect: Dialect.Type
  ) throws {
    try self.init(figuresOf: query, model: model, in: dialect) { writer, root in
      switch aggregate {
      case .count: ["count(*)"]
      case .sum(let path): [try writer.figure(.sum, of: path, root)]
      case .average(let path): [try writer.figure(.average, of: path, root)]
      case .minimum(let path): [try writer.figure(.minimum, of: path, root)]
      case .maximum(let path): [try writer.figure(.maximum, of: path, root)]
      }
    }
  }

  /// Creates the statement that returns the values of a numeric property over the rows of a query.
  /// The columns of the result are the id of the row with the value, and the value.
  package init<Dialect: SQLDialect>(
    numbersOf path: PropertyPath, of query: Query, model: Model, in dialect: Dialect.Type
  ) throws {
    try self.init(figuresOf: query, model: model, in: dialect) { writer, root in
      let place = try model.number(path, from: root.entity)
      return [
        try writer.expression(place.row, of: root), try writer.expression(place, of: root),
      ]
    }
  }

  /// Creates the statement that returns figures over the rows of a query. The closure returns the
  /// SQL of each figure. The result has a column for each figure, and one row if the figures are
  /// aggregates.
  package init<Dialect: SQLDialect>(
    figuresOf query: Query, model: Model, in: Dialect.Type,
    _ figures: (inout SelectWriter<Dialect>, SelectSource) throws -> [String]
  ) throws {
    var writer = SelectWriter<Dialect>(model: model)
    let root = writer.source(query.entity)
    let condition = try query.condition.map { try writer.condition($0, of: root) }
    let figures = try figures(&writer, root)
    self.figures = figures.count
    sql =
      "SELECT \(figures.joined(separator: ", ")) FROM \(writer.from(root))"
      + (condition.map { " WHERE \($0)" } ?? "")
    parameters = writer.parameters.all
  }
}
