import ObjectGraph
import SQLStorage

/// A query whose values are bound to a statement. It retains the bound objects, because the
/// statement does not.
struct BoundSelect {
  private let select: Select
  private let judges: [Judge]

  /// Binds the query's values to a statement that was prepared from the query's SQL. The bound
  /// query must outlive the statement's use.
  init(
    _ select: Select, to statement: Statement, of connection: Connection, _ tables: [FileTable]
  ) throws {
    self.select = select
    var judges: [Judge] = []
    for (index, parameter) in select.parameters.enumerated() {
      let index = Int32(index + 1)
      switch parameter {
      case .value(let value): try statement.bind(value, at: index)
      case .bytes(let bytes): try statement.bind(text: bytes, at: index)
      case .values(let set): try statement.bind(set, as: "values", at: index)
      case .text(let match): try statement.bind(match, as: "text", at: index)
      case .question(let question, let entity):
        let rows = judges.first?.rows ?? FileRows(of: connection, tables)
        let judge = Judge(question, entity: entity, among: rows)
        judges.append(judge)
        try statement.bind(judge, as: "judge", at: index)
      }
    }
    self.judges = judges
  }

  /// Returns the error to throw for a failed statement. If a judge has failed, it is the judge's
  /// error, which caused the statement's failure. But if the read was ended early, or if no judge
  /// has failed, it is the given error.
  func failure(or error: any Error) -> any Error {
    if let fault = error as? SQLiteFault, fault.end != nil { return error }
    for judge in judges {
      if let failure = judge.failure { return failure }
    }
    return error
  }
}

extension Select {
  /// Creates the SQL for the rows of a query. For all rows of an entity, it is the SQL that the
  /// entity's table has ready.
  init(_ query: Query, of file: OpenFile) throws {
    if query.condition == nil, query.order.isEmpty, query.limit == nil, query.offset == 0 {
      self.init(sql: file.tables[query.entity].selectAll)
    } else {
      try self.init(query, model: file.model, in: SQLiteDialect.self)
    }
  }

  /// Creates the SQL that adds up the upper 32 bits and the lower 32 bits of integers separately.
  /// The result is one row with both sums.
  init(halvesOf path: PropertyPath, of query: Query, model: Model) throws {
    try self.init(figuresOf: query, model: model, in: SQLiteDialect.self) { writer, root in
      let number = try writer.number(path, of: root)
      return ["sum(\(number) >> 32)", "sum(\(number) & 4294967295)"]
    }
  }
}
