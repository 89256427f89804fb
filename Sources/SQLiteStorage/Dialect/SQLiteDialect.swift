import ObjectGraph
import SQLStorage

/// The SQL of SQLite, which includes the SQL functions that each connection of a store registers.
enum SQLiteDialect: SQLDialect {
  // By default SQLite joins at most 64 tables, and accepts at most 32,766 parameters and a million
  // bytes. With an order of 64 or more keys, SQLite 3.40 omitted joins that the order needs, and
  // crashed. The parser's stack has 100 entries and an expression may have 1,000 levels. Each leaf
  // of an expression takes a part of both.
  static let limits = SQLLimits(
    joins: 50, parameters: 8_000, bytes: 300_000, keys: 60, stack: 65, height: 850)

  /// Returns the column's type in a STRICT table.
  static func columnType(of column: Column) -> String {
    switch column.storage {
    case .integer: "INTEGER"
    case .real: "REAL"
    case .text, .null: "TEXT"
    case .blob: "BLOB"
    }
  }

  static func placeholder(_ number: Int, for _: SQLParameter, as _: ColumnKind?) -> String {
    "?\(number)"
  }

  static func truth(_ value: Bool) -> String { value ? "1" : "0" }

  /// Returns the expression, followed by a collation if `order` is the order of decimals.
  ///
  /// Only queries name the collation. The file's tables and indexes do not, because other programs
  /// with SQLite lack it. So an index compares decimals as texts, and is used only for tests of
  /// equality. A blob whose bytes sort like the decimals was rejected, because no other program
  /// could read it.
  static func ordered(_ expression: String, by order: ColumnOrder) -> String? {
    switch order {
    case .numbers, .texts, .bytes, .none: expression
    case .decimals: expression + " COLLATE lineage_decimal"
    }
  }

  static func keyText(of expression: String, in order: TextOrder) -> String? {
    "lineage_order(\(expression), \(order == .natural ? 1 : 0))"
  }

  static let comparesNumbersExactly = true

  static func canCompare(_: ColumnKind, _: ColumnKind) -> Bool { true }

  static let isSame = "IS"
  static let isDifferent = "IS NOT"

  static func isIn(
    _ left: String, _ values: [StoredValue], _ kind: ColumnKind,
    _ parameters: inout SQLParameters
  ) -> String? {
    // All values are in one parameter, so that the statement's text does not depend on their
    // number.
    if values.count > 16, let json = jsonArray(values) {
      return
        "\(left) IN (SELECT value FROM json_each(\(parameters.bind(.value(.text(json)), as: nil))))"
    }
    guard parameters.count + values.count <= limits.parameters else {
      return "lineage_test(\(left), \(parameters.bind(.test(CellTest(isIn: values)), as: nil)))"
    }
    return "\(left) IN ("
      + values.map { parameters.bind(.value($0), as: kind) }.joined(separator: ", ") + ")"
  }

  /// Returns the values as a JSON array; nil if one of them is neither an integer nor a text that JSON
  /// writes as it is.
  ///
  /// The array is written as bytes, because making a string for each integer took a fifth of the
  /// time of a fetch by ids (benchmark `restore objects`).
  private static func jsonArray(_ values: [StoredValue]) -> String? {
    var json: [UInt8] = []
    json.reserveCapacity(values.count * 21 + 2)
    json.append(UInt8(ascii: "["))
    for value in values {
      if json.count > 1 { json.append(UInt8(ascii: ",")) }
      switch value {
      case .integer(let integer): append(integer, to: &json)
      case .text(let text):
        let isPlain = text.utf8.allSatisfy {
          $0 >= 0x20 && $0 != UInt8(ascii: "\"") && $0 != UInt8(ascii: "\\")
        }
        guard isPlain else { return nil }
        json.append(UInt8(ascii: "\""))
        json.append(contentsOf: text.utf8)
        json.append(UInt8(ascii: "\""))
      case .null, .real, .blob: return nil
      }
    }
    json.append(UInt8(ascii: "]"))
    return String(decoding: json, as: UTF8.self)
  }

  private static func append(_ integer: Int64, to json: inout [UInt8]) {
    let start = json.count
    var rest = integer.magnitude
    repeat {
      json.append(UInt8(ascii: "0") + UInt8(truncatingIfNeeded: rest % 10))
      rest /= 10
    } while rest > 0
    if integer < 0 { json.append(UInt8(ascii: "-")) }
    json[start...].reverse()
  }

  static func text(
    _ left: String, _ test: TextTest, _ text: String, _ options: TextOptions,
    _ parameters: inout SQLParameters
  ) -> String? {
    switch test {
    case _ where !options.isEmpty: break
    case .equals: return "\(left) = \(parameters.bind(.value(.text(text)), as: .string))"
    // `instr` compares all bytes of `text` at each position. So a longer `text` is left to
    // `lineage_test` below.
    case .contains where text.utf8.count <= 64:
      return "instr(\(left), \(parameters.bind(.value(.text(text)), as: .string))) > 0"
    case .hasPrefix:
      // The test for a prefix becomes a range of texts, for which SQLite can use an index.
      var end = Array(text.utf8)
      guard let last = end.popLast() else { break }
      end.append(last + 1)
      return "(\(left) >= \(parameters.bind(.value(.text(text)), as: .string))"
        + " AND \(left) < \(parameters.bind(.bytes(end), as: .string)))"
    case .contains, .hasSuffix: break
    }
    return
      "lineage_test(\(left), \(parameters.bind(.test(CellTest(test, text, options)), as: nil)))"
  }

  static func key(_ expression: String, isDescending: Bool) -> String {
    isDescending ? expression + " DESC" : expression
  }

  static func window(limit: Int?, offset: Int, _ parameters: inout SQLParameters) -> String {
    // A negative limit means no limit.
    let limit = "LIMIT " + parameters.bind(.value(.integer(Int64(limit ?? -1))), as: .int)
    return offset > 0
      ? limit + " OFFSET " + parameters.bind(.value(.integer(Int64(offset))), as: .int) : limit
  }

  static func figure(_ aggregate: Aggregate, of expression: String, _: ColumnKind) -> String? {
    switch aggregate {
    case .count: nil
    case .sum: "sum(\(expression))"
    case .average: "avg(\(expression))"
    case .minimum: "min(\(expression))"
    case .maximum: "max(\(expression))"
    }
  }
}
