import ObjectGraph
import SQLStorage

/// A query that a statement is asked with, and what its parameters borrow.
struct BoundSelect {
  private let select: Select
  private let judges: [Judge]

  /// Gives a statement of the query's text its values. What is bound must outlive the statement's use.
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

  /// Returns why the statement failed: what a judge met, unless the whole read was ended.
  func failure(or error: any Error) -> any Error {
    if let fault = error as? Fault, fault.end != nil { return error }
    for judge in judges {
      if let failure = judge.failure { return failure }
    }
    return error
  }
}

extension Select {
  /// The rows of a query in a file; without conditions and order its text is the table's own.
  init(_ query: Query, of file: OpenFile) throws {
    if query.condition == nil, query.order.isEmpty, query.limit == nil, query.offset == 0 {
      self.init(sql: file.tables[query.entity].selectAll)
    } else {
      try self.init(query, model: file.model, in: SQLiteDialect.self)
    }
  }

  /// The sums of the upper and of the lower halves of integers. Two columns, one row.
  init(halvesOf path: PropertyPath, of query: Query, model: Model) throws {
    try self.init(figuresOf: query, model: model, in: SQLiteDialect.self) { writer, root in
      let number = try writer.number(path, of: root)
      return ["sum(\(number) >> 32)", "sum(\(number) & 4294967295)"]
    }
  }
}
