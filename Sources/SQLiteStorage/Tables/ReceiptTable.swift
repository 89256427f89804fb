import Foundation
import ObjectGraph

/// The table of receipts. A file gets it with its first receipt.
enum ReceiptTable {
  static let name = "lineage_receipts"

  private static func exists(_ connection: Connection) throws -> Bool {
    try connection.value(
      "SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = ?1", [.text(name)]) != .null
  }

  /// Returns the count of the last receipt with an id; nil if there is none.
  static func count(of id: UUID, _ connection: Connection) throws -> Int64? {
    guard try exists(connection) else { return nil }
    return try connection.value(
      "SELECT count FROM \(name) WHERE id = ?1", [.text(id.uuidString)]
    ).integer
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
