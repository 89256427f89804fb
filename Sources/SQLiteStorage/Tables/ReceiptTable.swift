import Foundation
import ObjectGraph

/// The table of receipts. A file gets it with its first receipt.
enum ReceiptTable {
  static let name = "lineage_receipts"

  private static func exists(_ connection: Connection) throws -> Bool {
    try connection.value(
      "SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = ?1", [.text(name)]) != .null
  }

  /// Returns the counts of the last receipts with some ids.
  static func counts(of ids: [UUID], _ connection: Connection) throws -> [UUID: Int64] {
    guard !ids.isEmpty, try exists(connection) else { return [:] }
    return try ids.reduce(into: [:]) { counts, id in
      counts[id] = try connection.value(
        "SELECT count FROM \(name) WHERE id = ?1", [.text(id.uuidString)]
      ).integer
    }
  }

  /// Writes receipts in the transaction under way, and removes those that are too old then.
  static func write(_ receipts: [Receipt], _ connection: Connection) throws {
    if try !exists(connection) {
      try connection.run(
        "CREATE TABLE \(name) (id TEXT PRIMARY KEY, count INTEGER NOT NULL, date REAL NOT NULL)"
          + " STRICT, WITHOUT ROWID")
      // The store's own table is no change of the schema by another program.
      try connection.run(
        "UPDATE lineage_store SET value = ?1 WHERE key = 'cookie'",
        [.text("\(try connection.cookie())")])
    }
    for receipt in receipts {
      try connection.run(
        "INSERT INTO \(name) VALUES (?1, ?2, ?3) ON CONFLICT (id)"
          + " DO UPDATE SET count = excluded.count, date = excluded.date",
        [.text(receipt.id.uuidString), .integer(receipt.count), .real(receipt.date)])
      try connection.run(
        "DELETE FROM \(name) WHERE date < ?1", [.real(receipt.date - Receipt.lifetime)])
    }
  }
}
