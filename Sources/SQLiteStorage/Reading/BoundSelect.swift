import ObjectGraph
import SQLStorage

/// A query whose values are bound to a statement. It retains the bound objects, because the
/// statement does not.
struct BoundSelect {
  private let select: Select
  private let evaluators: [QuestionEvaluator]

  /// Binds the query's values to a statement that was prepared from the query's SQL. The bound
  /// query must outlive the statement's use.
  init(
    _ select: Select, to statement: Statement, of connection: Connection, _ tables: [FileTable]
  ) throws {
    self.select = select
    var evaluators: [QuestionEvaluator] = []
    for (index, parameter) in select.parameters.enumerated() {
      let index = Int32(index + 1)
      switch parameter {
      case .value(let value): try statement.bind(value, at: index)
      case .bytes(let bytes): try statement.bind(text: bytes, at: index)
      case .values(let set): try statement.bind(set, as: "values", at: index)
      case .text(let match): try statement.bind(match, as: "text", at: index)
      case .question(let question, let entity):
        let rows = evaluators.first?.rows ?? FileRows(of: connection, tables)
        let evaluator = QuestionEvaluator(question, entity: entity, among: rows)
        evaluators.append(evaluator)
        try statement.bind(evaluator, as: "evaluator", at: index)
      }
    }
    self.evaluators = evaluators
  }

  /// Returns the error to throw for a failed statement. It is the given error if the read was ended
  /// early, or if no evaluator has failed. Otherwise it is the evaluator's error, which has caused
  /// the statement's failure.
  func failure(or error: any Error) -> any Error {
    if let fault = error as? SQLiteFault, fault.end != nil { return error }
    for evaluator in evaluators {
      if let failure = evaluator.failure { return failure }
    }
    return error
  }
}

extension Select {
  /// Creates the SQL for the rows of a query. If the query has no condition, order, limit or
  /// offset, this is the SQL that the entity's table already stores.
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
