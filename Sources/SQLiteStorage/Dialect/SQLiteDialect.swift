import ObjectGraph
import SQLStorage

/// The SQL of SQLite, with the functions that its connections register.
enum SQLiteDialect: SQLDialect {
  // SQLite joins 64 tables, and, unless built otherwise, admits 32,766 parameters and a million
  // bytes. An order of 64 keys or more makes it leave out joins that the order needs, and crash
  // (3.40). Its parser has a stack of 100, its expressions may be 1000 deep, and a leaf takes its
  // part of both.
  static let limits = SQLLimits(
    joins: 50, parameters: 8_000, bytes: 300_000, keys: 60, stack: 65, height: 850)

  static let names = NameRules(
    entityPrefixes: ["sqlite_"], properties: ["rowid", "oid", "_rowid_"])

  /// Returns the type that a STRICT table knows.
  static func columnType(of column: Column) -> String {
    switch column.storage {
    case .integer: "INTEGER"
    case .real: "REAL"
    case .text, .null: "TEXT"
    case .blob: "BLOB"
    }
  }

  static func placeholder(_ number: Int, for _: SQLParameter) -> String { "?\(number)" }

  static func truth(_ value: Bool) -> String { value ? "1" : "0" }

  /// A collation of our connections orders decimals, in queries only: the file's tables and indexes
  /// know nothing of it, so that every program with SQLite can use them. An index compares texts by
  /// their bytes, and so serves a test of equality only.
  static func ordered(_ expression: String, by order: ColumnOrder) -> String {
    switch order {
    case .numbers, .texts, .bytes, .none: expression
    case .decimals: expression + " COLLATE lineage_decimal"
    }
  }

  static let isSame = "IS"
  static let isDifferent = "IS NOT"

  static func isIn(
    _ left: String, _ values: [StoredValue], _ parameters: inout SQLParameters<Self>
  ) -> String {
    if values.count > 16 {
      let integers = values.compactMap { value -> String? in
        if case .integer(let integer) = value { String(integer) } else { nil }
      }
      if integers.count == values.count {
        // One parameter, whatever the count, so that the statement is prepared once.
        let json = "[" + integers.joined(separator: ",") + "]"
        return "\(left) IN (SELECT value FROM json_each(\(parameters.bind(.text(json)))))"
      }
    }
    guard parameters.count + values.count <= limits.parameters else {
      return "lineage_in(\(left), \(parameters.bind(.values(ValueSet(values)))))"
    }
    return "\(left) IN (" + values.map { parameters.bind($0) }.joined(separator: ", ") + ")"
  }

  static func text(
    _ left: String, _ test: TextTest, _ text: String, _ options: TextOptions,
    _ parameters: inout SQLParameters<Self>
  ) -> String {
    switch test {
    case _ where !options.isEmpty: break
    case .equals: return "\(left) = \(parameters.bind(.text(text)))"
    // SQLite compares the whole text at each place where it may begin.
    case .contains where text.utf8.count <= 64:
      return "instr(\(left), \(parameters.bind(.text(text)))) > 0"
    case .hasPrefix:
      // A range, so that an index can serve it.
      var end = Array(text.utf8)
      guard let last = end.popLast() else { break }
      end.append(last + 1)
      return "(\(left) >= \(parameters.bind(.text(text)))"
        + " AND \(left) < \(parameters.bind(.bytes(end))))"
    case .contains, .hasSuffix: break
    }
    return "lineage_text(\(left), \(parameters.bind(.text(TextMatch(test, text, options)))))"
  }

  static func answer(
    _ question: RowQuestion, of entity: Int, id: String, _ parameters: inout SQLParameters<Self>
  ) -> String {
    "lineage_judge(\(parameters.bind(.question(question, entity: entity))), \(id))"
  }

  static func key(_ expression: String, isDescending: Bool) -> String {
    isDescending ? expression + " DESC" : expression
  }

  static func window(
    limit: Int?, offset: Int, _ parameters: inout SQLParameters<Self>
  ) -> String {
    // A limit below zero is none.
    let limit = "LIMIT " + parameters.bind(.integer(Int64(limit ?? -1)))
    return offset > 0 ? limit + " OFFSET " + parameters.bind(.integer(Int64(offset))) : limit
  }

  static func figure(_ figure: SQLFigure, of expression: String, _: Cell.Form) -> String {
    switch figure {
    case .sum: "sum(\(expression))"
    case .average: "avg(\(expression))"
    case .minimum: "min(\(expression))"
    case .maximum: "max(\(expression))"
    }
  }
}
