#if Postgres
import ObjectGraph
import SQLStorage
import Synchronization

/// An entity's table, with the SQL of the statements that read and write it.
///
/// Each statement that writes takes any number of rows: each parameter is an array, with an element for
/// each row.
final class ServerTable: Sendable {
  let entity: Int
  let name: String
  /// The name of the table in SQL.
  let sql: String
  let columns: [Column]
  let types: [ServerType]
  /// The types in which values of the columns are sent.
  let sentTypes: [ServerType]
  /// The columns that belong to a rule for unique values.
  let uniqueColumns: [Int]
  let contestable: ColumnMask
  let structSize: Int
  /// The bytes of a row in the answer that was read last; zero if none was, and rows may be large.
  private let rowSize: Atomic<Int>
  /// The SQL that reads one row, and the SQL that reads the rows with the ids in an array.
  let selectRow, selectRows: String
  private let allColumns: String
  /// The SQL of statements that write, which was made at their first use.
  private let texts = Mutex<[Text: String]>([:])

  private enum Text: Hashable {
    case insert, update([Int], checked: [Int]), updateOne([Int], checked: [Int])
    case delete(checked: [Int])
  }

  init(_ entity: Int, _ tables: SQLTables) {
    let layout = tables.model.layouts[entity]
    self.entity = entity
    name = layout.name
    sql = tables.names[entity]
    columns = layout.columns
    types = columns.map { ServerType($0.kept) }
    sentTypes = columns.map { ServerType(sending: $0.storage) }
    let isSmall = types.allSatisfy { [.bigint, .boolean, .float8, .uuid].contains($0) }
    rowSize = Atomic(isSmall ? 64 * (columns.count + 1) : 0)
    uniqueColumns = Set(layout.uniqueRules.flatMap(\.columns)).sorted()
    contestable = layout.contestable
    structSize = layout.size
    allColumns = (["id"] + columns.map { quoted($0.name) }).joined(separator: ", ")
    selectRow = "SELECT \(allColumns) FROM \(sql) WHERE id = $1"
    selectRows = "SELECT \(allColumns) FROM \(sql) WHERE id = ANY ($1)"
  }

  // MARK: Sizes

  /// The number of rows that have about 4 MB, at most 1,024; nil if no row was read yet.
  var pageRows: Int? {
    let size = rowSize.load(ordering: .relaxed)
    return size > 0 ? Self.pageRows(ofSize: size) : nil
  }

  /// Returns the number of rows of a size that have about 4 MB, at most 1,024.
  static func pageRows(ofSize size: Int) -> Int { max(1, min(mostPageRows, 4_000_000 / size)) }

  /// The greatest number of rows of a page.
  static let mostPageRows = 1_024

  /// Notes the size of the rows in an answer. Figures, and rows that lack columns, tell nothing.
  func noteSize(_ answer: ServerResult) {
    guard answer.rowCount > 0, answer.columnCount == columns.count + 1 else { return }
    rowSize.store(max(1, answer.size / answer.rowCount), ordering: .relaxed)
  }

  // MARK: SQL

  private func text(_ text: Text, _ make: () -> String) -> String {
    texts.withLock { texts in
      if let known = texts[text] { return known }
      // The masks of updates are too many to keep the SQL of all.
      if texts.count > 100 { texts = [:] }
      let made = make()
      texts[text] = made
      return made
    }
  }

  /// Returns the name of a row in error messages.
  func object(_ id: Int64) -> String { "\(name)/\(id)" }

  /// The SQL that locks rows in the order of their ids, and returns them.
  var lockRows: String { selectRows + " ORDER BY id FOR UPDATE" }

  /// Returns the SQL that locks rows in the order of their ids.
  func lock(forDeletion: Bool) -> String {
    "SELECT id FROM \(sql) WHERE id = ANY ($1) ORDER BY id FOR "
      + (forDeletion ? "UPDATE" : "NO KEY UPDATE")
  }

