import ObjectGraph

/// A query as SQL, with the values it is asked with.
struct Select {
  let sql: String
  private let parameters: [Parameter]
  /// Columns of the one row, if it asks for figures.
  private(set) var figures = 0

  /// Columns: the id, then all of the entity's.
  init(_ query: Query, model: Model, tables: [Table]) throws {
    let table = tables[query.entity]
    if query.condition == nil, query.order.isEmpty, query.limit == nil, query.offset == 0 {
      sql = table.selectAll
      parameters = []
      return
    }
    var writer = SelectWriter(model: model)
    let root = writer.source(query.entity)
    let condition = try query.condition.map { try writer.condition($0, of: root) }
    let order = try writer.order(query.order, of: root)
    let columns = table.columns.map { ", \(root.alias).\(quoted($0.name))" }.joined()
    var sql = "SELECT \(root.alias).id\(columns) FROM \(writer.from(root))"
    if let condition { sql += " WHERE \(condition)" }
    sql += " ORDER BY " + order.joined(separator: ", ")
    if query.limit != nil || query.offset > 0 {
      sql += " LIMIT " + writer.bind(.integer(Int64(query.limit ?? -1)))
      if query.offset > 0 { sql += " OFFSET " + writer.bind(.integer(Int64(query.offset))) }
    }
    self.sql = sql
    parameters = writer.parameters
  }

  /// One column, one row.
  init(_ aggregate: Aggregate, of query: Query, model: Model) throws {
    try self.init(figuresOf: query, model: model) { writer, root in
      switch aggregate {
      case .count: ["count(*)"]
      case .sum(let path): ["sum(\(try writer.number(path, of: root)))"]
      case .average(let path): ["avg(\(try writer.number(path, of: root)))"]
      case .minimum(let path): ["min(\(try writer.orderable(path, of: root)))"]
      case .maximum(let path): ["max(\(try writer.orderable(path, of: root)))"]
      }
    }
  }

  /// Two columns, one row: the sums of the upper and of the lower halves of integers.
  init(halvesOf path: PropertyPath, of query: Query, model: Model) throws {
    try self.init(figuresOf: query, model: model) { writer, root in
      let number = try writer.number(path, of: root)
      return ["sum(\(number) >> 32)", "sum(\(number) & 4294967295)"]
    }
  }

  private init(
    figuresOf query: Query, model: Model,
    _ figures: (inout SelectWriter, SelectWriter.Source) throws -> [String]
  ) throws {
    var writer = SelectWriter(model: model)
    let root = writer.source(query.entity)
    let condition = try query.condition.map { try writer.condition($0, of: root) }
    let figures = try figures(&writer, root)
    self.figures = figures.count
    sql =
      "SELECT \(figures.joined(separator: ", ")) FROM \(writer.from(root))"
      + (condition.map { " WHERE \($0)" } ?? "")
    parameters = writer.parameters
  }

  func bind(to statement: Statement, of connection: Connection, _ tables: [Table]) throws {
    let rows = FileRows(of: connection, tables)
    for (index, parameter) in parameters.enumerated() {
      let index = Int32(index + 1)
      switch parameter {
      case .value(let value): try statement.bind(value, at: index)
      case .bytes(let bytes): try statement.bind(text: bytes, at: index)
      case .values(let set): try statement.bind(set, as: "values", at: index)
      case .text(let match): try statement.bind(match, as: "text", at: index)
      case .judge(let judge):
        judge.begin(among: rows)
        try statement.bind(judge, as: "judge", at: index)
      }
    }
  }

  /// Why the statement failed: what a judge met, unless the whole read was ended.
  func failure(or error: any Error) -> any Error {
    if let fault = error as? Fault, fault.end != nil { return error }
    for case .judge(let judge) in parameters {
      if let failure = judge.failure { return failure }
    }
    return error
  }
}

/// What a statement is asked with.
enum Parameter {
  case value(Stored)
  /// Text that need not be UTF-8: the end of a range of prefixes.
  case bytes([UInt8])
  case values(ValueSet)
  case text(TextMatch)
  case judge(Judge)
}
