import ObjectGraph
import SQLStorage

/// An entity's table, with the SQL of the statements that read and write the table.
final class FileTable: Sendable {
  let entity: Int
  let name: String
  let columns: [Column]
  /// The columns that belong to a rule for unique values.
  let uniqueColumns: [Int]
  /// The columns whose former values a save checks.
  let contestable: ColumnMask
  /// The number of rows that one INSERT of a batch writes.
  let batch: Int
  let structSize: Int
  /// The SQL that inserts one row, and that which inserts a batch.
  let (insertOne, insertBatch): (String, String)

  init(_ entity: Int, _ layout: Layout) {
    self.entity = entity
    name = layout.name
    structSize = layout.size
    columns = layout.columns
    contestable = layout.contestable
    uniqueColumns = Set(layout.uniqueRules.flatMap(\.columns)).sorted()
    batch = max(1, min(16, 900 / (layout.columns.count + 1)))
    (insertOne, insertBatch) = Self.inserts(layout, batch: batch)
  }

  var selectRow: String {
    let names = columns.map { quoted($0.name) }.joined(separator: ", ")
    return "SELECT \(names) FROM \(quoted(name)) WHERE id = ?1"
  }

  /// Returns the name of a row in error messages.
  func object(_ id: Int64) -> String { "\(name)/\(id)" }

  /// Returns the SQL that inserts one row, and that which inserts a batch. The parameters are the id
  /// and the column values of each row in turn.
  private static func inserts(_ layout: Layout, batch: Int) -> (one: String, batch: String) {
    var target = "INTO \(quoted(layout.name)) (id"
    for column in layout.columns { target += ", " + quoted(column.name) }
    // Repeating is many times faster than joining, and each opening of a file does it (`open`).
    let row = "(?" + String(repeating: ",?", count: layout.columns.count) + ")"
    let more = String(repeating: "," + row, count: batch - 1)
    // Without OR ROLLBACK, SQLite copies each page before it writes it, so that it can undo a
    // statement that fails halfway.
    let end = batch > 1 ? " OR ROLLBACK" : ""
    return ("INSERT \(target)) VALUES \(row)", "INSERT\(end) \(target)) VALUES \(row)\(more)")
  }

  /// Returns the SQL that updates columns of one row. Its parameters are the new values and the id.
  /// If `isChecked` is true, the base's values of the contestable ones of these columns follow, and a
  /// row with other values is not updated.
  ///
  /// The check compares values, not a version column, because other programs would not keep a
  /// version. Changes of different properties are no conflict.
  func update(_ changed: [Int], isChecked: Bool) -> String {
    let names = changed.map { quoted(columns[$0].name) }
    let values = names.enumerated().map { "\($1) = ?\($0 + 1)" }.joined(separator: ", ")
    let id = names.count + 1
    var sql = "UPDATE \(quoted(name)) SET \(values) WHERE id = ?\(id)"
    guard isChecked else { return sql }
    for (index, column) in changed.filter(contestable.contains).enumerated() {
      sql += " AND \(quoted(columns[column].name)) IS ?\(id + 1 + index)"
    }
    return sql
  }

  /// Returns the SQL that deletes one row. Its first parameter is the id. If `isChecked` is true,
  /// the base's values of all contestable columns follow, and a row with other values is not deleted.
  func delete(isChecked: Bool) -> String {
    let sql = "DELETE FROM \(quoted(name)) WHERE id = ?1"
    guard isChecked else { return sql }
    return columns.indices.filter(contestable.contains).enumerated().reduce(sql) {
      $0 + " AND \(quoted(columns[$1.element].name)) IS ?\($1.offset + 2)"
    }
  }
}
