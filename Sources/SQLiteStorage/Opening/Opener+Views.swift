import ObjectGraph
import SQLStorage

// A view may give rows without end, and a trigger of the store's own tables may run without end.

extension Opener {
  /// Returns the type, the name and the table's name of each view, trigger and virtual table.
  func views(_ connection: Connection) throws -> [[StoredValue]] {
    // The SQL that SQLite keeps of a table always begins with these words. The SQL of a virtual
    // table begins with others.
    try connection.rows(
      "SELECT type, name, tbl_name FROM sqlite_schema"
        + " WHERE type <> 'index' AND sql NOT LIKE 'CREATE TABLE %'")
  }

  /// Throws a refusal if a view or a virtual table has the name of one of the tables, or if one of
  /// the store's own tables has a trigger.
  func refuseViews(_ rows: [[StoredValue]], of tables: [String]) throws {
    let tables = Set(tables.map(\.foldedName))
    for row in rows {
      guard let type = row[0].text, let name = row[1].text, let table = row[2].text else {
        continue
      }
      if type == "trigger" {
        guard table.foldedName.hasPrefix("lineage_"), tables.contains(table.foldedName) else {
          continue
        }
        throw Refusal(.damaged("\(table) has a trigger, \(name)"))
      }
      guard tables.contains(name.foldedName) else { continue }
      throw Refusal(
        .damaged("\(name) is a \(type == "view" ? type : "virtual table"), not a table"))
    }
  }
}
