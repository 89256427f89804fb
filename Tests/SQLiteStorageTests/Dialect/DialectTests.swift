import LineageTestSupport
import ObjectGraph
import SQLiteStorage
import Testing

/// A dialect that differs from SQLite in everything that a dialect can choose.
private enum OtherSQL: SQLDialect {
  static let limits = SQLLimits(
    joins: 1, parameters: 100, bytes: 10_000, keys: 10, stack: 100, height: 100)
  static let isSame = "IS NOT DISTINCT FROM"
  static let isDifferent = "IS DISTINCT FROM"

  static func columnType(of column: Column) -> String { "\(column.kept)_type" }
  static func placeholder(_ number: Int, for _: SQLParameter, as kind: ColumnKind?) -> String {
    kind == .decimal ? "$\(number)::numeric" : "$\(number)"
  }
  static func truth(_ value: Bool) -> String { value ? "TRUE" : "FALSE" }

  static let comparesNumbersExactly = false
  static func canCompare(_ one: ColumnKind, _ other: ColumnKind) -> Bool { one == other }

  static func ordered(_ expression: String, by order: ColumnOrder) -> String? {
    switch order {
    case .numbers, .texts, .bytes, .none: expression
    case .decimals: "\(expression)::numeric"
    }
  }

  static func keyText(of expression: String, in order: TextOrder) -> String? {
    "\(order)(\(expression))"
  }

  static func isIn(
    _ left: String, _ values: [StoredValue], _: ColumnKind,
    _ parameters: inout SQLParameters
  ) -> String? {
    "\(left) = ANY (\(parameters.bind(.test(CellTest(isIn: values)), as: nil)))"
  }

  static func text(
    _ left: String, _: TextTest, _ text: String, _: TextOptions,
    _ parameters: inout SQLParameters
  ) -> String? {
    "starts_with(\(left), \(parameters.bind(.value(.text(text)), as: .string)))"
  }

  static func key(_ expression: String, isDescending: Bool) -> String {
    expression + (isDescending ? " DESC NULLS LAST" : " NULLS FIRST")
  }

  static func window(
    limit: Int?, offset: Int, _ parameters: inout SQLParameters
  ) -> String {
    let offset = parameters.bind(.value(.integer(Int64(offset))), as: .int)
    return "LIMIT \(limit.map { "\($0)" } ?? "ALL") OFFSET \(offset)"
  }

  static func figure(
    _ aggregate: Aggregate, of expression: String, _ kind: ColumnKind
  ) -> String? {
    let words = ["sum", "average", "minimum", "maximum"]
    return words.first(where: "\(aggregate)".hasPrefix).map {
      "\($0)(\(expression))::\(kind.cellForm)"
    }
  }
}

@Suite("The writer of SQL uses a dialect's words only") struct DialectTests {
  private let model: Model

  init() throws { model = try Model(Library.entities) }

  private func select(_ query: Query) throws -> Select {
    let columns = Array(model.layouts[query.entity].columns.indices)
    return try Select(query, columns: columns, tables: SQLTables(model, in: OtherSQL.self))
  }

  private func condition(_ request: FetchRequest<LineageTestSupport.Card>) throws -> String {
    let select = try select(try request.query(in: model))
    let parts = select.sql.split(separator: " WHERE ", maxSplits: 1)
    return String(try #require(parts.last).split(separator: " ORDER BY ")[0])
  }

  @Test("Comparisons, lists, texts and constants")
  func conditions() throws {
    #expect(try condition(FetchRequest(where: { $0.rightCount < 3 })) == #"t0."rightCount" < $1"#)
    #expect(
      try condition(FetchRequest(where: { $0.question != $0.answer }))
        == #"t0."question" IS DISTINCT FROM t0."answer""#)
    #expect(
      try condition(FetchRequest(where: { $0.rightCount.isIn([1, 2]) }))
        == #"t0."rightCount" = ANY ($1)"#)
    #expect(
      try condition(FetchRequest(where: { $0.question.hasPrefix("2") }))
        == #"starts_with(t0."question", $1)"#)
    #expect(try condition(FetchRequest(where: { $0.rightCount.isIn([]) })) == "FALSE")
  }

  @Test("Orders, limits and figures")
  func orders() throws {
    var query = try FetchRequest<LineageTestSupport.Card>(sort: { $0.question.descending })
      .query(in: model)
    query.offset = 2
    let rows = try select(query)
    #expect(
      rows.sql.hasSuffix(#" ORDER BY t0."question" DESC NULLS LAST, t0.id LIMIT ALL OFFSET $1"#))
    func keys(
      @OrderingBuilder<LineageTestSupport.Card>
      _ sort: (Columns<LineageTestSupport.Card>) -> Ordering<LineageTestSupport.Card>
    ) throws -> String {
      let request = FetchRequest<LineageTestSupport.Card>(sort: sort)
      let sql = try select(try request.query(in: model)).sql
      return String(try #require(sql.split(separator: " ORDER BY ", maxSplits: 1).last))
    }
    let texts = try keys {
      $0.question.natural.descending
      $0.question.folded
      $0.question.natural
      $0.question
      $0.question.folded
    }
    #expect(
      texts == #"natural(t0."question") DESC NULLS LAST, folded(t0."question") NULLS FIRST, "#
        + #"t0."question" NULLS FIRST, t0.id"#)
    let plain = try keys {
      $0.question
      $0.question.folded
    }
    #expect(plain == #"t0."question" NULLS FIRST, t0.id"#)
    let sum = try #require(
      try Select(
        .sum(PropertyPath(name: "rightCount")), of: query,
        tables: SQLTables(model, in: OtherSQL.self)))
    #expect(sum.sql.hasPrefix(#"SELECT sum(t0."rightCount")::integer FROM "Card" AS t0"#))
  }

  @Test("A test that the engine cannot make is replaced by what lets more rows through")
  func residuals() throws {
    func sql(_ filter: (Columns<LineageTestSupport.Card>) -> Filter<LineageTestSupport.Card>) throws
      -> String
    {
      let request = FetchRequest(where: filter)
      #expect(try select(try request.query(in: model)).testsLess)
      return try condition(request)
    }
    #expect(try sql { $0.deck.shelf.name == "top" } == "TRUE")
    #expect(try sql { !($0.deck.shelf.name == "top") } == "TRUE")
    #expect(
      try sql { $0.rightCount == 1 && $0.deck.shelf.name == "top" }
        == #"(t0."rightCount" = $1 AND TRUE)"#)
  }

  @Test("The types of columns are the dialect's, and the hash is not")
  func types() throws {
    let shape = SchemaShape(model, in: OtherSQL.self)
    #expect(shape.table("Card")?.column("isHard")?.storage == "bool_type")
    #expect(shape.hash.count == 16)
  }
}