  /// The SQL that inserts rows. Its parameters are the ids and the values of each column.
  var insert: String {
    text(.insert) {
      let values = columns.indices.map { value(of: $0, "n.v\($0)") }
      return
        "INSERT INTO \(sql) (\(allColumns)) SELECT \((["n.id"] + values).joined(separator: ", "))"
        + " FROM \(rows(columns.indices.map { ("v\($0)", $0) }))"
    }
  }

  /// Returns the SQL that updates columns of rows. Its parameters are the ids, the new values of each
  /// column, the former values of the `checked` columns, and the number of rows. It fails by a division
  /// by zero unless all rows are there and have the former values.
  ///
  /// Such a failure is found in the same trip, and nothing after it is run.
  func update(_ changed: [Int], checked: [Int]) -> String {
    text(.update(changed, checked: checked)) {
      let values = changed.map { "\(quoted(columns[$0].name)) = \(value(of: $0, "n.v\($0)"))" }
      let parameters = changed.map { ("v\($0)", $0) } + checked.map { ("b\($0)", $0) }
      return "WITH u AS (UPDATE \(sql) AS t SET \(values.joined(separator: ", "))"
        + " FROM \(rows(parameters)) WHERE t.id = n.id\(checks(checked)) RETURNING t.id)"
        + " SELECT 1 / (count(*) = $\(parameters.count + 2))::int FROM u"
    }
  }

  /// Returns the SQL that updates columns of one row. Its parameters are the id, the new value of each
  /// column, and the former values of the `checked` columns. It fails as the SQL for several rows does,
  /// and takes the server less time, because it has no arrays.
  func updateOne(_ changed: [Int], checked: [Int]) -> String {
    text(.updateOne(changed, checked: checked)) {
      func parameter(_ place: Int, _ column: Int) -> String {
        value(of: column, "$\(place + 2)::\(sentTypes[column].sql)")
      }
      let values = changed.enumerated().map {
        "\(quoted(columns[$1].name)) = \(parameter($0, $1))"
      }
      let checks = checked.enumerated().map {
        " AND t.\(quoted(columns[$1].name)) IS NOT DISTINCT FROM \(parameter(changed.count + $0, $1))"
      }
      return "WITH u AS (UPDATE \(sql) AS t SET \(values.joined(separator: ", "))"
        + " WHERE t.id = $1\(checks.joined()) RETURNING t.id) SELECT 1 / count(*)::int FROM u"
    }
  }

  /// Returns the SQL that deletes rows. Its parameters are the ids, the former values of the `checked`
  /// columns and, if there are any, the number of rows.
  func delete(checked: [Int]?) -> String {
    guard let checked else { return "DELETE FROM \(sql) WHERE id = ANY ($1)" }
    return text(.delete(checked: checked)) {
      let parameters = checked.map { ("b\($0)", $0) }
      return "WITH d AS (DELETE FROM \(sql) AS t USING \(rows(parameters))"
        + " WHERE t.id = n.id\(checks(checked)) RETURNING t.id)"
        + " SELECT 1 / (count(*) = $\(parameters.count + 2))::int FROM d"
    }
  }

  private func checks(_ columns: [Int]) -> String {
    columns.map { column in
      " AND t.\(quoted(self.columns[column].name)) IS NOT DISTINCT FROM \(value(of: column, "n.b\(column)"))"
    }.joined()
  }

  private func rows(_ parameters: [(name: String, column: Int)]) -> String {
    let arrays = parameters.enumerated().map { ", $\($0 + 2)::\(sentTypes[$1.column].sql)[]" }
    let names = parameters.map { ", \($0.name)" }
    return "unnest($1::bigint[]\(arrays.joined())) AS n (id\(names.joined()))"
  }

  /// Returns a value that was sent for a column, in the column's type.
  private func value(of column: Int, _ sent: String) -> String {
    switch types[column] {
    case .boolean: "(\(sent) <> 0)"
    case let type where type != sentTypes[column]: "\(sent)::\(type.sql)"
    default: sent
    }
  }
}
#endif
