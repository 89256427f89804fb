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
    let tables = Set(tables.map(Self.folded))
    for row in rows {
      guard let type = row[0].text, let name = row[1].text, let table = row[2].text else {
        continue
      }
      if type == "trigger" {
        guard Self.folded(table).hasPrefix("lineage_"), tables.contains(Self.folded(table)) else {
          continue
        }
        throw Refusal(.damaged("\(table) has a trigger, \(name)"))
      }
      guard tables.contains(Self.folded(name)) else { continue }
      throw Refusal(
        .damaged("\(name) is a \(type == "view" ? type : "virtual table"), not a table"))
    }
  }

  /// Returns a name with its ASCII letters in lower case, because SQLite ignores the case of these
  /// letters.
  private static func folded(_ name: String) -> String {
    String(decoding: name.utf8.map { (0x41...0x5a).contains($0) ? $0 + 0x20 : $0 }, as: UTF8.self)
  }
}
