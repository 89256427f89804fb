import ObjectGraph
import SQLStorage

/// The SQL of SQLite, with the functions that its connections register.
enum SQLiteDialect: SQLDialect {
  // By default SQLite joins 64 tables and accepts 32,766 parameters and a million bytes. With 64 or
  // more keys, an order made SQLite 3.40 leave out joins that the order needs, and crash. Its
  // parser has a stack of 100 entries, an expression may have 1,000 levels, and a leaf of the
  // expression needs a part of both.
  static let limits = SQLLimits(
    joins: 50, parameters: 8_000, bytes: 300_000, keys: 60, stack: 65, height: 850)

  /// The names that SQLite reserves. A schema is checked against them when a file is opened; a
  /// store in memory accepts them.
  static let names = NameRules(
    entityPrefixes: ["sqlite_"], properties: ["rowid", "oid", "_rowid_"])

  /// Returns the column's type in a STRICT table.
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

  /// Returns the expression, with a collation if the order is that of decimals.
  ///
  /// Only queries name the collation, which our connections register. The file's tables and indexes
  /// do not, because other programs with SQLite lack it. An index therefore compares decimals as
  /// texts, and serves only tests of equality. A blob that sorts by its bytes was rejected, because
  /// no other program could read it.
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
    // One parameter holds all values, so that the statement's text is the same for any number of
    // them.
    if values.count > 16, let json = jsonArray(values) {
      return "\(left) IN (SELECT value FROM json_each(\(parameters.bind(.text(json)))))"
    }
    guard parameters.count + values.count <= limits.parameters else {
      return "lineage_in(\(left), \(parameters.bind(.values(ValueSet(values)))))"
    }
    return "\(left) IN (" + values.map { parameters.bind($0) }.joined(separator: ", ") + ")"
  }

  /// Returns the JSON array of integers; nil if a value is not an integer.
  ///
  /// It is written as bytes, because a string for each integer took a fifth of a fetch by ids
  /// (`restore objects`).
  private static func jsonArray(_ values: [StoredValue]) -> String? {
    var json: [UInt8] = []
    json.reserveCapacity(values.count * 21 + 2)
    json.append(UInt8(ascii: "["))
    for value in values {
      guard case .integer(let integer) = value else { return nil }
      if json.count > 1 { json.append(UInt8(ascii: ",")) }
      let start = json.count
      var rest = integer.magnitude
      repeat {
        json.append(UInt8(ascii: "0") + UInt8(truncatingIfNeeded: rest % 10))
        rest /= 10
      } while rest > 0
      if integer < 0 { json.append(UInt8(ascii: "-")) }
      json[start...].reverse()
    }
    json.append(UInt8(ascii: "]"))
    return String(decoding: json, as: UTF8.self)
  }

  static func text(
    _ left: String, _ test: TextTest, _ text: String, _ options: TextOptions,
    _ parameters: inout SQLParameters<Self>
  ) -> String {
    switch test {
    case _ where !options.isEmpty: break
    case .equals: return "\(left) = \(parameters.bind(.text(text)))"
    // `instr` compares the whole text at each place where it may begin, so longer texts are
    // searched below.
    case .contains where text.utf8.count <= 64:
      return "instr(\(left), \(parameters.bind(.text(text)))) > 0"
    case .hasPrefix:
      // This is a range of texts, which an index can serve.
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
    // A negative limit means no limit.
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
