#if Postgres
import ObjectGraph
import SQLStorage

/// The SQL of PostgreSQL.
///
/// No function of the store's own exists on the server. What SQL cannot say, such as a comparison
/// without regard to case, is left to the reader.
enum PostgresDialect: SQLDialect {
  // The server accepts 65,535 parameters and 1,664 columns. It plans joins of many tables well enough.
  static let limits = SQLLimits(
    joins: 50, parameters: 8_000, bytes: 300_000, keys: 60, stack: 65, height: 850)

  static func columnType(of column: Column) -> String { ServerType(column.kept).sql }

  static func placeholder(
    _ number: Int, for parameter: SQLParameter, as kind: ColumnKind?
  ) -> String {
    guard let kind else { return "$\(number)" }
    let wanted = ServerType(kind)
    guard case .value(let value) = parameter, ServerType(sending: value) != wanted else {
      return "$\(number)"
    }
    return wanted == .boolean ? "($\(number) <> 0)" : "$\(number)::\(wanted.sql)"
  }

  static func truth(_ value: Bool) -> String { value ? "TRUE" : "FALSE" }

  static func ordered(_ expression: String, by order: ColumnOrder) -> String? { expression }

  static func keyText(of _: String, in _: TextOrder) -> String? { nil }

  // MARK: Conditions

  static let comparesNumbersExactly = false

  static func canCompare(_ one: ColumnKind, _ other: ColumnKind) -> Bool {
    ServerType(one) == ServerType(other)
  }

  static let isSame = "IS NOT DISTINCT FROM"
  static let isDifferent = "IS DISTINCT FROM"

  /// Returns a test with all values in one parameter, which is an array. So the statement's text does not
  /// depend on their number.
  ///
  /// The parameter has the type of the array. If it were a text that SQL converts, the server would
  /// convert it again for each row that it tests.
  static func isIn(
    _ left: String, _ values: [StoredValue], _ kind: ColumnKind,
    _ parameters: inout SQLParameters
  ) -> String? {
    let type = ServerType(kind)
    if values.allSatisfy({ ServerType(sending: $0) == type }) {
      return "\(left) = ANY (\(parameters.bind(.list(values), as: nil)))"
    }
    // The values are sent in another type than the column's. So the server reads the array from a text.
    let elements = values.map { value in
      switch value {
      case .integer(let integer): integer == 0 ? "f" : "t"
      case .text(let text):
        "\"\(text.replacing("\\", with: "\\\\").replacing("\"", with: "\\\""))\""
      case .null, .real, .blob: "NULL"
      }
    }
    let text = "{\(elements.joined(separator: ","))}"
    return "\(left) = ANY (\(parameters.bind(.bytes(Array(text.utf8)), as: nil))::\(type.sql)[])"
  }

  static func text(
    _ left: String, _ test: TextTest, _ text: String, _ options: TextOptions,
    _ parameters: inout SQLParameters
  ) -> String? {
    guard options.isEmpty else { return nil }
    let text = parameters.bind(.value(.text(text)), as: .string)
    switch test {
    case .equals: return "\(left) = \(text)"
    case .contains: return "strpos(\(left), \(text)) > 0"
    case .hasPrefix: return "\(left) ^@ \(text)"
    case .hasSuffix: return "right(\(left), length(\(text))) = \(text)"
    }
  }

  // MARK: Rows

  static func key(_ expression: String, isDescending: Bool) -> String {
    expression + (isDescending ? " DESC NULLS LAST" : " NULLS FIRST")
  }

  static func window(
    limit: Int?, offset: Int, _ parameters: inout SQLParameters
  ) -> String {
    func bind(_ number: Int) -> String {
      parameters.bind(.value(.integer(Int64(number))), as: .int)
    }
    // A negative limit means no limit.
    let clauses = [
      limit.flatMap { $0 < 0 ? nil : "LIMIT \(bind($0))" },
      offset > 0 ? "OFFSET \(bind(offset))" : nil,
    ]
    return clauses.compactMap(\.self).joined(separator: " ")
  }

  static func figure(
    _ aggregate: Aggregate, of expression: String, _ kind: ColumnKind
  ) -> String? {
    let type = ServerType(kind)
    switch aggregate {
    case .count: return nil
    // A sum of integers is a `numeric`, which may be too large.
    case .sum: return type == .bigint ? "sum(\(expression))::bigint" : "sum(\(expression))"
    case .average: return "avg(\(expression))::float8"
    case .minimum, .maximum:
      guard ![.boolean, .bytea, .uuid].contains(type) else { return nil }
      return "\(aggregate.isMinimum ? "min" : "max")(\(expression))"
    }
  }
}

extension Aggregate {
  fileprivate var isMinimum: Bool { if case .minimum = self { true } else { false } }
}

extension ServerType {
  /// The type in which a value is sent.
  init(sending value: StoredValue) {
    switch value {
    case .integer: self = .bigint
    case .real: self = .float8
    case .text, .null: self = .text
    case .blob: self = .bytea
    }
  }
}
#endif
