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

  /// Throws a refusal if a view or a virtual table has the name of a table, or if one of the
  /// store's own tables has a trigger. Without metadata, only the names of the store's own tables
  /// are checked. With metadata, the names of the entities' tables are checked, too.
  func refuseViews(_ rows: [[StoredValue]], _ metadata: Metadata?) throws {
    guard !rows.isEmpty else { return }
    let own: Set = ["lineage_store", "lineage_log", ReceiptTable.name]
    let entities =
      try metadata.map { try SchemaShape(text: $0.record.schema).tables.map(\.name) } ?? []
    let tables = own.union(entities.map(Self.folded))
    for row in rows {
      guard case .text(let type) = row[0], case .text(let name) = row[1],
        case .text(let table) = row[2]
      else { continue }
      if type == "trigger" {
        guard own.contains(Self.folded(table)) else { continue }
        throw Refusal(opening: .damaged("\(table) has a trigger, \(name)"))
      }
      guard tables.contains(Self.folded(name)) else { continue }
      throw Refusal(
        opening: .damaged("\(name) is a \(type == "view" ? type : "virtual table"), not a table"))
    }
  }

  /// Returns a name with its ASCII letters in lower case, because SQLite ignores the case of these
  /// letters.
  private static func folded(_ name: String) -> String {
    String(
      decoding: name.utf8.map { (0x41...0x5a).contains($0) ? $0 + 0x20 : $0 }, as: UTF8.self)
  }
}
