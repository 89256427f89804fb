import ObjectGraph
import SQLStorage

/// The evaluation of a part of a query that exceeds SQLite's limits. The statement calls an SQL
/// function, which evaluates this part for one row.
///
/// Such a part is nested too deeply for SQLite's parser, or needs too many tables or keys of an
/// order. It is evaluated in Swift, as a store in memory does, on the statement's connection and in
/// the same read transaction. Computing sets of ids beforehand was rejected.
final class QuestionEvaluator: RowEvaluator {
  let rows: FileRows
  private let question: RowQuestion
  private let entity: Int
  private var findings = Matcher.Findings()
  /// The error that ended the evaluation; nil if there was none.
  private(set) var failure: (any Error)?

  init(_ question: RowQuestion, entity: Int, among rows: FileRows) {
    self.question = question
    self.entity = entity
    self.rows = rows
  }

  override func answer(_ id: Int64) -> StoredValue? {
    guard failure == nil else { return nil }
    do {
      guard let row = try rows.row(id, of: entity) else { return .null }
      switch question {
      case .condition(let matcher): return .integer(try matcher.matches(row, findings) ? 1 : 0)
      case .value(let place): return try row.stored(at: place)
      case .rank(let keys):
        var bytes: [UInt8] = []
        for key in keys {
          let start = bytes.count
          try row.stored(at: key.place).appendSortable(to: &bytes, by: key.place.order)
          if key.isDescending { for index in start..<bytes.count { bytes[index] = ~bytes[index] } }
        }
        return .blob(bytes)
      }
    } catch {
      failure = error
      return nil
    }
  }
}

/// The rows of a file, as the read transaction of a connection sees them.
final class FileRows {
  private let connection: Connection
  private let tables: [FileTable]
  /// The rows that were read lately. They are kept because many rows refer to the same row.
  private var recent: [RowID: FileRow] = [:]

  private struct RowID: Hashable {
    let entity: Int
    let id: Int64
  }

  init(of connection: Connection, _ tables: [FileTable]) {
    self.connection = connection
    self.tables = tables
  }

  func row(_ id: Int64, of entity: Int) throws -> FileRow? {
    let known = RowID(entity: entity, id: id)
    if let row = recent[known] { return row }
    let statement =
      try connection.rows[entity]
      ?? connection.within { try connection.prepareRow(tables[entity]) }
    try statement.bind(id, at: 1)
    defer { statement.reset() }
    guard try statement.stepWithin() else { return nil }
    let values = tables[entity].columns.indices.map { statement.cell(Int32($0)).stored }
    let row = FileRow(rows: self, id: id, values: values)
    if recent.count >= 1_000 { recent.removeAll(keepingCapacity: true) }
    recent[known] = row
    return row
  }

  func rows(of entity: Int, whereColumn column: Int, refersTo id: Int64) throws -> [FileRow] {
    let table = tables[entity]
    let names = table.columns.map { ", \(quoted($0.name))" }.joined()
    return try members("id\(names)", table, column, id) { statement in
      var rows: [FileRow] = []
      while try statement.stepWithin() {
        let values = table.columns.indices.map { statement.cell(Int32($0) + 1).stored }
        rows.append(FileRow(rows: self, id: statement.integer(0), values: values))
      }
      return rows
    }
  }

  func count(of entity: Int, whereColumn column: Int, refersTo id: Int64) throws -> Int {
    try members("count(*)", tables[entity], column, id) {
      try $0.stepWithin() ? Int($0.integer(0)) : 0
    }
  }

  private func members<Result>(
    _ selected: String, _ table: FileTable, _ column: Int, _ id: Int64,
    _ body: (Statement) throws -> Result
  ) throws -> Result {
    let name = quoted(table.columns[column].name)
    let sql = "SELECT \(selected) FROM \(quoted(table.name)) WHERE \(name) = ?1"
    let statement = try connection.within { try connection.take(sql) }
    defer { connection.give(back: statement) }
    try statement.bind(id, at: 1)
    return try body(statement)
  }
}

/// A row with the values of all its columns.
struct FileRow: RowSource {
  /// The source of the rows to which this row refers. It is unowned, because the evaluator retains
  /// it while rows are evaluated.
  unowned let rows: FileRows
  let id: Int64
  let values: [StoredValue]

  func stored(column: Int) -> StoredValue { values[column] }

  func row(of entity: Int, id: Int64) throws -> FileRow? { try rows.row(id, of: entity) }

  func rows(of entity: Int, whereColumn column: Int, refersTo id: Int64) throws -> [FileRow] {
    try rows.rows(of: entity, whereColumn: column, refersTo: id)
  }

  func count(of entity: Int, whereColumn column: Int, refersTo id: Int64) throws -> Int {
    try rows.count(of: entity, whereColumn: column, refersTo: id)
  }
}

extension StoredValue {
  /// Appends this value to a sort key. The appended bytes sort like the column's values, even if
  /// the bytes of other values follow.
  fileprivate func appendSortable(to bytes: inout [UInt8], by order: ColumnOrder) {
    func append(_ bits: UInt64) {
      for shift in stride(from: UInt64(56), through: 0, by: -8) {
        bytes.append(UInt8(truncatingIfNeeded: bits >> shift))
      }
    }
    func append(_ content: some Sequence<UInt8>) {
      for byte in content {
        bytes.append(byte)
        // The two zeros that end the content must sort before a zero inside a longer content.
        if byte == 0 { bytes.append(255) }
      }
      bytes += [0, 0]
    }
    switch self {
    case .null: bytes.append(0)
    case .integer(let value):
      bytes.append(1)
      append(UInt64(bitPattern: value) ^ 1 << 63)
    case .real(let value):
      bytes.append(1)
      // -0.0 and 0.0 are equal.
      let bits = (value == 0 ? 0 : value).bitPattern
      append(bits >> 63 == 1 ? ~bits : bits | 1 << 63)
    case .text(let text):
      bytes.append(2)
      guard order == .decimals else { return append(text.utf8) }
      // A number with a longer whole part is greater. The bytes of a negative number are inverted.
      let parts = DecimalText(text)
      bytes.append(parts.isNegative ? 0 : 1)
      let start = bytes.count
      append(UInt64(parts.wholeCount))
      append(text.utf8)
      if parts.isNegative { for index in start..<bytes.count { bytes[index] = ~bytes[index] } }
    case .blob(let content):
      bytes.append(3)
      append(content)
    }
  }
}
